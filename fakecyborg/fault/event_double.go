package fault

import "slices"

// EventDouble sends an event twice in the same notification.
type EventDouble struct{}

// Kind is "event_double".
func (EventDouble) Kind() string { return "event_double" }

// Check finds nothing wrong.
func (EventDouble) Check() error { return nil }

// Change repeats the event.
func (EventDouble) Change(deliveries []Delivery, hit int) []Delivery {
	return slices.Insert(deliveries, hit+1, deliveries[hit])
}
