package fakecyborg

// Event tells Nova that the binding of one accelerator request is resolved. Its
// JSON form is one element of the body of POST /os-server-external-events.
// It mirrors nova/objects/external_event.py:InstanceExternalEvent.
type Event struct {
	// Name is "accelerator-request-bound".
	Name string `json:"name"`
	// ServerUUID is the instance.
	ServerUUID string `json:"server_uuid"`
	// Tag is the UUID of the accelerator request.
	Tag string `json:"tag"`
	// Status is "completed" or "failed".
	Status string `json:"status"`
}
