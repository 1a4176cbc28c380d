package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/placement"
)

// allocate makes the instance hold exactly what the task keeps, if it holds that already or what the operation is known
// to have written. Whatever else it holds is somebody else's doing and stays.
func (r *run) allocate(ctx context.Context, task Task) error {
	held, err := r.placement.Allocations(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	claim := placement.Claim{Consumer: r.record.Consumer, Generation: held.Generation, Allocations: held.Allocations}
	ours := func(known map[string]map[string]int64) bool { return equalAllocations(held.Allocations, known) }
	switch {
	case len(held.Allocations) == 0:
		r.claimed(placement.Claim{})
		if len(task.Keep) > 0 {
			return fmt.Errorf("the instance holds nothing in Placement any more, it should hold %v", task.Keep)
		}
		return nil
	case ours(task.Keep):
		r.claimed(claim)
		return nil
	case !slices.ContainsFunc(task.Known, ours):
		return fmt.Errorf("%w: the instance holds %v", placement.ErrConsumerChanged, held.Allocations)
	case len(task.Keep) == 0:
		if err := r.placement.Release(ctx, claim); err != nil {
			return err
		}
		r.claimed(placement.Claim{})
		return nil
	}
	kept, err := r.placement.Drop(ctx, claim, subtractAllocations(held.Allocations, task.Keep))
	if err != nil {
		return err
	}
	r.claimed(kept)
	return nil
}

// claimed puts on record what the instance holds in Placement.
func (r *run) claimed(claim placement.Claim) {
	r.record.Claim = claim
	r.unsaved = true
}
