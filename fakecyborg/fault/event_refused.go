package fault

import "strconv"

// EventRefused makes Nova refuse an event, which therefore has no effect there.
// If all events of a notification get 422, Cyborg takes it as "the instance has
// no host yet" and the bind succeeds; with another code, or if only some are
// refused, the PATCH fails although its requests are Bound.
type EventRefused struct {
	// Code is Nova's code for the event, 422 by default.
	Code int `json:"code"`
	// Whole refuses the whole notification with that status instead.
	Whole bool `json:"whole"`
}

// defaultRefusal is Nova's code for an instance without host.
const defaultRefusal = 422

// Kind is "event_refused".
func (EventRefused) Kind() string { return "event_refused" }

// Check wants an error code.
func (e EventRefused) Check() error {
	if e.Code != 0 && (e.Code < 400 || e.Code > 599) {
		return wrong("code", strconv.Itoa(e.Code), "want 400 to 599")
	}
	return nil
}

// Change notes the refusal.
func (e EventRefused) Change(deliveries []Delivery, hit int) []Delivery {
	code := e.Code
	if code == 0 {
		code = defaultRefusal
	}
	if e.Whole {
		deliveries[hit].RefusedWhole = code
	} else {
		deliveries[hit].Refused = code
	}
	return deliveries
}
