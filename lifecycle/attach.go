package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// AttachRequest says which devices an instance gets in addition.
type AttachRequest struct {
	// Profile is the device profile to attach.
	Profile string
	// Interrupt allows that the guest loses all its accelerators for a moment. Cyborg binds all ARQs of an instance
	// in one request and refuses a second one since Ussuri, so that an instance that has accelerators gets more of
	// them only if all are bound anew.
	Interrupt bool
}

// Attach gives an instance the devices of one more device profile, on its host, while it runs. Its set is the last of the
// result's record. Nova refuses it.
func (m *Manager) Attach(ctx context.Context, record Record, request AttachRequest) (*Result, error) {
	return m.operate(ctx, OpAttach, record, func(ctx context.Context, r *run) error { return r.attach(ctx, request) })
}

func (r *run) attach(ctx context.Context, request AttachRequest) error {
	if err := requestspec.CheckProfileName(request.Profile); err != nil {
		return err
	}
	had := len(r.record.ARQs()) > 0
	if had && !request.Interrupt {
		return fmt.Errorf("the instance has accelerators, and Cyborg binds those of an instance in one request: %w", ErrInterruption)
	}
	now := r.record.Now
	set := Set{Source: SourceAttached, Owner: now.freeOwner(), Profile: ProfileSnapshot{Name: request.Profile}}
	next := now.clone()
	next.Sets = append(next.Sets, set)
	p := plan{next: next, host: now.Host, grows: true}
	if r.record.State == StateActive {
		if had {
			p.leave = r.detachAll
		}
		p.arrive = func(ctx context.Context) error { return r.attachNext(ctx, uuids(r.record.Operation.Next.Sets)) }
	}
	p.commit = func(ctx context.Context) error {
		return r.commit(ctx, become(r.record.State, *r.record.Operation.Next))
	}
	p.only = set.Owner
	return r.place(ctx, p)
}

// freeOwner is an owner of requester ids that no set has.
func (h Holding) freeOwner() string {
	for i := 1; ; i++ {
		owner := fmt.Sprintf("-attached-%d", i)
		if !slices.ContainsFunc(h.Sets, func(s Set) bool { return s.Owner == owner }) {
			return owner
		}
	}
}

// Detach takes the devices of a set from an instance and frees them, while it runs. The owner names the set, see
// [Set]; "" is the one of the flavor. Nova refuses it.
func (m *Manager) Detach(ctx context.Context, record Record, owner string) (*Result, error) {
	return m.operate(ctx, OpDetach, record, func(ctx context.Context, r *run) error { return r.detachSet(ctx, owner) })
}

func (r *run) detachSet(ctx context.Context, owner string) error {
	i := slices.IndexFunc(r.record.Now.Sets, func(s Set) bool { return s.Owner == owner })
	if i < 0 {
		var owners []string
		for _, set := range r.record.Now.Sets {
			owners = append(owners, set.Owner)
		}
		return fmt.Errorf("the instance has no set of accelerators with owner %q, it has %q", owner, owners)
	}
	set := r.record.Now.Sets[i]
	if set.Source == SourcePort {
		return fmt.Errorf("the accelerator belongs to port %s: detach the port", owner)
	}
	if err := r.record.Now.checkPart(set); err != nil {
		return err
	}
	next := r.record.Now.clone()
	next.Sets = slices.Delete(next.Sets, i, i+1)
	next.Allocations = subtractAllocations(next.Allocations, set.Allocations)
	if r.record.State == StateActive {
		if err := r.do(ctx, StepCheck, r.check); err != nil {
			return err
		}
		if err := r.detachOne(ctx, set); err != nil {
			return err
		}
	}
	return r.commit(ctx, become(r.record.State, next), append(freeTasks([]Set{set}), r.dropRest(next))...)
}

func (r *run) detachOne(ctx context.Context, set Set) error {
	return r.ask(ctx, StepDevices, func(ctx context.Context) error {
		if err := r.intend(ctx, Task{Kind: TaskAttach}); err != nil {
			return err
		}
		return r.detach(ctx, r.record.Now.Host, uuids([]Set{set}))
	})
}
