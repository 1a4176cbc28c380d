package virtdriver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const node = "cn1.example.org"

func arq(uuid string, state cyborgclient.ARQState) cyborgclient.ARQ {
	a := cyborgclient.ARQ{UUID: uuid, State: state, InstanceUUID: server, Hostname: node}
	if state == cyborgclient.StateBound {
		a.AttachHandle = pciARQ(uuid, "0000:3b:00.0").AttachHandle
	}
	return a
}

// cyborg is the state of an instance's ARQs over time.
type cyborg struct {
	mu    sync.Mutex
	arqs  []cyborgclient.ARQ
	err   error
	polls []time.Duration
	start time.Time
	hangs time.Duration // calls until then get no answer
}

func newCyborg(arqs ...cyborgclient.ARQ) *cyborg { return &cyborg{arqs: arqs, start: time.Now()} }

func (c *cyborg) ARQsByInstance(ctx context.Context, _ string) ([]cyborgclient.ARQ, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.polls = append(c.polls, time.Since(c.start))
	if time.Since(c.start) < c.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return c.arqs, c.err
}

// after changes the state at a time from now.
func (c *cyborg) after(d time.Duration, change func()) {
	time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		change()
	})
}

func (c *cyborg) set(arqs ...cyborgclient.ARQ) func() { return func() { c.arqs, c.err = arqs, nil } }

func bound(tag string) virtdriver.Event {
	return virtdriver.Event{Name: virtdriver.EventBound, ServerUUID: server, Tag: tag, Status: virtdriver.StatusCompleted}
}

func want(arqs ...string) virtdriver.Expectation {
	return virtdriver.Expectation{Instance: server, Hostname: node, ARQs: arqs}
}

// outcome is what one wait did.
type outcome struct {
	arqs []cyborgclient.ARQ
	err  error
	took time.Duration
}

func wait(t *testing.T, ctx context.Context, c *cyborg, r *virtdriver.Receiver, e virtdriver.Expectation, opts ...virtdriver.WaiterOption) outcome { //nolint:revive // t first, as in helpers
	t.Helper()
	opts = append([]virtdriver.WaiterOption{virtdriver.WithPollInterval(10 * time.Second)}, opts...)
	if r != nil {
		opts = append(opts, virtdriver.WithReceiver(r))
	}
	w, err := virtdriver.NewWaiter(c, opts...)
	require.NoError(t, err)
	start := time.Now()
	arqs, err := w.Wait(ctx, e)
	if r != nil {
		assert.Zero(t, r.Waiting(), "registrations are removed on every exit")
	}
	return outcome{arqs, err, time.Since(start)}
}

// TestWaitForBoundARQs plays the orders of events that occur.
func TestWaitForBoundARQs(t *testing.T) {
	t.Parallel()
	started, done := arq(arqA, cyborgclient.StateBindStarted), arq(arqA, cyborgclient.StateBound)
	for _, test := range []struct {
		name  string
		play  func(c *cyborg, r *virtdriver.Receiver)
		took  time.Duration
		polls int
	}{
		{"bound before the wait, event lost", func(c *cyborg, _ *virtdriver.Receiver) { c.set(done)() }, 0, 1},
		{"early event", func(c *cyborg, r *virtdriver.Receiver) { r.Deliver(bound(arqA)); c.set(done)() }, 0, 1},
		{"event in time", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(12*time.Second, func() { c.set(done)(); r.Deliver(bound(arqA)) })
		}, 12 * time.Second, 3},
		{"event with other case", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() { c.set(done)(); r.Deliver(bound("2C6BE03A-591B-4311-8932-EBC5B4548FA2")) })
		}, time.Second, 2},
		{"event lost", func(c *cyborg, _ *virtdriver.Receiver) { c.after(12*time.Second, c.set(done)) }, 20 * time.Second, 3},
		{"event doubled, the first before its time", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() { r.Deliver(bound(arqA)); r.Deliver(bound(arqA)) })
			c.after(3*time.Second, func() { c.set(done)(); r.Deliver(bound(arqA)) })
		}, 11 * time.Second, 3},
		{"wrong tag", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() { c.set(done)(); r.Deliver(bound(arqB)) })
		}, 10 * time.Second, 2},
		{"wrong instance", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() {
				c.set(done)()
				e := bound(arqA)
				e.ServerUUID = stranger
				r.Deliver(e)
			})
		}, 10 * time.Second, 2},
		{"event still in progress", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() {
				e := bound(arqA)
				e.Status = virtdriver.StatusInProgress
				r.Deliver(e)
			})
			c.after(2*time.Second, func() { c.set(done)(); r.Deliver(bound(arqA)) })
		}, 2 * time.Second, 2},
		{"failed event, but bound", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() {
				c.set(done)()
				e := bound(arqA)
				e.Status = virtdriver.StatusFailed
				r.Deliver(e)
			})
		}, time.Second, 2},
		{"event of the Train spec", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() {
				c.set(done)()
				r.Deliver(virtdriver.Event{Name: virtdriver.EventResolved, ServerUUID: server, Tag: arqA, Status: virtdriver.StatusOK})
			})
		}, time.Second, 2},
		{"events of the plural form, one a profile", func(c *cyborg, r *virtdriver.Receiver) {
			for i, profile := range []string{"nic", "gpu"} {
				c.after(time.Duration(i+1)*time.Second, func() {
					c.set([]cyborgclient.ARQ{started, done}[i])()
					r.Deliver(virtdriver.Event{Name: virtdriver.EventsBound, ServerUUID: server, Tag: profile})
				})
			}
		}, 2 * time.Second, 3},
		{"more events of the plural form than fit", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() {
				c.set(done)()
				for range 100 {
					r.Deliver(virtdriver.Event{Name: virtdriver.EventsBound, ServerUUID: server, Tag: "gpu"})
				}
			})
		}, time.Second, 2},
		{"polls fail in between", func(c *cyborg, _ *virtdriver.Receiver) {
			c.err = errors.New("503")
			c.after(25*time.Second, c.set(done))
		}, 30 * time.Second, 4},
		{"not listed at first", func(c *cyborg, _ *virtdriver.Receiver) {
			c.set()()
			c.after(5*time.Second, c.set(done))
		}, 10 * time.Second, 2},
		{"a poll hangs", func(c *cyborg, _ *virtdriver.Receiver) {
			c.hangs = time.Second
			c.set(done)()
		}, 40 * time.Second, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, r := newCyborg(started), newReceiver(t)
				test.play(c, r)
				got := wait(t, t.Context(), c, r, want(arqA))
				require.NoError(t, got.err)
				assert.Empty(t, cmp.Diff([]cyborgclient.ARQ{done}, got.arqs, cmpopts.EquateComparable(cyborgclient.Timestamp{})))
				assert.Equal(t, test.took, got.took)
				assert.Len(t, c.polls, test.polls, "at %v", c.polls)
			})
		})
	}
}

// TestWaitPollsBeforeItsDeadline: what is bound in time is seen in time, however
// long the pause between two polls is.
func TestWaitPollsBeforeItsDeadline(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		timeout, interval, boundAfter, took time.Duration
	}{
		{time.Second, 5 * time.Second, 100 * time.Millisecond, 900 * time.Millisecond},
		{5 * time.Second, 5 * time.Second, 4 * time.Second, 4500 * time.Millisecond},
		{time.Minute, 50 * time.Second, 55 * time.Second, 58 * time.Second},
		{time.Minute, time.Second, 59 * time.Second, 59 * time.Second},
	} {
		t.Run(test.timeout.String()+" "+test.interval.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, ofCaller := range []bool{false, true} {
					c := newCyborg(arq(arqA, cyborgclient.StateBindStarted))
					c.after(test.boundAfter-time.Millisecond, c.set(arq(arqA, cyborgclient.StateBound)))
					ctx, timeout := t.Context(), test.timeout
					if ofCaller {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, timeout)
						defer cancel()
						timeout = time.Hour
					}
					got := wait(t, ctx, c, nil, want(arqA), virtdriver.WithTimeout(timeout), virtdriver.WithPollInterval(test.interval))
					require.NoError(t, got.err)
					assert.Equal(t, test.took, got.took)
				}
			})
		})
	}
}

// TestWaitForAnARQThatGoesAway: one that was seen and is not being bound any more
// never will be, one that was not seen yet may.
func TestWaitForAnARQThatGoesAway(t *testing.T) {
	t.Parallel()
	started, done := arq(arqA, cyborgclient.StateBindStarted), arq(arqA, cyborgclient.StateBound)
	other := arq(arqB, cyborgclient.StateBindStarted)
	in := func(state cyborgclient.ARQState) []cyborgclient.ARQ {
		return []cyborgclient.ARQ{arq(arqA, state), other}
	}
	for _, test := range []struct {
		name        string
		first, next []cyborgclient.ARQ
		text        string // of the failure, empty when the wait goes on
	}{
		{"deleted", []cyborgclient.ARQ{started, other}, []cyborgclient.ARQ{other}, "ARQ " + arqA + " is not among the ARQs of the instance any more"},
		{"deleted after it was bound", []cyborgclient.ARQ{done, other}, []cyborgclient.ARQ{other}, "is not among the ARQs of the instance any more"},
		{"unbound", in(cyborgclient.StateBindStarted), in(cyborgclient.StateUnbound), "ARQ " + arqA + " is not being bound any more (state Unbound)"},
		{"unbound after it was bound", in(cyborgclient.StateBound), in(cyborgclient.StateUnbound), "is not being bound any more"},
		{"as new", in(cyborgclient.StateBindStarted), in(cyborgclient.StateInitial), "is not being bound any more (state Initial)"},
		{"not unbound properly", in(cyborgclient.StateBound), in(cyborgclient.StateUnbindFailed), "is not being bound any more"},
		{"not there yet", []cyborgclient.ARQ{other}, []cyborgclient.ARQ{other}, ""},
		{"unbound from the start", in(cyborgclient.StateUnbound), in(cyborgclient.StateUnbound), ""},
		{"new, then bound", in(cyborgclient.StateInitial), in(cyborgclient.StateBound), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCyborg(test.first...)
				c.after(15*time.Second, c.set(test.next...))
				c.after(25*time.Second, c.set(done, arq(arqB, cyborgclient.StateBound)))
				got := wait(t, t.Context(), c, nil, want(arqA, arqB))
				if test.text == "" {
					require.NoError(t, got.err)
					return
				}
				require.ErrorIs(t, got.err, virtdriver.ErrNotBound)
				require.ErrorContains(t, got.err, test.text)
				assert.Equal(t, 20*time.Second, got.took)
			})
		})
	}
}

// TestWaitTakesWhatComposeTakes: a handle is read by one rule.
func TestWaitTakesWhatComposeTakes(t *testing.T) {
	t.Parallel()
	for _, value := range []any{"a", "0xA", "A0", "", "+a", " a", "x", "100", 10, 10.0, json.Number("10"), nil, true} {
		for _, kind := range []cyborgclient.HandleType{cyborgclient.HandlePCI, cyborgclient.HandleMDEV} {
			t.Run(fmt.Sprintf("%s %T %v", kind, value, value), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					bound := arq(arqA, cyborgclient.StateBound)
					bound.AttachHandle = mdevARQ(arqA, vGPU).AttachHandle
					bound.AttachHandle.Type, bound.AttachHandle.Info["bus"] = kind, value
					_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{bound})
					got := wait(t, t.Context(), newCyborg(bound), nil, want(arqA))
					assert.Equal(t, err == nil, got.err == nil, "%v, %v", err, got.err)
					assert.Zero(t, got.took)
				})
			})
		}
	}
}

// TestWaitRegistersFirst: an event that comes while the first poll runs is not
// lost.
func TestWaitRegistersFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, r := newCyborg(arq(arqA, cyborgclient.StateBindStarted)), newReceiver(t)
		polls := 0
		lister := listerFunc(func(context.Context, string) ([]cyborgclient.ARQ, error) {
			polls++
			seen := c.arqs
			if polls == 1 {
				c.set(arq(arqA, cyborgclient.StateBound))()
				assert.True(t, r.Deliver(bound(arqA)), "the wait is registered before it polls")
			}
			return seen, nil
		})
		w, err := virtdriver.NewWaiter(lister, virtdriver.WithReceiver(r))
		require.NoError(t, err)
		start := time.Now()
		_, err = w.Wait(t.Context(), want(arqA))
		require.NoError(t, err)
		assert.Zero(t, time.Since(start))
		assert.Equal(t, 2, polls)
	})
}

type listerFunc func(ctx context.Context, instance string) ([]cyborgclient.ARQ, error)

func (f listerFunc) ARQsByInstance(ctx context.Context, instance string) ([]cyborgclient.ARQ, error) {
	return f(ctx, instance)
}

func TestWaitForSeveralARQs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBound))
		stale := arq("0f0f0f0f-0000-4000-8000-000000000000", cyborgclient.StateBindFailed)
		c.after(7*time.Second, func() {
			c.set(stale, arq(arqA, cyborgclient.StateBound), arq(arqB, cyborgclient.StateBound))()
			r.Deliver(bound(arqB))
			r.Deliver(bound(arqA))
		})
		got := wait(t, t.Context(), c, r, want(arqB, arqA))
		require.NoError(t, got.err)
		assert.Equal(t, []string{arqB, arqA}, uuids(got.arqs), "in the order of the expectation, without others")
		assert.Equal(t, 7*time.Second, got.took)
		assert.Len(t, c.polls, 2, "events of one time cost one poll")
	})
}

func TestWaitNeedsNoReceiver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted))
		c.after(292*time.Second, c.set(arq(arqA, cyborgclient.StateBound)))
		w, err := virtdriver.NewWaiter(c)
		require.NoError(t, err)
		_, err = w.Wait(t.Context(), want(arqA))
		require.NoError(t, err)
		assert.Equal(t, virtdriver.DefaultPollInterval, c.polls[1])
	})
}

func TestWaitForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCyborg()
		got := wait(t, t.Context(), c, nil, want())
		require.NoError(t, got.err)
		assert.Empty(t, got.arqs)
		assert.Empty(t, c.polls)
	})
}

func TestTwoWaitsOfOneInstance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBindStarted))
		w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r), virtdriver.WithPollInterval(time.Hour))
		require.NoError(t, err)
		var group sync.WaitGroup
		took := make([]time.Duration, 3)
		for i, expected := range []virtdriver.Expectation{want(arqA), want(arqA, arqB), want(arqA)} {
			ctx := t.Context()
			if i == 2 { // one that gives up must not take the others' place
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			group.Go(func() {
				_, err := w.Wait(ctx, expected)
				took[i] = time.Since(c.start)
				assert.Equal(t, i == 2, err != nil)
			})
		}
		c.after(2*time.Second, func() {
			c.set(arq(arqA, cyborgclient.StateBound), arq(arqB, cyborgclient.StateBindStarted))()
			r.Deliver(bound(arqA))
		})
		c.after(3*time.Second, func() {
			c.set(arq(arqA, cyborgclient.StateBound), arq(arqB, cyborgclient.StateBound))()
			r.Deliver(bound(arqB))
		})
		group.Wait()
		assert.Equal(t, []time.Duration{2 * time.Second, 3 * time.Second, time.Second}, took)
		assert.Zero(t, r.Waiting())
	})
}

// TestWaitEndsWhenItsReceiverCloses: each of two waits of an instance, and one
// for two ARQs, is told; none can begin afterwards. The keys of the table hold
// uuids and so must not be texts that are split at dashes.
func TestWaitEndsWhenItsReceiverCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReceiver(t)
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBindStarted))
		w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r))
		require.NoError(t, err)
		var group sync.WaitGroup
		for _, expected := range []virtdriver.Expectation{want(arqA, arqB), want(arqB)} {
			group.Go(func() {
				_, err := w.Wait(t.Context(), expected)
				typed, _ := errors.AsType[*virtdriver.WaitError](err)
				assert.True(t, errors.Is(err, virtdriver.ErrReceiverClosed) && typed != nil && !typed.TimedOut && len(typed.ARQs) == len(expected.ARQs), "%v", err)
				assert.Equal(t, 42*time.Second, time.Since(c.start))
			})
		}
		time.Sleep(42 * time.Second)
		require.NoError(t, r.Close())
		group.Wait()
		assert.Zero(t, r.Waiting())
		polls := len(c.polls)
		_, err = w.Wait(t.Context(), want(arqA))
		require.ErrorIs(t, err, virtdriver.ErrReceiverClosed)
		assert.Len(t, c.polls, polls, "a wait that cannot register does not poll")
	})
}

// resolvedCyborg answers bind_state=resolved as Cyborg does.
type resolvedCyborg struct {
	*cyborg

	asked []bool // of each poll, whether it asked the question
}

func (c *resolvedCyborg) ARQsByInstance(ctx context.Context, instance string) ([]cyborgclient.ARQ, error) {
	c.asked = append(c.asked, false)
	return c.cyborg.ARQsByInstance(ctx, instance)
}

func (c *resolvedCyborg) ARQs(ctx context.Context, filter cyborgclient.ARQFilter) ([]cyborgclient.ARQ, error) {
	c.asked = append(c.asked, filter.Resolved)
	arqs, err := c.cyborg.ARQsByInstance(ctx, filter.Instance)
	for _, arq := range arqs {
		if !arq.State.Resolved() {
			return nil, &cyborgclient.Error{Op: "list", StatusCode: 423, Err: cyborgclient.ErrNotResolved}
		}
	}
	return arqs, err
}

func TestWaitWithResolvedPolls(t *testing.T) {
	t.Parallel()
	started, done, bad := arq(arqA, cyborgclient.StateBindStarted), arq(arqA, cyborgclient.StateBound), arq(arqB, cyborgclient.StateBindFailed)
	for _, test := range []struct {
		name  string
		play  func(c *cyborg, r *virtdriver.Receiver)
		err   error
		took  time.Duration
		asked []bool
	}{
		{"bound", func(c *cyborg, _ *virtdriver.Receiver) {
			c.after(15*time.Second, c.set(done, arq(arqB, cyborgclient.StateBound)))
		}, nil, 20 * time.Second, []bool{false, true, false, true}},
		{"failed, seen before all are decided", func(c *cyborg, _ *virtdriver.Receiver) {
			c.after(5*time.Second, c.set(started, bad))
			c.after(15*time.Second, c.set(done, bad))
		}, virtdriver.ErrNotBound, 10 * time.Second, []bool{false, true, false}},
		{"failed, seen after the event", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(15*time.Second, func() {
				c.set(started, bad)()
				r.Deliver(virtdriver.Event{Name: virtdriver.EventBound, ServerUUID: server, Tag: arqB, Status: virtdriver.StatusFailed})
			})
		}, virtdriver.ErrNotBound, 15 * time.Second, []bool{false, true, false, false}},
		{"bound, while one that nobody waits for hangs", func(c *cyborg, _ *virtdriver.Receiver) {
			c.after(5*time.Second, c.set(done, arq(arqB, cyborgclient.StateBound), arq(stranger, cyborgclient.StateBindStarted)))
		}, nil, 10 * time.Second, []bool{false, true, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newReceiver(t)
				c := &resolvedCyborg{cyborg: newCyborg(started, arq(arqB, cyborgclient.StateBindStarted))}
				test.play(c.cyborg, r)
				w, err := virtdriver.NewWaiter(c, virtdriver.WithReceiver(r), virtdriver.WithResolvedPolls(), virtdriver.WithPollInterval(10*time.Second))
				require.NoError(t, err)
				_, err = w.Wait(t.Context(), want(arqA, arqB))
				if test.err == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, test.err)
				}
				assert.Equal(t, test.took, time.Since(c.start))
				assert.Equal(t, test.asked, c.asked)
			})
		})
	}
}

// TestWaitWithResolvedPollsThatFail: a question that gets no answer, or an error
// of a Cyborg that does not know it, does not keep the wait from its verdict.
func TestWaitWithResolvedPollsThatFail(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(ctx context.Context) error{
		"refused": func(context.Context) error { return &cyborgclient.Error{Op: "list", StatusCode: 400} },
		"hangs":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newCyborg(arq(arqA, cyborgclient.StateBindStarted))
				c.after(time.Second, c.set(arq(arqA, cyborgclient.StateBound)))
				w, err := virtdriver.NewWaiter(failingResolved{c, ask}, virtdriver.WithResolvedPolls())
				require.NoError(t, err)
				_, err = w.Wait(t.Context(), want(arqA))
				require.NoError(t, err)
				assert.Less(t, time.Since(c.start), time.Minute)
			})
		})
	}
}

type failingResolved struct {
	*cyborg

	ask func(ctx context.Context) error
}

func (c failingResolved) ARQs(ctx context.Context, _ cyborgclient.ARQFilter) ([]cyborgclient.ARQ, error) {
	return nil, c.ask(ctx)
}

// TestWaitWithResolvedPollsTimesOut: 423 is an answer and no failure of the
// poll, and the table has what the first poll saw.
func TestWaitWithResolvedPollsTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &resolvedCyborg{cyborg: newCyborg(arq(arqA, cyborgclient.StateBindStarted))}
		w, err := virtdriver.NewWaiter(c, virtdriver.WithResolvedPolls())
		require.NoError(t, err)
		_, err = w.Wait(t.Context(), want(arqA))
		require.ErrorIs(t, err, virtdriver.ErrWaitTimeout)
		var typed *virtdriver.WaitError
		require.ErrorAs(t, err, &typed)
		assert.Zero(t, typed.FailedPolls)
		assert.Equal(t, cyborgclient.StateBindStarted, typed.ARQs[0].State)
	})
}

func TestNewWaiterChecks(t *testing.T) {
	t.Parallel()
	c := newCyborg()
	for _, test := range []struct {
		name, text string
		lister     virtdriver.ARQLister
		opt        virtdriver.WaiterOption
	}{
		{"no lister", "something to list ARQs with", nil, virtdriver.WithTimeout(time.Second)},
		{"no receiver", "WithReceiver needs a receiver", c, virtdriver.WithReceiver(nil)},
		{"timeout", "WithTimeout needs a duration above 0, got 0s", c, virtdriver.WithTimeout(0)},
		{"resolved polls", "WithResolvedPolls needs a lister that can list resolved ARQs, *virtdriver_test.cyborg cannot", c, virtdriver.WithResolvedPolls()},
		{"interval", "WithPollInterval needs a duration above 0, got -1s", c, virtdriver.WithPollInterval(-time.Second)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.NewWaiter(test.lister, test.opt)
			require.ErrorContains(t, err, test.text)
		})
	}
}

func TestWaitChecksExpectation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		want virtdriver.Expectation
	}{
		{"no instance", virtdriver.Expectation{Hostname: node, ARQs: []string{arqA}}},
		{"no host", virtdriver.Expectation{Instance: server, ARQs: []string{arqA}}},
		{"empty uuid", want("")},
		{"nothing at all", virtdriver.Expectation{}},
		{"instance that is no uuid", virtdriver.Expectation{Instance: "vm-1", Hostname: node, ARQs: []string{arqA}}},
		{"instance without ARQs that is no uuid", virtdriver.Expectation{Instance: "vm-1", Hostname: node}},
		{"uuid without dashes", virtdriver.Expectation{Instance: strings.ReplaceAll(server, "-", ""), Hostname: node, ARQs: []string{arqA}}},
		{"ARQ that is no uuid", want(arqA, "gpu-0")},
		{"twice", want(arqA, arqA)},
		{"provider of another ARQ", virtdriver.Expectation{Instance: server, Hostname: node, ARQs: []string{arqA}, Providers: map[string]string{arqB: unplaced}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCyborg()
			got := wait(t, t.Context(), c, newReceiver(t), test.want)
			require.ErrorContains(t, got.err, "the expectation")
			assert.Empty(t, c.polls)
		})
	}
}
