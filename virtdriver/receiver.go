package virtdriver

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"
)

// InstanceState is what Nova knows about the server that an event is for; it
// decides the event's code.
type InstanceState int

// The states of an instance.
const (
	// InstanceUnknown is a server that does not exist: code 404.
	InstanceUnknown InstanceState = iota
	// InstanceWithoutHost is a server that has no host yet: code 422. Nova
	// answers this to events of instant binds, which are sent before the
	// instance is claimed by its host.
	InstanceWithoutHost
	// InstanceOnHost is a server whose host can take events: code 200.
	InstanceOnHost
)

// Receiver takes the events that Cyborg sends to Nova and hands them to the
// waits that are open for them. It is an [http.Handler] with the answers of
// Nova's POST os-server-external-events
// (nova/api/openstack/compute/server_external_events.py), which it serves at
// the root, below /v2.1 and below /v2.1/{project}. It checks no token: put it
// behind a handler that does, or on a loopback address.
//
// An event nobody waits for is dropped, as is one that is not the first of its
// kind and one that is still in progress. Dropped events are answered with 200
// like the others. A Receiver is safe for concurrent use.
type Receiver struct {
	dispatcher

	routes    http.Handler
	instances func(uuid string) InstanceState
}

// ReceiverOption changes a [Receiver] under construction.
type ReceiverOption func(*Receiver) error

// WithInstances makes the receiver ask for the state of each event's server.
// Without it every server is [InstanceOnHost]. The function is called with the
// uuid as the sender wrote it, from several goroutines at once.
func WithInstances(state func(uuid string) InstanceState) ReceiverOption {
	return func(r *Receiver) error {
		if state == nil {
			return errors.New("new event receiver: WithInstances needs a function")
		}
		r.instances = state
		return nil
	}
}

// NewReceiver makes a [Receiver].
func NewReceiver(opts ...ReceiverOption) (*Receiver, error) {
	r := &Receiver{instances: func(string) InstanceState { return InstanceOnHost }}
	for _, opt := range opts {
		if err := opt(r); err != nil {
			return nil, err
		}
	}
	const path = "/os-server-external-events"
	routes := chi.NewRouter()
	for _, prefix := range []string{"", "/v2.1", "/v2.1/{project}"} {
		routes.Post(prefix+path, r.post)
	}
	routes.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		writeFault(w, http.StatusNotFound, "The resource could not be found.")
	})
	routes.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) {
		writeFault(w, http.StatusMethodNotAllowed, "The method is not allowed for this resource, use POST.")
	})
	r.routes = routes
	return r, nil
}

// ServeHTTP answers like Nova: 200 when every event is accepted, 207 when any
// is not, each event with its own code (200 accepted, 400 without a tag that
// its name needs, 404 for an unknown server, 422 for a server without host).
// A body that does not fit the schema of the request's microversion gets 400
// and delivers nothing; [EventBound] needs compute 2.82.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.routes.ServeHTTP(w, req)
}

// Deliver hands an event to the waits that are open for its instance, name and
// tag, without asking for the instance's state, and reports whether there was
// one. It serves callers that get events by other ways than HTTP.
func (r *Receiver) Deliver(e Event) bool {
	if e.Status == StatusInProgress {
		return false
	}
	return r.deliver(e)
}

// Waiting tells how many events are being waited for at this moment; it is 0
// when no wait is open.
func (r *Receiver) Waiting() int { return r.entries() }

func (r *Receiver) post(w http.ResponseWriter, req *http.Request) {
	minor, err := microversion(req.Header)
	if err != nil {
		writeFault(w, err.status, err.message)
		return
	}
	setVersion(w.Header(), minor)
	events, err := readEvents(w, req, minor)
	if err != nil {
		writeFault(w, err.status, err.message)
		return
	}
	status := http.StatusOK
	for i := range events {
		events[i].Code = r.judge(events[i])
		if events[i].Code != http.StatusOK {
			events[i].Status = StatusFailed
			status = http.StatusMultiStatus
			continue
		}
		r.Deliver(events[i].event())
	}
	writeJSON(w, status, map[string]any{"events": events})
}

// judge follows Nova's order: an unknown server first, then the missing tag,
// then the missing host.
func (r *Receiver) judge(e wireEvent) int {
	state := r.instances(e.ServerUUID)
	switch {
	case state == InstanceUnknown:
		return http.StatusNotFound
	case e.Name == EventBound && e.Tag == nil:
		return http.StatusBadRequest
	case state == InstanceWithoutHost:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusOK
	}
}
