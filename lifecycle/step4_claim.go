package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// claimCandidate is step 4: PUT /allocations/{instance} with the candidate's mappings
// (nova/scheduler/client/report.py:claim_resources). An instance that moves holds both hosts from here until the
// operation ends, so that it can go back. Its undo gives the new part back, also one whose outcome is unknown. What a
// claim that was surely not taken finds under the instance is somebody else's.
func (r *run) claimCandidate(ctx context.Context, next *Holding) error {
	root, err := r.placement.Provider(ctx, r.candidate.RootProvider)
	if err != nil {
		return err
	}
	r.step.Host, next.Host, next.Root = root.Name, root.Name, root.UUID
	if err := r.claimMore(ctx, r.record.Claim, r.candidate); err != nil {
		return err
	}
	r.share(next)
	return nil
}

// claimMore claims a candidate beside what the instance holds.
func (r *run) claimMore(ctx context.Context, held placement.Claim, more placement.Candidate) error {
	undo := Task{Kind: TaskAllocate, Keep: held.Allocations}
	undo.Known = append(undo.Known, addAllocations(held.Allocations, more.Allocations))
	if err := r.intend(ctx, undo); err != nil {
		return err
	}
	claim, err := r.put(ctx, held, more)
	if err != nil && claim.Allocations == nil {
		r.revise()
	}
	return err
}

// put claims a candidate beside what the instance holds; the caller has put on record what undoes it. The claim that
// comes with an error has allocations if it may be there all the same.
func (r *run) put(ctx context.Context, held placement.Claim, more placement.Candidate) (claim placement.Claim, err error) {
	if len(held.Allocations) == 0 {
		claim, err = r.placement.Claim(ctx, r.record.Consumer, more)
	} else {
		claim, err = r.placement.Move(ctx, held, more)
	}
	if err == nil {
		r.claimed(claim)
	}
	return claim, err
}

// share notes which part of the candidate each set takes.
func (r *run) share(next *Holding) {
	next.Allocations = addAllocations(next.Allocations, r.candidate.Allocations)
	for i := range next.Sets {
		set := &next.Sets[i]
		if set.Allocations == nil {
			set.Allocations = r.takes(*set)
		}
	}
}

func (r *run) takes(set Set) map[string]map[string]int64 {
	var taken map[string]map[string]int64
	for i := range set.Profile.Groups {
		id := requestspec.RequesterID(i, set.Owner)
		group, asked := r.request.Group(id)
		if providers := r.candidate.Mapping[id]; asked && len(providers) == 1 {
			taken = addAllocations(taken, map[string]map[string]int64{providers[0]: group.Resources})
		}
	}
	return taken
}
