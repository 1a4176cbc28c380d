package fault

import "fmt"

// EventEarly sends an event before what it tells has happened; it is not sent
// again. It says "completed" also if the bind fails afterwards.
type EventEarly struct {
	// When is the moment: [BeforeBound], which is the default, or [BeforeBind].
	When Moment `json:"when"`
}

// Kind is "event_early".
func (EventEarly) Kind() string { return "event_early" }

// Check wants a known moment.
func (e EventEarly) Check() error {
	switch e.When {
	case "", BeforeBind, BeforeBound:
		return nil
	}
	return wrong("when", string(e.When), fmt.Sprintf("want %s or %s", BeforeBound, BeforeBind))
}

// Moment is when the event is sent.
func (e EventEarly) Moment() Moment {
	if e.When == BeforeBind {
		return BeforeBind
	}
	return BeforeBound
}

// Change leaves the event as it is; it is only sent earlier.
func (EventEarly) Change(deliveries []Delivery, _ int) []Delivery { return deliveries }
