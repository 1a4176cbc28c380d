package virtdriver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

const (
	// DefaultTimeout is Nova's default of [DEFAULT]arq_binding_timeout
	// (nova/conf/compute.py).
	DefaultTimeout = 300 * time.Second
	// DefaultPollInterval is the pause between two looks at Cyborg while no
	// event comes.
	DefaultPollInterval = 5 * time.Second

	// pollTimeout ends a look that hangs, so that a dead connection does not use
	// up the whole wait.
	pollTimeout = 30 * time.Second
)

// ARQLister is the one call the wait makes, GET accelerator_requests?instance=;
// [*cyborgclient.Client] has it. An instance without ARQs is an empty list and
// no error.
type ARQLister interface {
	ARQsByInstance(ctx context.Context, instance string) ([]cyborgclient.ARQ, error)
}

// Waiter waits until the accelerators of an instance are bound. It stands for
// nova/compute/manager.py, _get_bound_arq_resources, without its gaps: it polls
// besides taking events, so a lost event costs one poll interval and not the
// time-out, and it looks at the state of every ARQ, so no guest starts without
// its device.
//
// A Waiter is safe for concurrent use, also for several waits of one instance.
type Waiter struct {
	arqs     ARQLister
	receiver *Receiver
	timeout  time.Duration
	interval time.Duration
}

// WaiterOption changes a [Waiter] under construction.
type WaiterOption func(*Waiter) error

// WithReceiver lets the waits be woken by the events that r takes. Without a
// receiver the waits only poll.
func WithReceiver(r *Receiver) WaiterOption {
	return func(w *Waiter) error {
		if r == nil {
			return errors.New("new waiter: WithReceiver needs a receiver")
		}
		w.receiver = r
		return nil
	}
}

// WithTimeout sets the one deadline of each wait, counted from its start. It
// must be above 0; the default is [DefaultTimeout].
func WithTimeout(d time.Duration) WaiterOption {
	return func(w *Waiter) error {
		w.timeout = d
		return positive("WithTimeout", d)
	}
}

// WithPollInterval sets the pause between two polls of a wait. It must be above
// 0; the default is [DefaultPollInterval].
func WithPollInterval(d time.Duration) WaiterOption {
	return func(w *Waiter) error {
		w.interval = d
		return positive("WithPollInterval", d)
	}
}

func positive(option string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("new waiter: %s needs a duration above 0, got %s", option, d)
	}
	return nil
}

// NewWaiter makes a [Waiter] that polls with arqs.
func NewWaiter(arqs ARQLister, opts ...WaiterOption) (*Waiter, error) {
	if arqs == nil {
		return nil, errors.New("new waiter: it needs something to list ARQs with")
	}
	w := &Waiter{arqs: arqs, timeout: DefaultTimeout, interval: DefaultPollInterval}
	for _, opt := range opts {
		if err := opt(w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Wait returns once every expected ARQ is Bound on the expected host for the
// expected instance and has its attach handle; the ARQs come in the order of
// the expectation, others of the instance are left out. Nothing expected is
// nothing to wait for.
//
// It registers for the events first, polls at once, and then polls after each
// event and each poll interval until the deadline. An event alone decides
// nothing, what Cyborg shows does. The wait ends early, with a [*WaitError]
// that tells about all ARQs, when one of them is decided otherwise (BindFailed,
// Deleting, or Bound without handle or to another host), and with the context.
// A poll that fails is tried again until the deadline. On every way out the
// registrations are gone.
func (w *Waiter) Wait(ctx context.Context, want Expectation) ([]cyborgclient.ARQ, error) {
	if err := want.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeout, ErrWaitTimeout)
	defer cancel()
	inbox, unsubscribe := w.subscribe(want)
	defer unsubscribe()
	watch := newWatch(want)
	for ctx.Err() == nil {
		switch watch.poll(ctx, w.arqs) {
		case bound:
			return watch.bound(), nil
		case failed:
			return nil, watch.failure(ErrNotBound)
		case pending:
		}
		select {
		case <-ctx.Done():
		case e := <-inbox:
			watch.note(e, inbox)
		case <-time.After(w.interval):
		}
	}
	return nil, watch.failure(context.Cause(ctx))
}

func (w *Waiter) subscribe(want Expectation) (inbox <-chan Event, unsubscribe func()) {
	if w.receiver == nil {
		return nil, func() {}
	}
	keys := make([]eventKey, len(want.ARQs))
	for i, arq := range want.ARQs {
		keys[i] = keyOf(want.Instance, EventBound, arq)
	}
	s := w.receiver.subscribe(keys)
	return s.inbox, func() { w.receiver.unsubscribe(s) }
}
