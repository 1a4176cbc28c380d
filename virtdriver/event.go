package virtdriver

// EventBound is the name of the event that Cyborg sends to Nova for each
// accelerator request once its binding is decided
// (nova/objects/external_event.py, EVENT_NAMES).
const EventBound = "accelerator-request-bound"

// The states an event can report. Cyborg sends StatusCompleted for Bound and
// StatusFailed for BindFailed and Deleting
// (cyborg/objects/extarq/ext_arq_job.py).
const (
	StatusCompleted  = "completed"
	StatusFailed     = "failed"
	StatusInProgress = "in-progress"
)

// Event is one entry of the body of POST os-server-external-events
// (nova/objects/external_event.py, InstanceExternalEvent).
type Event struct {
	// Name is the kind of event, [EventBound] for accelerators.
	Name string `json:"name"`
	// ServerUUID is the instance.
	ServerUUID string `json:"server_uuid"`
	// Tag tells events of one name and instance apart; for [EventBound] it is
	// the uuid of the accelerator request.
	Tag string `json:"tag,omitempty"`
	// Status is one of the Status constants; empty means [StatusCompleted].
	Status string `json:"status,omitempty"`
}
