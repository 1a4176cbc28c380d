package virtdriver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxBody is the limit of Nova's API (oslo.middleware, max_request_body_size),
// in bytes.
const maxBody = 114688

const maxTag = 255

// eventNames maps each event to the compute microversion, 2.N, that brought it
// (nova/api/openstack/compute/schemas/server_external_events.py).
var eventNames = map[string]int{
	"network-changed":       1,
	"network-vif-plugged":   1,
	"network-vif-unplugged": 1,
	"network-vif-deleted":   1,
	"volume-extended":       51,
	"power-update":          76,
	EventBound:              82,
	"volume-reimaged":       93,
}

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

// requestEvent is wireEvent before the server has put a code to it.
type requestEvent struct {
	Name       *string `json:"name"`
	ServerUUID *string `json:"server_uuid"`
	Tag        *string `json:"tag"`
	Status     *string `json:"status"`
}

func readEvents(w http.ResponseWriter, req *http.Request, minor int) ([]wireEvent, *fault) {
	var body struct {
		Events []requestEvent `json:"events"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, req.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return nil, bodyFault(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, bodyFault(errors.New("more text after the JSON object"))
	}
	if len(body.Events) == 0 {
		return nil, invalid("events", "is a required property with at least one event")
	}
	events := make([]wireEvent, len(body.Events))
	for i, e := range body.Events {
		var bad *fault
		if events[i], bad = e.check(fmt.Sprintf("events/%d/", i), minor); bad != nil {
			return nil, bad
		}
	}
	return events, nil
}

func (e requestEvent) check(place string, minor int) (wireEvent, *fault) {
	if e.Name == nil || e.ServerUUID == nil {
		return wireEvent{}, invalid(place, "needs name and server_uuid")
	}
	since, known := eventNames[*e.Name]
	if !known || since > minor {
		return wireEvent{}, invalid(place+"name", fmt.Sprintf("%q is not an event of compute 2.%d", *e.Name, minor))
	}
	if _, err := uuid.Parse(*e.ServerUUID); err != nil {
		return wireEvent{}, invalid(place+"server_uuid", fmt.Sprintf("%q is not a 'uuid'", *e.ServerUUID))
	}
	if e.Tag != nil && utf8.RuneCountInString(*e.Tag) > maxTag {
		return wireEvent{}, invalid(place+"tag", fmt.Sprintf("is longer than %d characters", maxTag))
	}
	event := wireEvent{Name: *e.Name, ServerUUID: *e.ServerUUID, Tag: e.Tag}
	if e.Status != nil {
		if !slices.Contains([]string{StatusCompleted, StatusFailed, StatusInProgress}, *e.Status) {
			return wireEvent{}, invalid(place+"status", fmt.Sprintf("%q is not one of 'failed', 'completed', 'in-progress'", *e.Status))
		}
		event.Status = *e.Status
	}
	return event, nil
}

func invalid(place, message string) *fault {
	return &fault{http.StatusBadRequest, fmt.Sprintf("Invalid input for field/attribute %s. %s", place, message)}
}

func bodyFault(err error) *fault {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return &fault{http.StatusRequestEntityTooLarge, "Request is too large."}
	}
	return &fault{http.StatusBadRequest, fmt.Sprintf("Malformed request body: %v", err)}
}

// faultNames are Nova's names for the status codes that occur here
// (nova/api/openstack/wsgi.py, Fault).
var faultNames = map[int]string{
	http.StatusBadRequest:            "badRequest",
	http.StatusNotFound:              "itemNotFound",
	http.StatusMethodNotAllowed:      "badMethod",
	http.StatusRequestEntityTooLarge: "overLimit",
}

func writeFault(w http.ResponseWriter, status int, message string) {
	name, ok := faultNames[status]
	if !ok {
		name = "computeFault"
	}
	writeJSON(w, status, map[string]any{name: map[string]any{"code": status, "message": message}})
}

func writeJSON(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone, there is no one to tell
}
