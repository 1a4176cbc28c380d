package fault

// EventTag sends an event with the tag of another accelerator request.
type EventTag struct {
	// Tag is the wrong tag; the default is a UUID that no request has.
	Tag string `json:"tag"`
}

// noRequest is the tag that no accelerator request has.
const noRequest = "ffffffff-ffff-4fff-bfff-ffffffffffff"

// Kind is "event_tag".
func (EventTag) Kind() string { return "event_tag" }

// Check finds nothing wrong.
func (EventTag) Check() error { return nil }

// Change puts the wrong tag on the event.
func (e EventTag) Change(deliveries []Delivery, hit int) []Delivery {
	deliveries[hit].Tag = noRequest
	if e.Tag != "" {
		deliveries[hit].Tag = e.Tag
	}
	return deliveries
}
