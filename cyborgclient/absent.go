package cyborgclient

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// absence is the kind of a 404 or 405 that none of Cyborg's controllers gave:
// its router did, because the release does not have the operation, or something
// in front of it that does not find Cyborg. It must not pass for an object that
// is gone. It is nil for every other answer.
func absence(failure osapi.Failure) error {
	switch {
	case failure.StatusCode != http.StatusNotFound && failure.StatusCode != http.StatusMethodNotAllowed:
		return nil
	case !ownForm(failure.Body):
		return ErrUnreachable
	case routed(failure.Body):
		return ErrVersion
	}
	return nil
}

// routed says that an error in Cyborg's form comes from its router, pecan, which
// words it as code and title and not as WSME does in the controllers.
func routed(body []byte) bool {
	var outer struct {
		Message string `json:"error_message"`
	}
	var inner struct {
		Code *int `json:"code"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return false
	}
	return json.Unmarshal([]byte(outer.Message), &inner) == nil && inner.Code != nil || outer.Message != "" && plain(outer.Message) == ""
}

// absenceHint says what to do about an absence.
func (r request) absenceHint(kind error) string {
	switch {
	case kind == ErrUnreachable: //nolint:errorlint // the sentinel itself
		return "this is no answer of Cyborg's: look at the endpoint, and at what stands in front of it"
	case r.since != "":
		return fmt.Sprintf("this Cyborg does not have the operation, which came with %s", r.since)
	}
	return "this Cyborg does not have the operation at that path: look at the endpoint"
}
