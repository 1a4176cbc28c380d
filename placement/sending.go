package placement

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// mostLost bounds the requests of one write whose outcome stays unknown.
const mostLost = 4

// sending is a write on its way. Each of its requests goes out at most once, so that the outcome of each is seen here:
// done, surely refused, or unknown.
type sending struct {
	*Client
	write

	op    string
	minor int
	// lost counts the requests whose outcome is not known.
	lost int
}

// once sends the write and says whether to do so again. What is unknown is settled before a repetition by what the
// consumer holds. A refusal alone decides only if no earlier request is unknown: that one may be its very reason.
func (s *sending) once(ctx context.Context) (again bool, err error) {
	if ctx.Err() != nil {
		return false, wrap(s.op, context.Cause(ctx))
	}
	sent := s.update(ctx)
	switch {
	case sent == nil:
		return false, nil
	case osapi.NeverSent(sent):
		return false, sent
	case !refused(sent):
		s.lost++
	case s.lost == 0 && !errors.Is(sent, ErrConcurrentUpdate):
		return false, capacity(sent)
	}
	held, err := s.Allocations(ctx, s.consumer.UUID)
	if err != nil {
		return false, errors.Join(sent, err)
	}
	return s.settle(sent, held)
}

// settle judges a request that failed by what the consumer holds after it.
func (s *sending) settle(sent error, held *ConsumerAllocations) (again bool, err error) {
	switch {
	case s.isDone(held) && (s.lost > 0 || len(s.allocations) == 0):
		return false, nil
	case refused(sent) && !errors.Is(sent, ErrConcurrentUpdate):
		return false, capacity(sent)
	case s.isUntouched(held):
		s.adopt(held, sent)
		return s.lost < mostLost, sent
	case s.before == nil:
		return false, refuse(ErrConsumerExists, s.op, "it holds allocations of %d providers at generation %d", len(held.Allocations), held.Generation)
	}
	return false, refuse(ErrConsumerChanged, s.op, "its generation is %d, not %d", held.Generation, *s.before)
}

// refused tells whether Placement itself refused a write, so that it surely did not happen.
func refused(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Refused()
}

// isDone tells whether what a consumer holds is exactly what this write leaves behind: the same content one generation
// on. That the write was this one and not an equal one of somebody else is only to be believed when the outcome of a
// request of ours is unknown.
func (w write) isDone(held *ConsumerAllocations) bool {
	if len(w.allocations) == 0 {
		return len(held.Allocations) == 0
	}
	return held.Consumer == w.consumer && held.Generation == value(w.before)+1 &&
		equalAllocations(held.Allocations, w.allocations)
}

// isUntouched tells whether the consumer is still as it was before the write, so that only the providers were busy or
// the request got lost.
func (w write) isUntouched(held *ConsumerAllocations) bool {
	if len(held.Allocations) == 0 {
		return value(w.before) == 0
	}
	return w.before != nil && held.Generation == *w.before
}

// adopt takes over the empty consumer record with generation 0 that Placement leaves behind when it refuses a new
// consumer because a provider is missing: the next write must name that generation instead of null.
// See placement/handlers/allocation.py:_set_allocations_for_consumer.
func (w *write) adopt(held *ConsumerAllocations, conflict error) {
	if len(held.Allocations) > 0 || value(w.before) != 0 {
		return
	}
	if w.before == nil && strings.Contains(conflict.Error(), "expected 0 ") {
		w.before = new(int64)
		return
	}
	w.before = nil
}

// capacity tells a lack of room from other conflicts: Placement has no code of its own for it.
func capacity(err error) error {
	var e *Error
	if errors.As(err, &e) && e.StatusCode == http.StatusConflict && e.kind == nil {
		e.kind = ErrNoCapacity
	}
	return err
}
