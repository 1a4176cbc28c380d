package elasticpool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// States of a circuit breaker.
const (
	BreakerClosed   = "closed"    // all is asked
	BreakerOpen     = "open"      // nothing is asked
	BreakerHalfOpen = "half-open" // one look, and deletes
)

const (
	breakerFailures = 5 // in a row
	breakerFirst    = 30 * time.Second
	breakerMost     = 10 * time.Minute
)

// breaker is a cloud behind a circuit breaker: after some failures in a row it is not asked at all for a while, longer
// each time. Then one look at its servers tries whether it is back; deletes are tried with it, creates wait for it.
type breaker struct {
	cloud    string
	provider Provider
	logger   *slog.Logger

	mu       sync.Mutex
	state    string
	failures int // in a row
	pause    time.Duration
	until    time.Time // it stays open
	reason   string
	probing  bool // the look of the half-open breaker is under way
}

func newBreaker(cloud string, provider Provider, logger *slog.Logger) *breaker {
	return &breaker{cloud: cloud, provider: provider, logger: logger, state: BreakerClosed}
}

// guarded is how a breaker treats a call.
type guarded int

const (
	guardLook guarded = iota
	guardDelete
	guardOther
)

// call calls the cloud if the breaker lets it.
func (b *breaker) call(op string, kind guarded, call func() error) error {
	if err := b.admit(op, kind); err != nil {
		return err
	}
	err := call()
	b.note(err, kind)
	return err
}

func (b *breaker) admit(op string, kind guarded) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state == BreakerOpen && !time.Now().Before(b.until) {
		b.become(BreakerHalfOpen)
	}
	switch {
	case b.state == BreakerClosed, b.state == BreakerHalfOpen && kind == guardDelete:
		return nil
	case b.state == BreakerHalfOpen && kind == guardLook && !b.probing:
		b.probing = true
		return nil
	}
	when := "until the cloud answers again"
	if b.state == BreakerOpen {
		when = "for " + time.Until(b.until).Round(time.Second).String()
	}
	return &CloudError{
		Op: op, Class: ErrTransient,
		Detail: fmt.Sprintf("not asked %s: %d failures in a row, the last: %s", when, b.failures, b.reason),
	}
}

// note takes in how a call ended.
func (b *breaker) note(err error, kind guarded) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if kind == guardLook {
		b.probing = false
	}
	switch {
	case errors.Is(err, context.Canceled), b.state == BreakerOpen: // it says nothing, or is from before
	case healthy(err):
		b.failures, b.pause = 0, 0
		b.become(BreakerClosed)
	default:
		b.failures++
		b.reason = err.Error()
		if b.failures >= breakerFailures || b.state == BreakerHalfOpen || errors.Is(err, ErrUnauthorized) {
			b.trip()
		}
	}
}

// healthy says whether the cloud gave an answer: a refusal is one.
func healthy(err error) bool {
	switch ErrorWord(err) {
	case "transient", "unknown_outcome", "unauthorized":
		return false
	default:
		return true
	}
}

func (b *breaker) trip() {
	b.pause = min(max(2*b.pause, breakerFirst), breakerMost)
	b.until = time.Now().Add(b.pause)
	b.become(BreakerOpen)
}

func (b *breaker) become(state string) {
	if b.state == state {
		return
	}
	b.state = state
	b.logger.Warn("circuit breaker", "cloud", b.cloud, "state", state, "failures", b.failures, "pause", b.pause, "reason", b.reason)
}

func (b *breaker) status() BreakerStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	status := BreakerStatus{Cloud: b.cloud, State: b.state, Failures: b.failures}
	if b.failures > 0 {
		status.Reason = b.reason
	}
	if b.state == BreakerOpen {
		status.Until = b.until.UTC()
	}
	return status
}

// view looks at the cloud.
func (b *breaker) view(ctx context.Context, pool string) (CloudView, error) {
	var view CloudView
	err := b.call("list servers in cloud "+b.cloud, guardLook, func() (err error) {
		view.Servers, view.Complete, err = b.provider.Servers(ctx, pool)
		return err
	})
	if err != nil {
		return CloudView{}, err
	}
	err = b.call("ask for limits of cloud "+b.cloud, guardLook, func() (err error) {
		view.Limits, err = b.provider.Limits(ctx)
		return err
	})
	return view, err
}
