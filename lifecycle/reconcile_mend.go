package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/placement"
)

// free gives back what belongs to no record.
func (m *Manager) free(ctx context.Context, s *survey, f Finding) error {
	step := Step{Op: OpReconcile, Instance: f.Instance, ID: StepARQs, Host: f.Host, ARQs: []string{f.ARQ}}
	if f.Kind != FindingIdle {
		return m.observed(ctx, step, func() error { return m.freeARQ(ctx, s, f.ARQ) })
	}
	if len(s.arqs) > 0 {
		return fmt.Errorf("it still has %d ARQs: were its claim released first, Placement would offer devices that Cyborg cannot bind", len(s.arqs))
	}
	step.ID, step.ARQs = StepClaim, nil
	return m.observed(ctx, step, func() error {
		held, err := m.placement.Allocations(ctx, f.Instance)
		if err != nil {
			return err
		}
		return m.placement.Release(ctx, placement.Claim{Consumer: held.Consumer, Generation: held.Generation, Allocations: held.Allocations})
	})
}

// freeARQ deletes an ARQ, or unbinds it if somebody else made it.
func (m *Manager) freeARQ(ctx context.Context, s *survey, arq string) error {
	if s.given(arq) {
		return m.cyborg.Unbind(ctx, arq)
	}
	_, err := m.cyborg.DeleteARQs(ctx, arq)
	return err
}

// mend makes what a record says so, or the record what is so.
func (r *run) mend(ctx context.Context, s *survey, f Finding) (*Result, error) {
	switch f.Kind {
	case FindingInterrupted, FindingPending:
		return r.finish(ctx)
	case FindingStale:
		return r.all(ctx, mendBy(StepARQs, func(ctx context.Context) error { return r.freeARQ(ctx, s, f.ARQ) }))
	case FindingIdle:
		held := s.held[f.Instance]
		give := Task{Keep: subtractAllocations(held, s.excess(r.record)), Known: []map[string]map[string]int64{held}}
		return r.all(ctx, mendBy(StepClaim, func(ctx context.Context) error { return r.allocate(ctx, give) }))
	case FindingUnallocated:
		return r.all(ctx, mendBy(StepClaim, r.claimMissing))
	case FindingAnswered:
		return r.all(ctx, mendBy(StepCheck, func(context.Context) error { return r.dropStrays(s) }))
	case FindingNotBound, FindingMisplaced:
		return r.all(ctx, func(ctx context.Context, r *run) error { return r.rebind(ctx, s) })
	default:
		return nil, fmt.Errorf("finding %q is not known: a newer program made the plan", f.Kind)
	}
}

// mendBy is an operation of one step that leaves the instance where and what it is.
func mendBy(id StepID, step func(context.Context) error) func(context.Context, *run) error {
	return func(ctx context.Context, r *run) error {
		if err := r.do(ctx, id, step); err != nil {
			return err
		}
		return r.commit(ctx, unchanged)
	}
}

// unchanged is the change that makes none beside what the steps put on record.
func unchanged(*Record) {}

// claimMissing claims again what the instance has on record and does not hold.
func (r *run) claimMissing(ctx context.Context) error {
	held, err := r.placement.Allocations(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	missing := placement.Candidate{Allocations: subtractAllocations(r.record.wants(), held.Allocations)}
	if len(missing.Allocations) == 0 {
		return nil
	}
	claim := placement.Claim{Consumer: r.record.Consumer, Generation: held.Generation, Allocations: held.Allocations}
	err = r.claimMore(ctx, claim, missing)
	if errors.Is(err, placement.ErrNoCapacity) {
		return fmt.Errorf("others have it by now, Migrate or Evacuate finds the instance other devices: %w", err)
	}
	return err
}

// dropStrays takes the tasks off the record that look for ARQs of creations without answer, when no ARQ is left that
// could be one.
func (r *run) dropStrays(s *survey) error {
	for _, task := range r.record.Pending {
		for _, arq := range s.arqs {
			if _, owned := s.owners[arq.UUID]; !owned && isFree(arq) && arq.DeviceProfileName == task.Profile && !slices.Contains(s.known.Prepared, arq.UUID) {
				return fmt.Errorf("ARQ %s may still be of a creation that was not answered", arq.UUID)
			}
		}
	}
	r.record.Pending = nil
	return nil
}

// rebind binds new ARQs for all that the instance has on record, because Cyborg binds those of an instance in one
// request. A guest that has devices is stopped before they are freed, and stays so if the others cannot be had.
func (r *run) rebind(ctx context.Context, s *survey) error {
	if err := r.do(ctx, StepProfile, func(ctx context.Context) error { return r.checkRebind(ctx, s) }); err != nil {
		return err
	}
	state, was := r.record.State, r.record.Was
	guest := r.record.runs()
	if guest {
		err := r.ask(ctx, StepGuest, func(ctx context.Context) error { return r.destroy(ctx, r.record.Now.Host) })
		if err == nil {
			err = r.commit(ctx, stopped)
		}
		if err != nil {
			return err
		}
	}
	if err := r.do(ctx, StepARQs, r.restoreARQs); err != nil {
		return err
	}
	if !guest {
		return r.commit(ctx, unchanged)
	}
	return r.commit(ctx, func(record *Record) { record.State, record.Was = state, was }, Task{Kind: TaskRestoreGuest, Step: StepGuest})
}

// checkRebind refuses to take devices that Placement may offer to others, or others than the instance had (B21).
func (r *run) checkRebind(ctx context.Context, s *survey) error {
	for _, set := range r.record.Now.Sets {
		if lacks := subtractAllocations(set.Allocations, s.held[r.record.Instance()]); len(lacks) > 0 {
			return fmt.Errorf("the instance does not hold %v in Placement any more: Migrate or Evacuate finds it other devices", lacks)
		}
	}
	return r.readProfiles(ctx, &plan{next: r.record.Now.clone()})
}

// stopped is the change of an instance whose guest was powered off.
func stopped(record *Record) {
	if record.State == StateMoved {
		record.Was = StateStopped
		return
	}
	record.State = StateStopped
}
