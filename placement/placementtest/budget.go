package placementtest

import (
	"context"
	"net/http"
)

// defaultSearchSteps is the default of [WithSearchSteps].
const defaultSearchSteps = 1 << 25

const (
	// stepsPerLook is the number of steps from one look at the context to the next.
	stepsPerLook = 4096
	// stepsPerPart is what each amount and each provider of an answer counts for, so that the budget bounds memory too.
	stepsPerPart = 32
)

// budget bounds one search: by the context of its request, and by the number of steps. A step is about one provider looked at. The
// ways to combine providers can be more than anybody can wait for.
type budget struct {
	ctx   context.Context //nolint:containedctx // a budget lives as long as one request
	steps int
	spent int
	next  int // how much is spent when the context is looked at next
	fault *fault
	// exhausted tells that the steps were the reason to end.
	exhausted bool
}

func newBudget(ctx context.Context, steps int) *budget { return &budget{ctx: ctx, steps: steps} }

// spend counts steps, and tells whether the search may go on.
func (b *budget) spend(steps int) bool {
	b.spent += steps
	if b.spent >= b.next && b.fault == nil {
		b.look()
	}
	return b.fault == nil
}

// look finds out whether the search is over.
func (b *budget) look() {
	b.next = b.spent + stepsPerLook
	switch err := b.ctx.Err(); {
	case err != nil:
		b.fault = newFault(http.StatusServiceUnavailable, "the search was given up: %v", err)
	case b.spent > b.steps:
		b.exhausted = true
		b.fault = newFault(http.StatusInternalServerError, "the search was given up after %d steps: ask for fewer groups or set a "+
			"limit; the option WithSearchSteps allows more", b.steps)
	}
}

// over tells whether the search has to end.
func (b *budget) over() bool { return b.fault != nil }
