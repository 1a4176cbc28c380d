package virtdriver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"

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
// the root, below /v2.1 and below /v2.1/{project}. Without [WithTokens] and
// [WithTokenCheck] it checks no token: put it behind a handler that does, or on a
// loopback address. The documents of the versions, which Cyborg reads before it sends
// its first event, are there for everybody, as Nova's are.
//
// An event nobody waits for is dropped, as is one that is not the first of its
// kind and one that is still in progress. Dropped events are answered with 200
// like the others. A Receiver is safe for concurrent use.
type Receiver struct {
	dispatcher

	routes    http.Handler
	instances func(uuid string) InstanceState
	tokens    [][sha256.Size]byte // hashes
	check     func(ctx context.Context, token string) (bool, error)
	spec      bool
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

// WithTokens makes the receiver refuse requests whose X-Auth-Token is none of
// the tokens: 401 in Keystone's form, whatever the path. Only hashes of the
// tokens are kept, and the time of the comparison tells nothing about them.
func WithTokens(tokens ...string) ReceiverOption {
	return func(r *Receiver) error {
		if len(tokens) == 0 || slices.Contains(tokens, "") {
			return errors.New("new event receiver: WithTokens needs tokens that are not empty")
		}
		for _, token := range tokens {
			r.tokens = append(r.tokens, sha256.Sum256([]byte(token)))
		}
		return nil
	}
}

// WithTokenCheck makes the receiver ask about every X-Auth-Token that is none of
// [WithTokens]: a Cyborg that logs in at a Keystone has tokens that nobody knows
// before. The function, which several goroutines call at once, asks Keystone whose
// the token is, and says whether that one may send events; in Nova it is whoever
// has the role admin or service. false is answered with 401, an error with 503. A request
// without token is refused unasked.
func WithTokenCheck(check func(ctx context.Context, token string) (bool, error)) ReceiverOption {
	return func(r *Receiver) error {
		if check == nil {
			return errors.New("new event receiver: WithTokenCheck needs a function")
		}
		r.check = check
		return nil
	}
}

// WithSpecEvents makes the receiver's HTTP side take the events of Nova's specs
// as well: [EventResolved] with the states [StatusOK] and [StatusFailed], and
// [EventsBound]. They need no microversion, but a tag. Without the option they
// are refused with 400, as by every Nova; [Receiver.Deliver] knows them in any
// case.
func WithSpecEvents() ReceiverOption {
	return func(r *Receiver) error {
		r.spec = true
		return nil
	}
}

// NewReceiver makes a [Receiver].
func NewReceiver(opts ...ReceiverOption) (*Receiver, error) {
	r := &Receiver{instances: func(string) InstanceState { return InstanceOnHost }}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("new event receiver: option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(r); err != nil {
			return nil, err
		}
	}
	const path = "/os-server-external-events"
	routes := chi.NewRouter()
	routes.Use(r.authenticate, r.refuseWhenClosed)
	for _, prefix := range []string{"", "/v2.1", "/v2.1/{project}"} {
		routes.Post(prefix+path, r.post)
	}
	for _, root := range versionRoots {
		routes.Get(root, serveVersion)
	}
	routes.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		writeFault(w, &fault{http.StatusNotFound, "The resource could not be found."})
	})
	routes.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) {
		writeFault(w, &fault{http.StatusMethodNotAllowed, "The method is not allowed for this resource, use POST."})
	})
	r.routes = routes
	return r, nil
}

// ServeHTTP answers like Nova: 200 when every event is accepted, 207 when any
// is not, each event with its own code (200 accepted, 400 without a tag that
// its name needs, 404 for an unknown server, 422 for a server without host) and
// its status: failed, or completed for every accepted one, whatever it reports.
// A body that does not fit the schema of the request's microversion gets 400
// and delivers nothing; [EventBound] needs compute 2.82.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.routes.ServeHTTP(w, req)
}

// Deliver hands an event to the waits that are open for its instance, name and
// tag, without asking for the instance's state, and reports whether there was
// one. An event of the plural form goes to all waits of its instance. It serves
// callers that get events by other ways than HTTP.
func (r *Receiver) Deliver(e Event) bool {
	e = e.normal()
	if e.Status == StatusInProgress {
		return false
	}
	return r.deliver(e)
}

// Waiting tells for how many ARQs events are being waited for at this moment; it
// is 0 when no wait is open.
func (r *Receiver) Waiting() int { return r.entries() }

// Close ends every open wait with [ErrReceiverClosed], as Nova does when its
// service stops (nova/compute/manager.py, InstanceEvents.cancel_all_events).
// Waits that begin later end at once, requests get 503. Closing twice is no
// error, the result is always nil.
func (r *Receiver) Close() error {
	r.close()
	return nil
}

// authenticate stands for keystonemiddleware, which Nova has before its routes.
func (r *Receiver) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		allowed, err := r.mayCall(req)
		switch {
		case err != nil:
			writeFault(w, &fault{http.StatusServiceUnavailable, "The token cannot be validated at the moment."})
			return
		case allowed:
			next.ServeHTTP(w, req)
			return
		}
		w.Header().Set("WWW-Authenticate", "Keystone")
		writeJSON(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{
			"code": http.StatusUnauthorized, "title": "Unauthorized",
			"message": "The request you have made requires authentication.",
		}})
	})
}

// mayCall asks about a token only if it is not known.
func (r *Receiver) mayCall(req *http.Request) (bool, error) {
	token := req.Header.Get("X-Auth-Token")
	switch {
	case asksForVersion(req), len(r.tokens) == 0 && r.check == nil, r.knows(token):
		return true, nil
	case token == "" || r.check == nil:
		return false, nil
	}
	return r.check(req.Context(), token)
}

// knows compares with every token, so that its time does not tell which one came
// close.
func (r *Receiver) knows(token string) bool {
	given, same := sha256.Sum256([]byte(token)), 0
	for i := range r.tokens {
		same |= subtle.ConstantTimeCompare(given[:], r.tokens[i][:])
	}
	return same == 1
}

func (r *Receiver) refuseWhenClosed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.isClosed() {
			writeFault(w, &fault{http.StatusServiceUnavailable, "The service is shutting down."})
			return
		}
		next.ServeHTTP(w, req)
	})
}

func (r *Receiver) post(w http.ResponseWriter, req *http.Request) {
	minor, bad := microversion(req.Header, w.Header())
	if bad != nil {
		writeFault(w, bad)
		return
	}
	events, bad := readEvents(w, req, schemaOf(minor, r.spec))
	if bad != nil {
		writeFault(w, bad)
		return
	}
	status := http.StatusOK
	for i := range events {
		event := events[i].event()
		events[i].Code, events[i].Status = r.judge(events[i]), StatusCompleted
		if events[i].Code != http.StatusOK {
			events[i].Status = StatusFailed
			status = http.StatusMultiStatus
			continue
		}
		r.Deliver(event)
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
	case slices.Contains(needTag, e.Name) && e.Tag == nil:
		return http.StatusBadRequest
	case state == InstanceWithoutHost:
		return http.StatusUnprocessableEntity
	default:
		return http.StatusOK
	}
}

// needTag are the events that are of no use without a tag.
var needTag = []string{EventBound, EventResolved, EventsBound}
