package virtdriver

import (
	"cmp"
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
	arqs     map[string]cyborgclient.ARQ // by lower-case uuid, of the last poll that succeeded
	events   map[string]string           // status of the last event, by lower-case uuid
	polls    int
	failures int
	lastErr  error
}

func newWatch(want Expectation) *watch {
	return &watch{want: want, started: time.Now(), events: make(map[string]string)}
}

// poll looks at Cyborg once and says what all ARQs together come to: failed if
// any is, bound if all are. A look that fails changes nothing.
func (w *watch) poll(ctx context.Context, lister ARQLister) verdict {
	if len(w.want.ARQs) == 0 {
		return bound
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	w.polls++
	arqs, err := lister.ARQsByInstance(ctx, w.want.Instance)
	if err != nil {
		w.failures++
		w.lastErr = err
		return pending
	}
	w.arqs = make(map[string]cyborgclient.ARQ, len(arqs))
	for _, arq := range arqs {
		w.arqs[strings.ToLower(arq.UUID)] = arq
	}
	return w.together()
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
	arq, ok := w.arqs[strings.ToLower(uuid)]
	if !ok {
		return pending, "is not among the ARQs of the instance"
	}
	return w.want.judge(arq)
}

// note keeps the status of an event and of those that came with it, so that
// events of one bind cost one poll.
func (w *watch) note(e Event, inbox <-chan Event) {
	for {
		w.events[strings.ToLower(e.Tag)] = cmp.Or(e.Status, StatusCompleted)
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
		arq, seen := w.arqs[strings.ToLower(uuid)]
		_, reason := w.judge(uuid)
		e.ARQs = append(e.ARQs, ARQVerdict{
			UUID: uuid, Seen: seen, State: arq.State, Hostname: arq.Hostname,
			Event: w.events[strings.ToLower(uuid)], Reason: reason,
		})
	}
	return e
}
