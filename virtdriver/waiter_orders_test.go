package virtdriver_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// step is one thing that happens during a wait. A play is an order of steps.
type step struct {
	what kind
	arq  int // of bind, fail, event and duplicate
}

type kind byte

const (
	doRegister  kind = 'R' // the wait begins: it registers and polls at once
	doPoll      kind = 'P' // the pause between two polls passes
	doTimeout   kind = 'T' // the deadline passes
	doCancel    kind = 'C' // the caller gives up
	doBind      kind = 'b' // Cyborg decides: Bound
	doFail      kind = 'f' // Cyborg decides: BindFailed
	doEvent     kind = 'e' // Cyborg's event for the ARQ comes, before or after it is decided
	doDuplicate kind = 'd' // the event comes again
)

func (s step) String() string {
	if s.arq < 0 {
		return string(s.what)
	}
	return fmt.Sprintf("%c%d", s.what, s.arq+1)
}

const pause, deadline = 10 * time.Minute, 15 * time.Minute // so that one pause fits in, and two do not

var playARQs = []string{arqA, arqB, "0f0f0f0f-0000-4000-8000-000000000000"}

// orders calls visit with every play for n ARQs: each ARQ may be decided once, its event may come once and, if
// duplicates is set, twice, all in any order around register, poll and the end. A play ends where the model has its
// verdict; plays that differ only in the ARQs' numbers count once.
func orders(n int, duplicates bool, visit func([]step)) {
	var extend func(play []step)
	extend = func(play []step) {
		if model(n, play).Verdict != "" {
			visit(play)
			return
		}
		had := func(what kind, arq int) bool {
			for _, s := range play {
				if s.what == what && s.arq == arq {
					return true
				}
			}
			return false
		}
		next := func(what kind, arq int) { extend(append(slices.Clip(play), step{what, arq})) }
		if had(doRegister, -1) {
			next(doTimeout, -1)
			next(doCancel, -1)
			if !had(doPoll, -1) {
				next(doPoll, -1)
			}
		} else {
			next(doRegister, -1)
			if !had(doCancel, -1) {
				next(doCancel, -1)
			}
		}
		for arq := range n {
			if !had(doBind, arq) && !had(doFail, arq) {
				next(doBind, arq)
				next(doFail, arq)
			}
			switch {
			case !had(doEvent, arq):
				next(doEvent, arq)
			case duplicates && !had(doDuplicate, arq):
				next(doDuplicate, arq)
			}
			if !had(doBind, arq) && !had(doFail, arq) && !had(doEvent, arq) {
				break // the next number is for the ARQ that comes next
			}
		}
	}
	extend(nil)
}

// result is what a wait came to, in words that a model can say as well.
type result struct {
	Verdict string // bound, failed, timed out, cancelled
	Polls   int
	States  string // of the ARQs as last seen, with their events
}

// model says what a right wait comes to. It knows the rules and nothing of the waiter: a poll happens at the start,
// after the first event of each ARQ, after a pause and shortly before the deadline; the first poll that sees a failure,
// or everything bound, ends the wait.
func model(n int, play []step) result {
	decided, seen, events := make([]kind, n), make([]kind, n), make([]kind, n)
	r, waiting, cancelled := result{}, false, false
	look := func() {
		r.Polls++
		copy(seen, decided)
		switch word := string(toBytes(seen)); {
		case strings.Contains(word, string(doFail)):
			r.Verdict = "failed"
		case strings.Count(word, string(doBind)) == n:
			r.Verdict = "bound"
		}
	}
	for _, s := range play {
		if r.Verdict != "" {
			break
		}
		switch s.what {
		case doBind, doFail:
			decided[s.arq] = s.what
		case doRegister:
			if waiting = true; cancelled {
				r.Verdict = "cancelled"
				break
			}
			look()
		case doPoll:
			look()
		case doEvent:
			if waiting {
				events[s.arq] = doEvent
				look()
			}
		case doDuplicate: // new to the wait only if the event came before it
			if waiting && events[s.arq] == 0 {
				events[s.arq] = doEvent
				look()
			}
		case doTimeout:
			if look(); r.Verdict == "" {
				r.Verdict = "timed out"
			}
		case doCancel:
			if cancelled = true; waiting {
				r.Verdict = "cancelled"
			}
		}
	}
	for i := range n {
		r.States += map[kind]string{0: "started", doBind: "bound", doFail: "failed"}[seen[i]]
		r.States += map[kind]string{0: " ", doEvent: "+event "}[events[i]]
	}
	if r.Polls == 0 {
		r.States = strings.ReplaceAll(r.States, "started", "unseen")
	}
	return r
}

func toBytes(kinds []kind) []byte {
	bytes := make([]byte, len(kinds))
	for i, k := range kinds {
		bytes[i] = byte(k)
	}
	return bytes
}

// waitFunc is a waiter under test; it must return when the context ends.
type waitFunc func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error)

// perform plays a play to a wait, in a bubble, and returns what the wait came to.
func perform(t *testing.T, n int, play []step, wait waitFunc) result {
	t.Helper()
	arqs := make([]cyborgclient.ARQ, n)
	for i := range arqs {
		arqs[i] = arq(playARQs[i], cyborgclient.StateBindStarted)
	}
	c, r := newCyborg(arqs...), newReceiver(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	interval := deadline * 2 // never, unless the play has a poll
	for _, s := range play {
		if s.what == doPoll {
			interval = pause
		}
	}
	var got []cyborgclient.ARQ
	var err error
	ended := make(chan struct{})
	var began time.Time
	for _, s := range play {
		switch s.what {
		case doRegister:
			began = time.Now()
			go func() {
				defer close(ended)
				got, err = wait(ctx, c, r, interval, want(playARQs[:n]...))
			}()
		case doPoll:
			time.Sleep(pause)
		case doTimeout:
			time.Sleep(deadline - time.Since(began))
		case doCancel:
			stop()
		case doBind, doFail:
			c.mu.Lock()
			c.arqs = append([]cyborgclient.ARQ(nil), c.arqs...)
			c.arqs[s.arq] = arq(playARQs[s.arq], map[kind]cyborgclient.ARQState{doBind: cyborgclient.StateBound, doFail: cyborgclient.StateBindFailed}[s.what])
			c.mu.Unlock()
		case doEvent, doDuplicate:
			r.Deliver(bound(playARQs[s.arq]))
		}
		synctest.Wait()
	}
	select {
	case <-ended:
	default:
		time.Sleep(2 * deadline) // a bubble ends only when its goroutines have
		return result{Verdict: "still waits"}
	}
	if left := r.Waiting(); left > 0 {
		return result{Verdict: fmt.Sprintf("%d waiters left", left)}
	}
	for _, uuid := range playARQs[:n] {
		if r.Deliver(bound(uuid)) {
			return result{Verdict: "a late event finds somebody"}
		}
	}
	return resultOf(c, got, err, n)
}

func resultOf(c *cyborg, got []cyborgclient.ARQ, err error, n int) result {
	r := result{Polls: len(c.polls)}
	var table *virtdriver.WaitError
	switch {
	case err == nil:
		r.Verdict = "bound"
		if len(got) != n {
			r.Verdict = fmt.Sprintf("bound, but %d ARQs", len(got))
		}
		return r
	case !errors.As(err, &table):
		r.Verdict = err.Error()
		return r
	case errors.Is(err, virtdriver.ErrNotBound):
		r.Verdict = "failed"
	case errors.Is(err, virtdriver.ErrWaitTimeout):
		r.Verdict = "timed out"
	case errors.Is(err, context.Canceled):
		r.Verdict = "cancelled"
	}
	for _, v := range table.ARQs {
		r.States += map[cyborgclient.ARQState]string{"": "unseen", cyborgclient.StateBindStarted: "started", cyborgclient.StateBound: "bound", cyborgclient.StateBindFailed: "failed"}[v.State]
		r.States += map[string]string{"": " ", virtdriver.StatusCompleted: "+event "}[v.Event]
	}
	return r
}

// disagreements performs every play and returns how many there were and the first ones that did not end as the model
// says.
func disagreements(t *testing.T, n int, duplicates bool, wait waitFunc) (count int, found []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		orders(n, duplicates, func(play []step) {
			count++
			if len(found) >= 3 {
				return
			}
			expected := model(n, play)
			if expected.Verdict == "bound" {
				expected.States = ""
			}
			if diff := cmp.Diff(expected, perform(t, n, play, wait)); diff != "" {
				found = append(found, fmt.Sprintf("%v:\n%s", play, diff))
			}
		})
	})
	return count, found
}

// orderlyResolved answers bind_state=resolved; only plain looks count.
type orderlyResolved struct{ *cyborg }

func (c orderlyResolved) ARQs(context.Context, cyborgclient.ARQFilter) ([]cyborgclient.ARQ, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, arq := range c.arqs {
		if !arq.State.Resolved() {
			return nil, &cyborgclient.Error{Op: "list", StatusCode: 423, Err: cyborgclient.ErrNotResolved}
		}
	}
	c.polls = append(c.polls, time.Since(c.start))
	return c.arqs, nil
}

func oursResolved(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
	w, err := virtdriver.NewWaiter(orderlyResolved{c}, virtdriver.WithResolvedPolls(),
		virtdriver.WithReceiver(r), virtdriver.WithPollInterval(interval), virtdriver.WithTimeout(deadline))
	if err != nil {
		return nil, err
	}
	return w.Wait(ctx, want)
}

func ours(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
	w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r), virtdriver.WithPollInterval(interval), virtdriver.WithTimeout(deadline))
	if err != nil {
		return nil, err
	}
	return w.Wait(ctx, want)
}

// TestWaitInEveryOrder: whatever the order in which ARQs are decided, events come, come twice or are lost, the wait
// begins, polls, is cancelled or runs out of time, it ends in the one right verdict, with as many polls as it should
// make and a table of what it saw, and leaves no waiter.
func TestWaitInEveryOrder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		how        string
		wait       waitFunc
		arqs       int
		duplicates bool
		atLeast    int
	}{
		{"plain polls", ours, 1, true, 100},
		{"plain polls", ours, 2, true, 1000},
		{"plain polls", ours, 3, false, 10000},
		{"resolved polls", oursResolved, 1, true, 100},
		{"resolved polls", oursResolved, 2, true, 1000},
	} {
		t.Run(fmt.Sprintf("%s of %d ARQs", test.how, test.arqs), func(t *testing.T) {
			t.Parallel()
			count, found := disagreements(t, test.arqs, test.duplicates, test.wait)
			for _, f := range found {
				t.Error(f)
			}
			assert.Greater(t, count, test.atLeast)
			t.Logf("%d orders", count)
		})
	}
}

// TestWrongWaitersAreFound: the plays and the model tell a right waiter from wrong ones, among them the faults of
// Nova's own wait.
func TestWrongWaitersAreFound(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]waitFunc{
		"takes no events": func(ctx context.Context, c *cyborg, _ *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			other, err := virtdriver.NewReceiver()
			if err != nil {
				return nil, err
			}
			return ours(ctx, c, other, interval, want)
		},
		"never polls again": func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, _ time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			return ours(ctx, c, r, 2*deadline, want)
		},
		"looks at no state, as Nova does for what is decided early": func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			arqs, err := ours(ctx, c, r, interval, want)
			if errors.Is(err, virtdriver.ErrNotBound) {
				return c.arqs, nil
			}
			return arqs, err
		},
		"forgets the last ARQ": func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			want.ARQs = want.ARQs[:len(want.ARQs)-1]
			return ours(ctx, c, r, interval, want)
		},
		"polls before it registers": func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			if _, err := c.ARQsByInstance(ctx, want.Instance); err != nil {
				return nil, err
			}
			return ours(ctx, c, r, interval, want)
		},
		"stays when it is cancelled": func(ctx context.Context, c *cyborg, r *virtdriver.Receiver, interval time.Duration, want virtdriver.Expectation) ([]cyborgclient.ARQ, error) {
			return ours(context.WithoutCancel(ctx), c, r, interval, want)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, found := disagreements(t, 2, false, wrong)
			assert.NotEmpty(t, found)
		})
	}
}
