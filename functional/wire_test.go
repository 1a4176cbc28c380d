package functional_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
)

// call is one kind of request of the flow.
type call struct {
	name, method, path string
	// body must occur in the request, where method and path do not say enough.
	body string
}

var (
	readProfile   = call{name: "read profile", method: http.MethodGet, path: "/device_profiles"}
	askCandidates = call{name: "ask for candidates", method: http.MethodGet, path: "/allocation_candidates"}
	readHost      = call{name: "read the host's name", method: http.MethodGet, path: "/resource_providers"}
	putClaim      = call{name: "claim", method: http.MethodPut, path: "/allocations/"}
	postARQs      = call{name: "create ARQs", method: http.MethodPost, path: "/accelerator_requests"}
	patchBind     = call{name: "bind", method: http.MethodPatch, path: "/accelerator_requests", body: `"add"`}
	listARQs      = call{name: "list ARQs of the instance", method: http.MethodGet, path: "/accelerator_requests?instance="}
)

// failure is one way in which a call fails.
type failure struct {
	name string
	// effect says whether the server acts before the failure.
	effect bool
	// answer makes what the client sees instead of the server's answer.
	answer func(*http.Request) (*http.Response, error)
}

var (
	refused = failure{name: "refused", answer: func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}}
	internalError = failure{name: "500", answer: func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusInternalServerError, Request: r, ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   io.NopCloser(strings.NewReader(`{"error_message": "broken on purpose"}`)),
		}, nil
	}}
	hang = failure{name: "hang", answer: func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}}
	replyLost = failure{name: "reply lost", effect: true, answer: func(*http.Request) (*http.Response, error) {
		return nil, io.ErrUnexpectedEOF
	}}
)

// wire carries requests, and fails those that it was told to fail.
type wire struct {
	under http.RoundTripper

	mu      sync.Mutex
	call    call
	failure failure
	left    int
	hits    int
}

// cut fails the next n requests of that kind.
func (w *wire) cut(what call, how failure, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.call, w.failure, w.left = what, how, n
}

// failed is how many requests were failed.
func (w *wire) failed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.hits
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	how, hit, err := w.take(r)
	if err != nil || !hit {
		return w.pass(r, err)
	}
	if how.effect {
		response, err := w.under.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return nil, err
		}
		if err := response.Body.Close(); err != nil {
			return nil, err
		}
	}
	return how.answer(r)
}

func (w *wire) pass(r *http.Request, err error) (*http.Response, error) {
	if err != nil {
		return nil, err
	}
	return w.under.RoundTrip(r)
}

// take says whether the request is to fail, and counts it then.
func (w *wire) take(r *http.Request) (failure, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left == 0 || r.Method != w.call.method || !strings.Contains(r.URL.RequestURI(), w.call.path) {
		return failure{}, false, nil
	}
	if w.call.body != "" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return failure{}, false, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(w.call.body)) {
			return failure{}, false, nil
		}
	}
	w.left--
	w.hits++
	return w.failure, true, nil
}
