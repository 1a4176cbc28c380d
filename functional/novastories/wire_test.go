package novastories_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// wire stands between Nova and the Cyborgs, in both directions, and writes down what passes. Nova asks with the token of its
// user, and each telling of a story has a token of its own: by that a request is given to the Cyborg of its telling. An event,
// and what an admin does, belongs to the telling that the server was made in.
type wire struct {
	transport http.RoundTripper
	nova      *url.URL // where events go
	fallback  *url.URL // the Cyborg for requests of nobody

	mu         sync.Mutex
	byToken    map[string]*telling
	byInstance map[string]*telling
}

// The sides of an exchange.
const (
	asks  = "Nova asks"
	tells = "Cyborg tells"
)

// exchange is one request with its answer.
type exchange struct {
	step, side     string
	method, target string
	sent, got      http.Header
	question       []byte
	answer         []byte
	status         int
}

// cut is a fault of the wire: requests of that method get the status. What is late got through before.
type cut struct {
	method string
	status int
	late   bool
}

// eventFault is what becomes of the events of a telling.
type eventFault int

const (
	eventsPass    eventFault = iota
	eventsLost               // the Cyborg is told that all is well, Nova is told nothing
	eventsUnknown            // as if Nova did not know the server
	eventsBroken             // Nova fails
	eventsAwaited            // Nova gets them once the server has a host, however slow it is
)

func newWire(transport http.RoundTripper, nova, fallback *url.URL) *wire {
	return &wire{
		transport: transport, nova: nova, fallback: fallback,
		byToken: make(map[string]*telling), byInstance: make(map[string]*telling),
	}
}

// follow has the wire know a telling by its token.
func (w *wire) follow(l *telling, token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byToken[token] = l
}

// cyborg is what Nova takes for Cyborg.
func (w *wire) cyborg() http.Handler { return proxy(w.tripToCyborg) }

// compute is what the Cyborgs take for Nova.
func (w *wire) compute() http.Handler { return proxy(w.tripToNova) }

type trip func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t trip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// proxy leaves Host as it came, so that links lead to where the request went.
func proxy(t trip) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite:   func(p *httputil.ProxyRequest) { p.Out.Host = p.In.Host },
		Transport: t,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, err error) {
			http.Error(rw, err.Error(), http.StatusBadGateway)
		},
	}
}

func (w *wire) tripToCyborg(r *http.Request) (*http.Response, error) {
	question, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	l := w.teller(r, question)
	if l == nil {
		return w.pass(r, w.fallback)
	}
	e := begin(asks, r, question)
	hit, ok := l.story.cutOf(r.Method)
	if ok && !hit.late {
		return l.end(e, made(r, hit.status, `{"error_message": "cut"}`), nil)
	}
	r.Header.Set("X-Fake-Scope", l.profile) // of the fake's rules; the real one does not look
	response, err := w.pass(r, l.peer.url)
	if ok && err == nil {
		if err := response.Body.Close(); err != nil {
			return nil, err
		}
		response = made(r, hit.status, `{"error_message": "cut"}`)
	}
	return l.end(e, response, err)
}

// teller finds the telling of Nova's request, and learns which instance is its.
func (w *wire) teller(r *http.Request, question []byte) *telling {
	w.mu.Lock()
	defer w.mu.Unlock()
	instances := instancesOf(r, question)
	l := w.byToken[r.Header.Get("X-Auth-Token")]
	for _, instance := range instances {
		if l == nil { // what an admin does to another's server
			return w.byInstance[instance]
		}
		w.byInstance[instance] = l
	}
	return l
}

// instancesOf are the instances that a request to Cyborg names.
func instancesOf(r *http.Request, question []byte) []string {
	found := r.URL.Query()["instance"]
	var patch map[string][]struct {
		Path, Value string
	}
	if json.Unmarshal(question, &patch) != nil {
		return found
	}
	for _, operations := range patch {
		for _, o := range operations {
			if o.Path == "/instance_uuid" {
				found = append(found, o.Value)
			}
		}
	}
	return found
}

// wireEvents are the events of one call to Nova.
type wireEvents struct {
	Events []map[string]any `json:"events"`
}

func (w *wire) tripToNova(r *http.Request) (*http.Response, error) {
	question, err := drain(&r.Body)
	if err != nil {
		return nil, err
	}
	var events wireEvents
	if json.Unmarshal(question, &events) != nil || len(events.Events) == 0 {
		return w.pass(r, w.nova) // the version document, which a client may ask for or have kept
	}
	instance, _ := events.Events[0]["server_uuid"].(string)
	w.mu.Lock()
	l := w.byInstance[instance]
	w.mu.Unlock()
	if l == nil {
		return w.pass(r, w.nova)
	}
	e := begin(tells, r, question)
	var response *http.Response
	switch l.story.events {
	case eventsPass:
		response, err = w.pass(r, w.nova)
	case eventsAwaited:
		response, err = w.passOnceTaken(r, question)
	default:
		response, err = l.story.events.answer(r, events)
	}
	return l.end(e, response, err)
}

// passOnceTaken repeats a call to Nova while that refuses a part of it.
func (w *wire) passOnceTaken(r *http.Request, question []byte) (*http.Response, error) {
	for end := time.Now().Add(holdTime); ; time.Sleep(500 * time.Millisecond) {
		r.Body = io.NopCloser(bytes.NewReader(question))
		response, err := w.pass(r, w.nova)
		if err != nil || response.StatusCode != http.StatusMultiStatus || time.Now().After(end) {
			return response, err
		}
		if err := response.Body.Close(); err != nil {
			return nil, err
		}
	}
}

// holdTime is how long an event is held back at most.
const holdTime = 30 * time.Second

// answer is what the Cyborg gets in Nova's place.
func (f eventFault) answer(r *http.Request, events wireEvents) (*http.Response, error) {
	status, code, word := http.StatusOK, http.StatusOK, "completed"
	switch f {
	case eventsBroken:
		return made(r, http.StatusInternalServerError, `{"computeFault": {"code": 500, "message": "cut"}}`), nil
	case eventsUnknown:
		status, code, word = http.StatusMultiStatus, http.StatusNotFound, "failed"
	case eventsPass, eventsLost, eventsAwaited:
	}
	for _, event := range events.Events {
		event["code"], event["status"] = code, word
	}
	text, err := json.Marshal(events)
	return made(r, status, string(text)), err
}

// pass hands a request on.
func (w *wire) pass(r *http.Request, to *url.URL) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	return w.transport.RoundTrip(r)
}

// drain reads a body and puts it back.
func drain(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	text, err := io.ReadAll(*body)
	err = errors.Join(err, (*body).Close())
	*body = io.NopCloser(bytes.NewReader(text))
	return text, err
}

// made is an answer of the wire itself.
func made(r *http.Request, status int, text string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(text)),
		Body: io.NopCloser(bytes.NewReader([]byte(text))),
	}
}
