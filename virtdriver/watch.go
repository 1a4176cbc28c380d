package virtdriver

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// watch is what one wait has seen so far. Only the goroutine of the wait uses
// it.
type watch struct {
	want     Expectation
	started  time.Time
	arqs     map[string]cyborgclient.ARQ // by lower-case uuid, of the last poll that told
	states   map[string]sighting         // of the state each ARQ is in, by lower-case uuid
	begun    map[string]bool             // ARQs that were being bound or bound, by lower-case uuid
	events   map[string]sighting         // last event, by lower-case uuid
	profiles map[string]sighting         // last event of the plural form, by profile
	polls    int
	failures int
	lastErr  error
}

// sighting is a word and how long after the start of the wait it was seen
// first.
type sighting struct {
	what  string
	after time.Duration
}

func newWatch(want Expectation) *watch {
	return &watch{
		want: want, started: time.Now(),
		states: make(map[string]sighting), begun: make(map[string]bool), events: make(map[string]sighting), profiles: make(map[string]sighting),
	}
}

// poll looks at Cyborg once and says what all ARQs together come to: failed if
// any is, bound if all are. A look that fails changes nothing.
func (w *watch) poll(ctx context.Context, list lister) verdict {
	if len(w.want.ARQs) == 0 {
		return bound
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	w.polls++
	arqs, err := list(ctx, w.want.Instance)
	switch {
	case errors.Is(err, cyborgclient.ErrNotResolved):
		return pending
	case err != nil:
		w.failures++
		w.lastErr = err
		return pending
	}
	w.arqs = make(map[string]cyborgclient.ARQ, len(arqs))
	for _, arq := range arqs {
		uuid := strings.ToLower(arq.UUID)
		w.arqs[uuid] = arq
		if state := string(arq.State); w.states[uuid].what != state {
			w.states[uuid] = w.sight(state)
		}
		if arq.State == cyborgclient.StateBindStarted || arq.State == cyborgclient.StateBound {
			w.begun[uuid] = true
		}
	}
	return w.together()
}

func (w *watch) sight(what string) sighting {
	return sighting{what, time.Since(w.started).Round(time.Millisecond)}
}

func (w *watch) together() verdict {
	all := bound
	for _, uuid := range w.want.ARQs {
		switch v, _ := w.judge(uuid); v {
		case failed:
			return failed
		case pending:
			all = pending
		case bound:
		}
	}
	return all
}

func (w *watch) judge(uuid string) (verdict, string) {
	id := strings.ToLower(uuid)
	arq, ok := w.arqs[id]
	_, seen := w.states[id]
	switch {
	case w.arqs == nil:
		return pending, "was not seen, since no poll succeeded"
	case !ok && seen:
		return failed, "is not among the ARQs of the instance any more"
	case w.begun[id] && arq.State != cyborgclient.StateBindStarted && !arq.State.Resolved():
		return failed, "is not being bound any more"
	case !ok:
		return pending, "is not among the ARQs of the instance"
	}
	return w.want.judge(arq)
}

// note keeps an event and those that came with it, so that events of one bind
// cost one poll.
func (w *watch) note(e Event, inbox <-chan Event) {
	for {
		if e.Name == EventsBound {
			w.profiles[e.Tag] = w.sight(e.Status)
		} else {
			w.events[strings.ToLower(e.Tag)] = w.sight(e.Status)
		}
		select {
		case e = <-inbox:
		default:
			return
		}
	}
}

func (w *watch) bound() []cyborgclient.ARQ {
	arqs := make([]cyborgclient.ARQ, len(w.want.ARQs))
	for i, uuid := range w.want.ARQs {
		arqs[i] = w.arqs[strings.ToLower(uuid)]
	}
	return arqs
}

func (w *watch) failure(cause error) *WaitError {
	e := &WaitError{
		Instance: w.want.Instance,
		TimedOut: errors.Is(cause, ErrWaitTimeout),
		Waited:   time.Since(w.started).Round(time.Millisecond),
		Polls:    w.polls, FailedPolls: w.failures, LastPollError: w.lastErr,
		Err: cause,
	}
	for _, uuid := range w.want.ARQs {
		e.ARQs = append(e.ARQs, w.verdict(uuid))
	}
	return e
}

func (w *watch) verdict(uuid string) ARQVerdict {
	id := strings.ToLower(uuid)
	arq, seen := w.arqs[id]
	_, reason := w.judge(uuid)
	event := w.events[id]
	if event.what == "" {
		event = w.profiles[arq.DeviceProfileName]
	}
	v := ARQVerdict{
		UUID: uuid, Seen: seen, State: arq.State, Hostname: arq.Hostname,
		Event: event.what, EventAfter: event.after, Reason: reason,
	}
	if seen {
		v.StateAfter = w.states[id].after
	}
	return v
}
