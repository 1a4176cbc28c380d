package fault

import (
	"context"
	"net/http"
	"time"
)

// Fault is one way to fail. It also implements one of [AtExchange], [AtBind]
// and [AtEvent], which says where it can happen. Its fields with a json tag are
// its parameters.
type Fault interface {
	// Kind is the name in rules: "status", "event_drop".
	Kind() string
	// Check says what is wrong with the parameters, nil if nothing is.
	Check() error
}

// AtExchange is a fault of a request or its answer.
type AtExchange interface {
	Fault
	// Meet answers the exchange; Proceed does what the request asks for.
	Meet(x Exchange) Reply
}

// Exchange is the request that a fault meets, with what the server can do to it.
type Exchange interface {
	// Context ends when the client gives up.
	Context() context.Context
	// Proceed does what the request asks for and returns the answer of the server.
	Proceed() Reply
	// Refuse returns an error answer in one of the server's forms.
	Refuse(code int, form Form, text string) Reply
}

// Form is one of the forms in which Cyborg, and what stands around it, tells
// errors.
type Form string

// The forms of errors.
const (
	// Controller is an error that a controller raised: JSON with a faultstring in
	// the text of error_message.
	Controller Form = "controller"
	// Conductor is the same with a traceback, as all errors that came over RPC.
	Conductor Form = "conductor"
	// Routing is an error of routing or version negotiation: its form depends on
	// the Accept header.
	Routing Form = "routing"
	// Lock is the 423, whose text is the word null.
	Lock Form = "lock"
	// Keystone is the 401 of the token check, outside of Cyborg's own forms.
	Keystone Form = "keystone"
	// Gateway is the HTML page of a proxy in front of Cyborg.
	Gateway Form = "gateway"
)

// Reply is an answer on its way to the client.
type Reply struct {
	// Status is the HTTP status.
	Status int
	// Header has the header fields, in the server's own spelling.
	Header http.Header
	// Body is the whole body.
	Body []byte
	// Lost says how much of the answer does not arrive.
	Lost Loss
	// Cut is how many bytes of the body arrive when Lost is [Part].
	Cut int
}

// Loss is what a broken connection leaves of an answer.
type Loss int

// The losses.
const (
	// Nothing is lost.
	Nothing Loss = iota
	// Part of the body is lost: the header promises more than arrives.
	Part
	// Closed loses the whole answer: the connection ends without a byte of it.
	Closed
	// Reset is the same with a reset instead of an orderly end.
	Reset
)

// AtBind is a fault of the bind, or the programming, of one accelerator request.
type AtBind interface {
	Fault
	// Hold says what becomes of the bind, which has reached BindStarted.
	Hold() Hold
}

// Hold is a bind that is not done when its PATCH is answered.
type Hold struct {
	// End is how it ends: "Bound", "BindFailed", or "" for never.
	End string
	// After is the time until then.
	After time.Duration
}

// AtEvent is a fault of an event for Nova.
type AtEvent interface {
	Fault
	// Change returns what becomes of the deliveries of one notification; hit is
	// the index of the event that the rule hit.
	Change(deliveries []Delivery, hit int) []Delivery
}

// Delivery is an event on its way to Nova.
type Delivery struct {
	// Tag is the UUID of the accelerator request that the event tells about.
	Tag string
	// Of is the index of the event in the notification as it was meant.
	Of int
	// After delays the event; the answer to the PATCH does not wait for it.
	After time.Duration
	// Dropped events are lost on the way; Cyborg does not notice.
	Dropped bool
	// Refused is the code with which Nova refuses this event, 0 for not at all.
	Refused int
	// RefusedWhole is the status with which Nova refuses the whole notification,
	// 0 for not at all.
	RefusedWhole int
	// Faults are the names of the rules that changed it.
	Faults []string
}

// Early is an [AtEvent] that happens before the bind it tells about.
type Early interface {
	AtEvent
	// Moment says how early.
	Moment() Moment
}

// Moment is a point in the course of a bind.
type Moment string

// The moments at which an early event can be sent.
const (
	// BeforeBind is when the PATCH has arrived and nothing is done yet.
	BeforeBind Moment = "before_bind"
	// BeforeBound is when the request is in BindStarted.
	BeforeBound Moment = "before_bound"
)
