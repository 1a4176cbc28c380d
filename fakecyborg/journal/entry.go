package journal

import (
	"net/http"
	"time"
)

// What an entry is about.
const (
	// Exchange is a request with its answer.
	Exchange = "exchange"
	// Event is an event for Nova.
	Event = "event"
)

// Entry is one exchange or one event. Its JSON form is one line of an export.
type Entry struct {
	// Seq counts the entries of a journal from 1; a gap is an entry that was dropped.
	Seq int `json:"seq"`
	// Kind is [Exchange] or [Event].
	Kind string `json:"kind"`
	// InFlight says that the exchange has not ended.
	InFlight bool `json:"in_flight,omitempty"`
	// Scope is the value of the header X-Fake-Scope; events have that of the
	// exchange that caused them.
	Scope string `json:"scope,omitempty"`
	// Operation is the operation of the API, "" when no route was found; of events
	// it is "event".
	Operation string `json:"operation,omitempty"`
	// Method and Path are those of the request.
	Method string `json:"method,omitempty"`
	// Path is the path as it was sent, decoded.
	Path string `json:"path,omitempty"`
	// Query is the query as it was sent, without the question mark.
	Query string `json:"query,omitempty"`
	// RequestHeader is the header of the request; tokens are replaced by [Redacted].
	RequestHeader http.Header `json:"request_header,omitempty"`
	// RequestBody is the body of the request.
	RequestBody Body `json:"request_body,omitzero"`
	// Status is the HTTP status that was sent, 0 while there is none.
	Status int `json:"status,omitempty"`
	// ResponseHeader is the header of the answer.
	ResponseHeader http.Header `json:"response_header,omitempty"`
	// ResponseBody is the body of the answer.
	ResponseBody Body `json:"response_body,omitzero"`
	// Started is when the request arrived.
	Started time.Time `json:"started"`
	// Duration is how long it took, in nanoseconds.
	Duration time.Duration `json:"duration_ns,omitempty"`
	// RequestID is the id that the answer has.
	RequestID string `json:"request_id,omitempty"`
	// Caller is the project of the caller.
	Caller string `json:"caller,omitempty"`
	// Fault is the name of the rule that hit the exchange or the event.
	Fault string `json:"fault,omitempty"`
	// Error is why the answer did not arrive as it is above, or what Nova said.
	Error string `json:"error,omitempty"`
	// Event is what was to be sent.
	Event *Sent `json:"event,omitempty"`
}

// Sent is an event as Nova gets it.
type Sent struct {
	// Name is "accelerator-request-bound".
	Name string `json:"name"`
	// ServerUUID is the instance.
	ServerUUID string `json:"server_uuid"`
	// Tag is the UUID of the accelerator request.
	Tag string `json:"tag"`
	// Status is "completed" or "failed".
	Status string `json:"status"`
	// Dropped says that the event was lost on purpose.
	Dropped bool `json:"dropped,omitempty"`
}

// Body is the body of a request or an answer.
type Body struct {
	// Text is the body, or its beginning if Cut is set.
	Text string `json:"text"`
	// Bytes is the length of the whole body.
	Bytes int `json:"bytes"`
	// Cut says that Text is not all of it.
	Cut bool `json:"cut,omitempty"`
}

// newBody keeps at most limit bytes, and never half of a character.
func newBody(data []byte, limit int) Body {
	kept := beginning(data, limit)
	return Body{Text: string(kept), Bytes: len(data), Cut: len(kept) < len(data)}
}
