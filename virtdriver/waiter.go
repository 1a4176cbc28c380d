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

	// lastLook is how long before the deadline a wait looks once more at the
	// latest, unless a tenth of its time is less.
	lastLook = 2 * time.Second

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

// ResolvedLister is what [WithResolvedPolls] needs besides; [*cyborgclient.Client]
// has it. The error is [cyborgclient.ErrNotResolved] while an ARQ of the
// instance is on its way.
type ResolvedLister interface {
	ARQs(ctx context.Context, filter cyborgclient.ARQFilter) ([]cyborgclient.ARQ, error)
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
	resolved ResolvedLister // nil: poll plainly
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

// WithResolvedPolls makes the slow polls ask the question that Nova's spec has
// for it, ?instance=…&bind_state=resolved, which Cyborg answers with 423 until
// every ARQ of the instance is decided, also those that nobody waits for. That
// says nothing about single ARQs; so the first poll, those after an event, and
// those that get 423 or another error list them plainly, and the verdict and its
// time are the same as without this option, at the cost of a second request. The
// lister must be a [ResolvedLister].
func WithResolvedPolls() WaiterOption {
	return func(w *Waiter) error {
		lister, ok := w.arqs.(ResolvedLister)
		if !ok {
			return fmt.Errorf("new waiter: WithResolvedPolls needs a lister that can list resolved ARQs, %T cannot", w.arqs)
		}
		w.resolved = lister
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
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("new waiter: option %d of %d is nil", i+1, len(opts))
		}
		if err := opt(w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Timeout returns how long a wait lasts at most.
func (w *Waiter) Timeout() time.Duration { return w.timeout }

// Wait returns once every expected ARQ is Bound on the expected host for the
// expected instance and has its attach handle; the ARQs come in the order of
// the expectation, others of the instance are left out. With no ARQs it returns
// none at once. An expectation without instance or host name, or with what is no
// uuid or there twice, is an error at once too.
//
// It registers for the events first, polls at once, and then polls after each
// event and each poll interval until the deadline, and once more shortly before
// it. An event alone decides nothing, what Cyborg shows does. The wait ends early,
// with a [*WaitError] that tells about all ARQs, when one of them is decided
// otherwise (BindFailed, Deleting, unbound or gone after it was seen, or Bound to
// another host, instance or provider or with a handle that is none), with the
// context, and when the receiver is closed. An ARQ that was not seen yet is waited
// for. A poll that fails is tried again until the deadline. On every way out the
// registrations are gone.
func (w *Waiter) Wait(ctx context.Context, want Expectation) ([]cyborgclient.ARQ, error) {
	if err := want.check(); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	ctx, cancel := context.WithTimeoutCause(ctx, w.timeout, ErrWaitTimeout)
	defer cancel()
	watch := newWatch(want)
	inbox, unsubscribe, err := w.subscribe(want, end)
	if err != nil {
		return nil, watch.failure(err)
	}
	defer unsubscribe()
	list, last := w.list, lastPoll(ctx)
	for ctx.Err() == nil {
		switch watch.poll(ctx, list) {
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
			list = w.list
		case <-time.After(w.pause(last)):
			list = w.slowList
		}
	}
	return nil, watch.failure(context.Cause(ctx))
}

// lastPoll is when a wait polls at the latest.
func lastPoll(ctx context.Context) time.Time {
	deadline, _ := ctx.Deadline() // there is one
	return deadline.Add(-min(lastLook, time.Until(deadline)/10))
}

// pause is how long to wait for the next poll. None is skipped because the
// interval is long: what is bound in time is seen in time.
func (w *Waiter) pause(last time.Time) time.Duration {
	if left := time.Until(last); left > 0 {
		return min(w.interval, left)
	}
	return w.interval
}

// lister is one way to ask for the ARQs of an instance.
type lister func(ctx context.Context, instance string) ([]cyborgclient.ARQ, error)

func (w *Waiter) list(ctx context.Context, instance string) ([]cyborgclient.ARQ, error) {
	return w.arqs.ARQsByInstance(ctx, instance)
}

func (w *Waiter) slowList(ctx context.Context, instance string) ([]cyborgclient.ARQ, error) {
	if w.resolved == nil {
		return w.list(ctx, instance)
	}
	arqs, err := w.askResolved(ctx, instance)
	if err != nil {
		return w.list(ctx, instance)
	}
	return arqs, nil
}

// askResolved leaves time for the plain list when the answer does not come.
func (w *Waiter) askResolved(ctx context.Context, instance string) ([]cyborgclient.ARQ, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout/2)
	defer cancel()
	return w.resolved.ARQs(ctx, cyborgclient.ARQFilter{Instance: instance, Resolved: true})
}

func (w *Waiter) subscribe(want Expectation, end context.CancelCauseFunc) (inbox <-chan Event, unsubscribe func(), err error) {
	if w.receiver == nil {
		return nil, func() {}, nil
	}
	s, err := w.receiver.subscribe(want, end)
	if err != nil {
		return nil, nil, err
	}
	return s.inbox, func() { w.receiver.unsubscribe(s) }, nil
}
