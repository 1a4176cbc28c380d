package fakecyborg

import (
	"context"
	"errors"
	"fmt"
)

// Event tells Nova that the binding of accelerator requests is resolved. Its
// JSON form is one element of the body of POST /os-server-external-events.
// It mirrors nova/objects/external_event.py:InstanceExternalEvent.
type Event struct {
	// Name is "accelerator-request-bound", or as [EventForm] says.
	Name string `json:"name"`
	// ServerUUID is the instance.
	ServerUUID string `json:"server_uuid"`
	// Tag is the UUID of the accelerator request, or as [EventForm] says.
	Tag string `json:"tag"`
	// Status is "completed" or "failed"; [EventsOfSpec] has "ok" for the first.
	Status string `json:"status"`
}

// WithEventForm sends events in that form, whatever the release does.
func WithEventForm(form EventForm) Option {
	return func(c *config) error {
		if form < EventsPerProfile || form > EventsOfSpec {
			return fmt.Errorf("with event form: %d is none", form)
		}
		c.eventForm = &form
		return nil
	}
}

// errUnresolved is why nobody is told of a bind.
var errUnresolved = errors.New("a request is not resolved, nobody is told")

// announce tells Nova about the requests of one PATCH, if all are resolved.
// It mirrors cyborg/objects/extarq/ext_arq_job.py:ExtARQJobMixin.check_bindings_result.
func (s *Server) announce(ctx context.Context, course *bindCourse, bound []*arq) error {
	if err := s.keeper.keep(); err != nil {
		return err
	}
	events, err := s.store.events(s.notifier.form, bound)
	if err != nil {
		return err
	}
	return s.notifier.send(ctx, course.notice(events, bound))
}

// events are those that are due for requests of one instance, the first one's.
func (s *store) events(form EventForm, bound []*arq) ([]Event, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	instance := ""
	if first := bound[0].instance; first != nil {
		instance = *first
	}
	failed := false
	events := make([]Event, 0, len(bound))
	for _, a := range bound {
		if !a.state.resolved() {
			return nil, errUnresolved
		}
		failed = failed || a.state == stateBindFailed
		events = append(events, form.event(instance, a))
	}
	if form != EventsPerProfile {
		return events, nil
	}
	whole := Event{Name: "accelerator-requests-bound", ServerUUID: instance, Tag: bound[0].profile.name, Status: "completed"}
	if failed {
		whole.Status = "failed"
	}
	return []Event{whole}, nil
}

// event is that of one request.
func (f EventForm) event(instance string, a *arq) Event {
	event := Event{Name: "accelerator-request-bound", ServerUUID: instance, Tag: a.uuid, Status: "completed"}
	if f == EventsOfSpec {
		event.Name, event.Status = "arq_resolved", "ok"
	}
	if a.state == stateBindFailed {
		event.Status = "failed"
	}
	return event
}
