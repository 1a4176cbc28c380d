package fault

import "slices"

// EventFirst puts an event before all others of its notification. If every event
// is hit, their order is reversed.
type EventFirst struct{}

// Kind is "event_first".
func (EventFirst) Kind() string { return "event_first" }

// Check finds nothing wrong.
func (EventFirst) Check() error { return nil }

// Change moves the event.
func (EventFirst) Change(deliveries []Delivery, hit int) []Delivery {
	moved := deliveries[hit]
	return slices.Insert(slices.Delete(deliveries, hit, hit+1), 0, moved)
}
