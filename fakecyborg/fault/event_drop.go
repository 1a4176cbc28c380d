package fault

// EventDrop loses an event on its way to Nova.
type EventDrop struct{}

// Kind is "event_drop".
func (EventDrop) Kind() string { return "event_drop" }

// Check finds nothing wrong.
func (EventDrop) Check() error { return nil }

// Change drops the event.
func (EventDrop) Change(deliveries []Delivery, hit int) []Delivery {
	deliveries[hit].Dropped = true
	return deliveries
}
