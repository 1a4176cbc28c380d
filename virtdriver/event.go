package virtdriver

import "cmp"

// EventBound is the name of the event that Cyborg sends to Nova for each
// accelerator request once its binding is decided
// (nova/objects/external_event.py, EVENT_NAMES).
const EventBound = "accelerator-request-bound"

// The names that the two specs of Nova have for the same event; no Nova takes
// them, a Cyborg of Train sends the plural one. See [WithSpecEvents].
const (
	// EventResolved is the event of the Train spec: one per ARQ, with its uuid as
	// tag and the states [StatusOK] and [StatusFailed].
	EventResolved = "arq_resolved"
	// EventsBound is the event of the Ussuri spec: one per device profile of an
	// instance, with the profile's name as tag.
	EventsBound = "accelerator-requests-bound"
)

// The states an event can report. Cyborg sends StatusCompleted for Bound and
// StatusFailed for BindFailed and Deleting
// (cyborg/objects/extarq/ext_arq_job.py).
const (
	StatusCompleted  = "completed"
	StatusFailed     = "failed"
	StatusInProgress = "in-progress"
	// StatusOK is StatusCompleted in the words of the Train spec.
	StatusOK = "ok"
)

// Event is one entry of the body of POST os-server-external-events
// (nova/objects/external_event.py, InstanceExternalEvent).
type Event struct {
	// Name is the kind of event: [EventBound] for accelerators, or one of the
	// spec's names.
	Name string `json:"name"`
	// ServerUUID is the instance.
	ServerUUID string `json:"server_uuid"`
	// Tag tells events of one name and instance apart; for [EventBound] it is
	// the uuid of the accelerator request.
	Tag string `json:"tag,omitempty"`
	// Status is one of the Status constants; empty means [StatusCompleted].
	Status string `json:"status,omitempty"`
}

// normal puts the spec's words into those of Nova.
func (e Event) normal() Event {
	if e.Name == EventResolved {
		e.Name = EventBound
	}
	e.Status = cmp.Or(e.Status, StatusCompleted)
	if e.Status == StatusOK {
		e.Status = StatusCompleted
	}
	return e
}

// key is where waits for the event are found. An event of the plural form is
// for all waits of its instance, since a profile does not say which ARQs it
// stands for.
func (e Event) key() eventKey {
	if e.Name == EventsBound {
		return pluralKey(e.ServerUUID)
	}
	return keyOf(e.ServerUUID, e.Name, e.Tag)
}
