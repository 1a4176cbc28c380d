package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing/synctest"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// span says which calls a fault meets, from the one that it is aimed at.
type span int

const (
	once     span = iota // that one
	repeated             // and its repetitions
	outage               // and all later ones to the same party
)

// mishap is a kind of fault.
type mishap struct {
	name string
	fits func(c call) bool
	span span
	// meddle makes what happens to a call.
	meddle func(s *strike) meddling
}

// inHand marks mishaps after which the caller goes on from the record of the error, and not from what was saved.
const inHand = ", the record in hand"

// strike is the mishaps in a run of an operation, or of a Resume.
type strike struct {
	world    *world
	process  *process
	instance string
	outcome  *outcome
	// cancel ends the caller's context.
	cancel context.CancelFunc
	// ahead is the mishap that comes next, and active one that goes on.
	ahead, active *trial
	// met counts the mishaps that happened; committed says that the operation had committed at the first.
	met       int
	committed bool
	// uncommitted is how many calls came before the operation committed, if there was no mishap.
	uncommitted int
	// beside is how a deletion ended that was begun beside the operation that is struck.
	beside chan error
}

// meddle says what happens to a call.
func (s *strike) meddle(index int, met call) meddling {
	switch a := s.active; {
	case s.ahead != nil && s.ahead.at == index:
		return s.begin(index, met)
	case s.ahead == nil && s.met == 0 && !s.hasCommitted():
		s.uncommitted = index + 1
	case a == nil:
	case a.mishap.span == repeated && met == a.call, a.mishap.span == outage && met.party == a.call.party:
		return a.mishap.meddle(s)
	case a.mishap.span != outage:
		s.active = nil
	}
	return meddling{}
}

func (s *strike) begin(index int, met call) meddling {
	if met != s.ahead.call {
		s.outcome.fault("call %d is %s, and was %s before: the operation cannot be repeated", index, met, s.ahead.call)
	}
	if s.met == 0 {
		s.committed = s.hasCommitted()
	}
	s.met++
	s.active, s.ahead = s.ahead, s.ahead.then
	return s.active.mishap.meddle(s)
}

// hasCommitted says whether the operation has come to the point of no return.
func (s *strike) hasCommitted() bool {
	operation := s.world.record(s.instance).Operation
	return operation != nil && operation.Committed
}

// end ends the mishaps.
func (s *strike) end() {
	if s.beside != nil {
		if err := <-s.beside; err != nil {
			s.outcome.fault("delete meanwhile: %v", err)
		}
	}
	s.world.fake.Faults().Clear("")
	if s.ahead != nil {
		s.outcome.fault("call %d was never made", s.ahead.at)
	}
	s.world.steady.listen()
}

func request(c call) bool  { return c.party == "placement" || c.party == "cyborg" }
func ofCyborg(c call) bool { return c.party == "cyborg" }
func ofPlace(c call) bool  { return c.party == "placement" }
func saving(c call) bool   { return c.party == "store" }
func ofGuest(c call) bool  { return c.party == "guest" }
func changing(c call) bool { return request(c) && !strings.HasPrefix(c.name, "GET") }
func binding(c call) bool  { return c.name == "bind" }
func claiming(c call) bool { return c.party == "placement" && c.name == "PUT /allocations" }
func anything(call) bool   { return true }
func unreachable() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
}
func broken() error  { return errors.New("broken on purpose") }
func aborted() error { return fmt.Errorf("%w: broken on purpose", lifecycle.ErrAbort) }
func failing() error { return io.ErrUnexpectedEOF }
func dropped() error { return io.EOF }

// mishaps are all kinds of faults.
func mishaps() []mishap {
	all := []mishap{
		{"500 of a proxy, done", changing, once, answered(http.StatusInternalServerError, "<html>", true)},
		{"502", request, repeated, answered(http.StatusBadGateway, "<html>", false)},
		{"502, done", changing, once, answered(http.StatusBadGateway, "<html>", true)},
		{"garbled", request, once, garbled},
		{"no connection", request, repeated, lost(unreachable, false)},
		{"dropped", request, repeated, lost(dropped, false)},
		{"reply lost", request, once, lost(failing, true)},
		{"every reply lost", request, repeated, lost(failing, true)},
		{"hangs", request, once, hangs(false)},
		{"hangs when done", request, once, hangs(true)},
		{"outage", request, outage, lost(unreachable, false)},
		{"hangs from now on", request, outage, hangs(false)},
		{"caller gives up", anything, once, givesUp(false)},
		{"caller gives up when done", anything, once, givesUp(true)},
		{"deleted meanwhile", anything, once, deleted},
		{"not saved", saving, once, acted(broken, false)},
		{"not saved" + inHand, saving, once, acted(broken, false)},
		{"saved with an error", saving, once, acted(broken, true)},
		{"never saved again", saving, outage, acted(broken, false)},
		{"never saved again" + inHand, saving, outage, acted(broken, false)},
		{"guest error", ofGuest, once, acted(broken, false)},
		{"guest error when done", ofGuest, once, acted(broken, true)},
		{"abort", ofGuest, once, acted(aborted, false)},
		{"guest outage", ofGuest, outage, acted(broken, false)},
		{"conflict", claiming, once, placementAnswer(http.StatusConflict, "placement.concurrent_update", "consumer generation conflict")},
		{"conflict for good", claiming, repeated, placementAnswer(http.StatusConflict, "placement.concurrent_update", "consumer generation conflict")},
		{"no room", claiming, once, placementAnswer(http.StatusConflict, "placement.undefined_code", "Unable to allocate inventory: Unable to create allocation")},
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusInternalServerError, http.StatusServiceUnavailable} {
		s := once
		if status == http.StatusServiceUnavailable {
			s = repeated
		}
		all = append(all,
			mishap{strconv.Itoa(status), ofCyborg, s, cyborgAnswer(fault.Status{Code: status})},
			mishap{strconv.Itoa(status), ofPlace, s, placementAnswer(status, "placement.undefined_code", "refused on purpose")})
	}
	all = append(all, mishap{
		"500, done", func(c call) bool { return ofCyborg(c) && changing(c) }, once,
		cyborgAnswer(fault.Status{Code: http.StatusInternalServerError, AfterEffect: true}),
	})
	return append(all, bindMishaps()...)
}

// bindMishaps are what can happen to a bind that Cyborg has taken.
func bindMishaps() []mishap {
	bind := func(f fault.Fault, nth int) []fault.Rule {
		// an ARQ that has to be programmed asks for the other point
		return []fault.Rule{{Operation: fault.Bind, Nth: nth, Fault: f}, {Operation: fault.Program, Nth: nth, Fault: f}}
	}
	event := func(f fault.Fault) []fault.Rule { return []fault.Rule{{Operation: fault.Event, Fault: f}} }
	late := fault.Late{After: 15 * time.Second}
	var all []mishap
	for name, rules := range map[string][]fault.Rule{
		"stuck":                   bind(fault.Stuck{}, 1),
		"bound late":              bind(late, 1),
		"fails late":              bind(fault.Fails{After: 15 * time.Second}, 1),
		"second fails late":       bind(fault.Fails{After: 15 * time.Second}, 2),
		"event lost":              event(fault.EventDrop{}),
		"event lost, bound late":  append(event(fault.EventDrop{}), bind(late, 1)...),
		"event doubled":           event(fault.EventDouble{}),
		"event delayed":           event(fault.EventDelay{For: 40 * time.Second}),
		"event early":             event(fault.EventEarly{When: fault.BeforeBind}),
		"event early, bound late": append(event(fault.EventEarly{}), bind(late, 1)...),
		"event early, fails":      append(event(fault.EventEarly{}), bind(fault.Fails{After: 15 * time.Second}, 1)...),
		"event of another":        event(fault.EventTag{}),
		"event refused":           event(fault.EventRefused{}),
		"event refused, 500":      event(fault.EventRefused{Code: http.StatusInternalServerError, Whole: true}),
	} {
		all = append(all, mishap{name, binding, once, func(s *strike) meddling {
			return meddling{before: func() { s.rules(rules...) }}
		}})
	}
	return all
}

// rules adds rules to the fake.
func (s *strike) rules(rules ...fault.Rule) {
	if err := s.world.fake.Faults().Add(rules...); err != nil {
		panic(err) // the rules are in this file
	}
}

// cyborgAnswer has the fake answer in its release's dialect.
func cyborgAnswer(status fault.Status) func(*strike) meddling {
	return func(s *strike) meddling {
		return meddling{before: func() { s.rules(fault.Rule{Operation: fault.Any, First: 1, Fault: status}) }}
	}
}

func placementAnswer(status int, code, detail string) func(*strike) meddling {
	body := fmt.Sprintf(`{"errors": [{"status": %d, "title": %q, "detail": %q, "code": %q, "request_id": "req-1"}]}`,
		status, http.StatusText(status), detail, code)
	return answered(status, body, false)
}

// answered takes the place of the answer.
func answered(status int, body string, done bool) func(*strike) meddling {
	kind := "application/json"
	if strings.HasPrefix(body, "<") {
		kind = "text/html"
	}
	return instead(done, func(r *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Request: r, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
		}, nil
	})
}

func lost(err func() error, done bool) func(*strike) meddling {
	return instead(done, func(*http.Request) (*http.Response, error) { return nil, err() })
}

func hangs(done bool) func(*strike) meddling {
	return instead(done, func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
}

// instead answers for the server, before or after the server did what was asked for.
func instead(done bool, answer func(*http.Request) (*http.Response, error)) func(*strike) meddling {
	return func(*strike) meddling {
		return meddling{request: func(r *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
			if done {
				if _, err := send(); err != nil {
					return nil, err
				}
			}
			return answer(r)
		}}
	}
}

// garbled loses the second half of the answer.
func garbled(*strike) meddling {
	return meddling{request: func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
		response, err := send()
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, err
		}
		if len(body) == 0 {
			return nil, failing()
		}
		response.Body = io.NopCloser(strings.NewReader(string(body[:len(body)/2])))
		response.ContentLength = -1
		response.Header.Del("Content-Length")
		return response, nil
	}}
}

// givesUp has the caller cancel.
func givesUp(done bool) func(*strike) meddling {
	return func(s *strike) meddling {
		if !done {
			return meddling{before: s.cancel}
		}
		return meddling{
			request: func(_ *http.Request, send func() (*http.Response, error)) (*http.Response, error) {
				defer s.cancel()
				return send()
			},
			act: func(do func() error) error {
				defer s.cancel()
				return do()
			},
		}
	}
}

// deleted has the instance deleted while the operation runs.
func deleted(s *strike) meddling {
	return meddling{before: func() {
		record := s.world.record(s.instance)
		if record.Version == 0 {
			record = lifecycle.Record{Version: lifecycle.RecordVersion, State: lifecycle.StateNone}
			record.Consumer.UUID = s.instance
		}
		s.beside = make(chan error, 1)
		remove := s.process.Delete
		if slices.Contains(s.world.hypervisor.failed(), record.Now.Host) {
			remove = s.process.DeleteLocal
		}
		go func() { s.beside <- remove(s.world.t.Context(), record) }()
		synctest.Wait()
	}}
}

// acted fails a saving or a call of the hypervisor.
func acted(err func() error, done bool) func(*strike) meddling {
	return func(*strike) meddling {
		return meddling{act: func(do func() error) error {
			if done {
				if err := do(); err != nil {
					return err
				}
			}
			return err()
		}}
	}
}
