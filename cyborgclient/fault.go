package cyborgclient

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// refusal says whether the service answered by itself, and before it did
// anything; see Error.Refused.
func refusal(method string, failure osapi.Failure) bool {
	if failure.RefusedLogin() {
		return true
	}
	if !slices.Contains(refusals, failure.StatusCode) || !ownForm(failure.Body) {
		return false
	}
	message := messageOf(failure.Body)
	if strings.Contains(message, traceback) {
		return false
	}
	return method != http.MethodPatch || refusedPatch(failure.StatusCode, message)
}

// refusals are the statuses with which Cyborg refuses. 423 is not one of them:
// it is the answer to a question.
var refusals = []int{
	http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
	http.StatusNotAcceptable, http.StatusConflict, http.StatusUnsupportedMediaType,
}

// refusedPatch names what a PATCH of ARQs is refused for before its first ARQ
// (cyborg/api/controllers/v2/arqs.py: ARQsController.patch).
func refusedPatch(status int, message string) bool {
	switch status {
	case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return true
	}
	return strings.HasPrefix(message, "Couldn't apply patch. Reason: ")
}

// ownForm says whether a body is in the form that Cyborg gives every error of
// its own.
func ownForm(body []byte) bool {
	var outer struct {
		Message json.RawMessage `json:"error_message"`
	}
	return json.Unmarshal(body, &outer) == nil && outer.Message != nil
}

// traceback begins what errors of the conductor carry behind their message.
const traceback = "Traceback (most recent call last)"

// faultText finds the message in an error body. Cyborg wraps a JSON document
// as a string into another (cyborg/api/middleware/parsable_error.py); Keystone's
// middleware and proxies in front answer in their own ways. The traceback that
// errors of the conductor carry is cut off.
func faultText(status int, body []byte) string {
	text := messageOf(body)
	text, _, _ = strings.Cut(text, traceback)
	text = strings.TrimSpace(text)
	if text == "" {
		return http.StatusText(status)
	}
	return text
}

func messageOf(body []byte) string {
	var outer struct {
		ErrorMessage json.RawMessage `json:"error_message"`
		Error        struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &outer); err != nil {
		return plain(string(body))
	}
	if outer.ErrorMessage == nil {
		return outer.Error.Message
	}
	var text string
	if err := json.Unmarshal(outer.ErrorMessage, &text); err != nil {
		return innerMessage(string(outer.ErrorMessage)) // not wrapped into a string
	}
	return innerMessage(text)
}

// innerMessage reads the wrapped document: WSME's, pecan's, or no JSON at all.
func innerMessage(text string) string {
	var inner *struct {
		Faultstring string `json:"faultstring"`
		Title       string `json:"title"`
		Description string `json:"description"`
	}
	if err := json.Unmarshal([]byte(text), &inner); err != nil {
		return plain(text)
	}
	switch {
	case inner == nil: // the text "null", with 423
		return ""
	case inner.Faultstring != "":
		return inner.Faultstring
	case inner.Description != "":
		return inner.Description
	}
	return inner.Title
}

// plain passes a text on, but no HTML page.
func plain(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return ""
	}
	return text
}
