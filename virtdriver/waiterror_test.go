package virtdriver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestWaitEndsAtOnce(t *testing.T) {
	t.Parallel()
	done := arq(arqA, cyborgclient.StateBound)
	done.DeviceRPUUID = strings.ToUpper(unplaced)
	elsewhere, foreign, bare, wide, cut, mark, other := done, done, done, done, done, done, done
	elsewhere.Hostname = "cn2"
	foreign.InstanceUUID = stranger
	bare.AttachHandle = cyborgclient.AttachHandle{}
	wide.AttachHandle = pciHandle("10001", "8a", "0", "0")
	cut.AttachHandle = cyborgclient.AttachHandle{Type: cyborgclient.HandleTestPCI, Info: map[string]any{"domain": "0", "bus": "0", "device": "0"}}
	mark.AttachHandle = cyborgclient.AttachHandle{Type: cyborgclient.HandleMDEV, Info: map[string]any{"asked_type": "nvidia-63"}}
	other.DeviceRPUUID = stranger
	empty := done
	empty.AttachHandle = cyborgclient.AttachHandle{Type: cyborgclient.HandleMDEV, UUID: vGPU}
	for _, test := range []struct {
		name   string
		arq    cyborgclient.ARQ
		reason string
	}{
		{"wide domain", wide, `is bound with a handle that is no device: bad field of attach handle: parse pci domain "10001": domains above 0xffff cannot be assigned to guests, emulators take 16 bits only`},
		{"handle without function", cut, `is bound with a handle that is no device: attach handle lacks a field: function`},
		{"mdev without uuid", mark, "is bound with an MDEV handle without uuid"},
		{"mdev without info", empty, "is bound with a handle that is no device: attach handle lacks a field: domain"},
		{"another provider", other, `is bound to provider "` + stranger + `", want ` + unplaced},
		{"failed", arq(arqA, cyborgclient.StateBindFailed), "is not bound"},
		{"deleting", arq(arqA, cyborgclient.StateDeleting), "is not bound"},
		{"another host", elsewhere, `is bound on host "cn2", want cn1.example.org`},
		{"another instance", foreign, `is bound for instance "` + stranger + `", want ` + server},
		{"no handle", bare, "is bound without an attach handle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				expected := want(arqB, arqA)
				expected.Providers = map[string]string{strings.ToUpper(arqA): unplaced}
				got := wait(t, t.Context(), newCyborg(arq(arqB, cyborgclient.StateBindStarted), test.arq), newReceiver(t), expected)
				require.ErrorIs(t, got.err, virtdriver.ErrNotBound)
				var typed *virtdriver.WaitError
				require.ErrorAs(t, got.err, &typed)
				assert.Empty(t, cmp.Diff([]virtdriver.ARQVerdict{
					{UUID: arqB, Seen: true, State: cyborgclient.StateBindStarted, Hostname: node, Reason: "is not bound yet"},
					{UUID: arqA, Seen: true, State: test.arq.State, Hostname: test.arq.Hostname, Reason: test.reason},
				}, typed.ARQs))
				assert.False(t, typed.TimedOut)
				assert.Zero(t, got.took)
				assert.EqualError(t, got.err, "wait for ARQs of instance "+server+": binding failed after 0s"+
					"; ARQ "+arqB+" is not bound yet (state BindStarted); ARQ "+arqA+" "+test.reason+" (state "+string(test.arq.State)+")")
			})
		})
	}
}

func TestWaitConfirmsFailedEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, c := newReceiver(t), newCyborg(arq(arqA, cyborgclient.StateBindStarted), arq(arqB, cyborgclient.StateBindStarted))
		fail := func(tag string) {
			e := bound(tag)
			e.Status = virtdriver.StatusFailed
			r.Deliver(e)
		}
		c.after(3*time.Second, func() { fail(arqA) }) // it alone decides nothing
		c.after(4*time.Second, func() {
			c.set(arq(arqA, cyborgclient.StateBindFailed), arq(arqB, cyborgclient.StateBindFailed))()
			fail(arqB)
		})
		got := wait(t, t.Context(), c, r, want(arqA, arqB))
		require.ErrorIs(t, got.err, virtdriver.ErrNotBound)
		assert.Equal(t, 4*time.Second, got.took)
		require.ErrorContains(t, got.err, "ARQ "+arqA+" is not bound (state BindFailed, event failed); ARQ "+arqB+" is not bound (state BindFailed, event failed)")
	})
}

func pciHandle(domain, bus, device, function string) cyborgclient.AttachHandle {
	return cyborgclient.AttachHandle{Type: cyborgclient.HandlePCI, Info: map[string]any{
		"domain": domain, "bus": bus, "device": device, "function": function,
	}}
}

// TestWaitErrorTable shows what a wait saw: when each state and event came.
func TestWaitErrorTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		missing := "0f0f0f0f-0000-4000-8000-000000000000"
		r := newReceiver(t)
		profiled := arq(arqB, cyborgclient.StateBindStarted)
		profiled.DeviceProfileName = "gpu"
		c := newCyborg(arq(arqA, cyborgclient.StateBindStarted), profiled)
		c.after(12*time.Second, c.set(arq(arqA, cyborgclient.StateBound), profiled))
		c.after(31*time.Second, func() {
			r.Deliver(bound(arqA))
			r.Deliver(virtdriver.Event{Name: virtdriver.EventsBound, ServerUUID: server, Tag: "gpu", Status: virtdriver.StatusFailed})
		})
		got := wait(t, t.Context(), c, r, want(arqA, arqB, missing))
		var typed *virtdriver.WaitError
		require.ErrorAs(t, got.err, &typed)
		assert.Equal(t, `ARQ                                   STATE                 HOST             EVENT                VERDICT
2c6be03a-591b-4311-8932-ebc5b4548fa2  Bound since 20s       cn1.example.org  completed after 31s  as expected
82af513c-9960-4056-90c0-ece063e49765  BindStarted since 0s  cn1.example.org  failed after 31s     is not bound yet
0f0f0f0f-0000-4000-8000-000000000000  not listed            -                none                 is not among the ARQs of the instance
`, typed.Table())
	})
}

func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	failure := errors.New("503 service unavailable")
	for _, test := range []struct {
		name  string
		play  func(c *cyborg, r *virtdriver.Receiver)
		polls int
		text  string
	}{
		{"never bound", func(*cyborg, *virtdriver.Receiver) {}, 44, "ARQ " + arqA + " is not bound yet (state BindStarted)"},
		{"never listed", func(c *cyborg, _ *virtdriver.Receiver) { c.set()() }, 44, "ARQ " + arqA + " is not among the ARQs of the instance"},
		{"event without effect", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(time.Second, func() { r.Deliver(virtdriver.Event{Name: virtdriver.EventBound, ServerUUID: server, Tag: arqA}) })
		}, 45, "is not bound yet (state BindStarted, event completed)"},
		{"bound too late", func(c *cyborg, r *virtdriver.Receiver) {
			c.after(301*time.Second, func() { r.Deliver(bound(arqA)) })
		}, 44, "is not bound yet"},
		{"polls fail from some time on", func(c *cyborg, _ *virtdriver.Receiver) {
			c.after(95*time.Second, func() { c.err = failure })
		}, 44, "is not bound yet (state BindStarted); 30 of 44 polls failed, the last with: 503 service unavailable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, c := newReceiver(t), newCyborg(arq(arqA, cyborgclient.StateBindStarted))
				test.play(c, r)
				got := wait(t, t.Context(), c, r, want(arqA), virtdriver.WithPollInterval(7*time.Second))
				require.ErrorIs(t, got.err, virtdriver.ErrWaitTimeout)
				require.ErrorContains(t, got.err, ": timed out after 5m0s; ARQ ")
				require.ErrorContains(t, got.err, test.text)
				var typed *virtdriver.WaitError
				require.ErrorAs(t, got.err, &typed)
				assert.True(t, typed.TimedOut)
				assert.Equal(t, virtdriver.DefaultTimeout, got.took)
				assert.Len(t, c.polls, test.polls)
				assert.Equal(t, typed.LastPollError != nil, errors.Is(got.err, failure))
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestWaitHangingPollEndsAtDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newCyborg()
		c.hangs = time.Hour
		got := wait(t, t.Context(), c, nil, want(arqA))
		require.ErrorIs(t, got.err, virtdriver.ErrWaitTimeout)
		require.ErrorIs(t, got.err, context.DeadlineExceeded, "of the poll")
		assert.Equal(t, virtdriver.DefaultTimeout, got.took)
		assert.Len(t, c.polls, 8, "each is given up after 30 s, the next comes 10 s later")
		require.ErrorContains(t, got.err, "ARQ "+arqA+" was not seen, since no poll succeeded; 8 of 8 polls failed")
		var typed *virtdriver.WaitError
		require.ErrorAs(t, got.err, &typed)
		assert.Contains(t, typed.Table(), arqA+"  not seen  -     none   was not seen, since no poll succeeded\n")
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("server deleted")
	for _, test := range []struct {
		name string
		end  func(ctx context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(42*time.Second, cancel)
			return ctx, cancel
		}, context.Canceled},
		{"cancelled for a reason", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(42*time.Second, func() { cancel(cause) })
			return ctx, func() { cancel(nil) }
		}, cause},
		{"deadline of the caller", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 42*time.Second)
		}, context.DeadlineExceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := test.end(t.Context())
				defer cancel()
				r := newReceiver(t)
				got := wait(t, ctx, newCyborg(arq(arqA, cyborgclient.StateBindStarted)), r, want(arqA, arqB))
				require.ErrorIs(t, got.err, test.want)
				require.NotErrorIs(t, got.err, virtdriver.ErrWaitTimeout)
				assert.Equal(t, 42*time.Second, got.took)
				var typed *virtdriver.WaitError
				require.ErrorAs(t, got.err, &typed)
				assert.False(t, typed.TimedOut)
				assert.Len(t, typed.ARQs, 2)
				assert.False(t, r.Deliver(bound(arqA)), "a late event finds nobody")
			})
		})
	}
}
