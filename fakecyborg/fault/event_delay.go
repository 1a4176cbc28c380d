package fault

import "time"

// EventDelay sends an event later; the answer to the PATCH does not wait.
type EventDelay struct {
	// For is how much later.
	For time.Duration `json:"for"`
}

// Kind is "event_delay".
func (EventDelay) Kind() string { return "event_delay" }

// Check wants a time.
func (e EventDelay) Check() error { return wantTime("for", e.For) }

// Change delays the event.
func (e EventDelay) Change(deliveries []Delivery, hit int) []Delivery {
	deliveries[hit].After += e.For
	return deliveries
}
