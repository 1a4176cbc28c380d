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
	case FindingInterrupted:
		return r.finish(ctx)
	case FindingPending:
		if len(s.judgeBound(r.record)) > 0 && r.record.waitsForDevices() {
			return r.rebindAll(ctx, s)
		}
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
		return r.rebindAll(ctx, s)
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
	has, err := r.placement.Allocations(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	missing := placement.Candidate{Allocations: subtractAllocations(r.record.wants(), has.Allocations)}
	if len(missing.Allocations) == 0 {
		return nil
	}
	held := placement.Claim{Consumer: r.record.Consumer, Generation: has.Generation, Allocations: has.Allocations}
	if err := r.expect(ctx, held, missing); err != nil {
		return err
	}
	claim, err := r.put(ctx, held, missing)
	if err != nil && claim.Allocations == nil { // it was surely not taken
		r.record.Operation.Undo = nil
		r.claimed(held)
	}
	if errors.Is(err, placement.ErrNoCapacity) {
		return fmt.Errorf("others have it by now, Migrate or Evacuate finds the instance other devices: %w", err)
	}
	return err
}

// expect puts on record what the instance may hold after a claim of what it lacks, whose answer may get lost. There is
// nothing to take back: the task just finds out which of the two it holds. One that holds nothing needs no task, a claim
// without generation says the same.
func (r *run) expect(ctx context.Context, held placement.Claim, missing placement.Candidate) error {
	all := addAllocations(held.Allocations, missing.Allocations)
	if len(held.Allocations) == 0 {
		r.claimed(placement.Claim{Consumer: r.record.Consumer, Allocations: all})
		return r.save(ctx)
	}
	return r.intend(ctx, Task{Kind: TaskAllocate, Keep: all, Known: []map[string]map[string]int64{held.Allocations}})
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

// waitsForDevices says whether something is pending that a rebind does, and that cannot be done before it.
func (r Record) waitsForDevices() bool {
	return r.runs() && slices.ContainsFunc(r.Pending, func(t Task) bool { return slices.Contains(overtakes[OpReconcile], t.Kind) })
}

// rebindAll is rebind as an operation. What it does itself of what is pending does not come first.
func (r *run) rebindAll(ctx context.Context, s *survey) (*Result, error) {
	r.rebinds = r.record.waitsForDevices()
	return r.all(ctx, func(ctx context.Context, r *run) error { return r.rebind(ctx, s) })
}

// rebind binds new ARQs for all that the instance has on record, because Cyborg binds those of an instance in one
// request. A guest that has devices is stopped before they are freed. That it is to run with the new ones is on record
// until it does: whatever ends the repair, what is left of it is pending.
func (r *run) rebind(ctx context.Context, s *survey) error {
	if err := r.do(ctx, StepProfile, func(ctx context.Context) error { return r.checkRebind(ctx, s) }); err != nil {
		return err
	}
	if !r.record.runs() {
		if err := r.do(ctx, StepARQs, r.restoreARQs); err != nil {
			return err
		}
		return r.commit(ctx, unchanged)
	}
	if err := r.do(ctx, StepGuest, r.stopToRebind); err != nil {
		return err
	}
	if err := r.do(ctx, StepARQs, r.restoreARQs); err != nil {
		return err
	}
	return r.commit(ctx, unchanged, r.restart()...)
}

// stopToRebind powers the guest off. Ending the repair early does not start it again with the devices that it had, which
// are not bound any more, but goes on with what the repair is for.
func (r *run) stopToRebind(ctx context.Context) error {
	host := r.record.Now.Host
	rest := append(r.restart(), Task{Kind: TaskRestoreARQs}, Task{Kind: TaskDestroyGuest, Host: host})
	r.record.Operation.Undo, r.keep = nil, 0 // this does what was set aside
	if err := r.intend(ctx, rest...); err != nil {
		return err
	}
	if err := r.destroy(ctx, host); err != nil {
		return err
	}
	r.revise()
	return nil
}

// restart is the task that starts the guest after a rebind. Without a hypervisor it composes the domain XML, if there is one.
func (r *run) restart() []Task {
	if r.record.domain() == "" {
		return nil
	}
	return []Task{{Kind: TaskRestoreGuest, Step: StepGuest}}
}

// checkRebind refuses to take devices that Placement may offer to others, or others than the instance had (B21), and to
// stop a guest that cannot be started again.
func (r *run) checkRebind(ctx context.Context, s *survey) error {
	for _, set := range r.record.Now.Sets {
		if lacks := subtractAllocations(set.Allocations, s.held[r.record.Instance()]); len(lacks) > 0 {
			return fmt.Errorf("the instance does not hold %v in Placement any more: Migrate or Evacuate finds it other devices", lacks)
		}
	}
	if r.runsGuests() && r.record.runs() && r.record.domain() == "" {
		return errNoDomain
	}
	return r.readProfiles(ctx, &plan{next: r.record.Now.clone()})
}
