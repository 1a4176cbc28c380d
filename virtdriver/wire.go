package virtdriver

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
)

// maxBody is the limit of Nova's API (oslo.middleware, max_request_body_size),
// in bytes.
const maxBody = 114688

// wireEvent is an event as the API's body has it: a missing tag is not an
// empty one.
type wireEvent struct {
	Name       string  `json:"name"`
	ServerUUID string  `json:"server_uuid"`
	Tag        *string `json:"tag,omitempty"`
	Status     string  `json:"status,omitempty"`
	Code       int     `json:"code"`
}

func (e wireEvent) event() Event {
	event := Event{Name: e.Name, ServerUUID: e.ServerUUID, Status: e.Status}
	if e.Tag != nil {
		event.Tag = *e.Tag
	}
	return event
}

// contentTypes are those that Nova reads; none and text/plain are let pass
// (nova/api/openstack/wsgi.py, Request.get_content_type).
var contentTypes = []string{"", "text/plain", "application/json", "application/vnd.openstack.compute+json"}

// readEvents reads a body that the schema lets pass.
func readEvents(w http.ResponseWriter, req *http.Request, schema eventSchema) ([]wireEvent, *fault) {
	mediaType, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if header := req.Header.Get("Content-Type"); header != "" && (err != nil || !slices.Contains(contentTypes, mediaType)) {
		return nil, &fault{http.StatusUnsupportedMediaType, "Unsupported Content-Type"}
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	switch _, tooLarge := errors.AsType[*http.MaxBytesError](err); {
	case tooLarge:
		return nil, &fault{http.StatusRequestEntityTooLarge, "Request is too large."}
	case err != nil:
		return nil, malformed
	}
	var body any // None, as Nova calls it, when there is no body
	if len(text) > 0 && json.Unmarshal(text, &body) != nil {
		return nil, malformed
	}
	if bad := schema.check(body); bad != nil {
		return nil, bad
	}
	var events struct {
		Events []wireEvent `json:"events"`
	}
	if json.Unmarshal(text, &events) != nil {
		return nil, malformed
	}
	return events.Events, nil
}

var malformed = &fault{http.StatusBadRequest, "Malformed request body"}

// faultNames are Nova's names for the status codes that occur here
// (nova/api/openstack/wsgi.py, Fault).
var faultNames = map[int]string{
	http.StatusBadRequest:            "badRequest",
	http.StatusNotFound:              "itemNotFound",
	http.StatusMethodNotAllowed:      "badMethod",
	http.StatusRequestEntityTooLarge: "overLimit",
	http.StatusUnsupportedMediaType:  "badMediaType",
	http.StatusServiceUnavailable:    "serviceUnavailable",
}

func writeFault(w http.ResponseWriter, f *fault) {
	name, ok := faultNames[f.status]
	if !ok {
		name = "computeFault"
	}
	writeJSON(w, f.status, map[string]any{name: map[string]any{"code": f.status, "message": f.message}})
}

func writeJSON(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone, there is no one to tell
}
