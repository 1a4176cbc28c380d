package lifecycle

import (
	"context"
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// ResizeRequest says what an instance shall become.
type ResizeRequest struct {
	MoveRequest
	// Flavor is the new flavor; its device profile replaces that of the old one.
	Flavor requestspec.Flavor
	// SameHost also takes the present host, if it has room for both until the resize is confirmed.
	SameHost bool
}

// Migrate brings a powered-off instance to another host; a guest that runs is stopped and started there. The instance is
// StateMoved then, and Placement keeps its old devices for it until [Manager.Confirm] or [Manager.Revert]. Nova refuses
// this for instances with accelerators.
func (m *Manager) Migrate(ctx context.Context, record Record, request MoveRequest) (*Result, error) {
	return m.operate(ctx, OpMigrate, record, func(ctx context.Context, r *run) error {
		return r.relocate(ctx, r.movePlan(request))
	})
}

// Resize gives an instance another flavor, on another host unless the request allows the same one. It ends as Migrate
// does. Nova refuses it if the old flavor or the new one names a device profile (LP#1893751).
func (m *Manager) Resize(ctx context.Context, record Record, request ResizeRequest) (*Result, error) {
	return m.operate(ctx, OpResize, record, func(ctx context.Context, r *run) error {
		p := r.movePlan(request.MoveRequest)
		if request.SameHost {
			p.without = request.Without
		}
		sets, err := r.flavorWish(request.Flavor)
		if err != nil {
			return err
		}
		p.next.Spec.Flavor = request.Flavor
		p.next.Sets = append(sets, slices.DeleteFunc(p.next.Sets, func(s Set) bool { return s.Source == SourceFlavor })...)
		return r.relocate(ctx, p)
	})
}

// relocate moves the instance and remembers where it came from.
func (r *run) relocate(ctx context.Context, p plan) error {
	if r.guestRuns() {
		p.leave = r.stopGuest
	}
	p.commit = func(ctx context.Context) error {
		before, next := r.record.Now, *r.record.Operation.Next
		return r.commit(ctx, func(record *Record) {
			record.Before, record.Was = &before, record.State
			become(StateMoved, next)(record)
		})
	}
	return r.place(ctx, p)
}

// Confirm ends a migration or resize: what the instance had before is given up.
func (m *Manager) Confirm(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpConfirm, record, func(ctx context.Context, r *run) error {
		return r.commit(ctx, back(r.record.Was, r.record.Now), r.dropRest(r.record.Now))
	})
}

// back ends a move: the instance has one place again, and is what it was.
func back(was State, now Holding) func(*Record) {
	return func(record *Record) {
		become(was, now)(record)
		record.Before, record.Was = nil, ""
	}
}

// Revert takes a migration or resize back: the instance gets devices of the same providers as before, on the host that
// it came from.
func (m *Manager) Revert(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpRevert, record, func(ctx context.Context, r *run) error { return r.revert(ctx) })
}

func (r *run) revert(ctx context.Context) error {
	p, was := plan{next: r.record.Before.clone()}, r.record.Was
	next := &p.next
	r.record.Operation.Next, r.step.Host = next, next.Host
	if err := r.do(ctx, StepProfile, func(ctx context.Context) error { return r.readProfiles(ctx, &p) }); err != nil {
		return err
	}
	p.commit = func(ctx context.Context) error { return r.commit(ctx, back(was, *next), r.dropRest(*next)) }
	if was == StateActive {
		p.leave, p.arrive = r.stopGuest, r.spawnNext
	}
	return r.occupy(ctx, p)
}

// LiveMigrate brings a running guest to another host without stopping it: its devices are detached, devices of the
// other host are bound, the guest moves, and gets those. It is for guests that can do without for a while; Nova refuses
// it for all.
func (m *Manager) LiveMigrate(ctx context.Context, record Record, request MoveRequest) (*Result, error) {
	return m.operate(ctx, OpLiveMigrate, record, func(ctx context.Context, r *run) error {
		p := r.movePlan(request)
		p.leave = r.detachAll
		p.arrive = r.migrateGuest
		p.commit = func(ctx context.Context) error {
			next := *r.record.Operation.Next
			return r.commit(ctx, become(StateActive, next), r.dropRest(next))
		}
		return r.place(ctx, p)
	})
}

func (r *run) migrateGuest(ctx context.Context) error {
	next := r.record.Operation.Next
	err := r.ask(ctx, StepGuest, func(ctx context.Context) error {
		if err := r.intend(ctx, Task{Kind: TaskReturnGuest, Host: next.Host}); err != nil {
			return err
		}
		return r.hypervisor.Migrate(ctx, r.guestOn(r.record.Now.Host), next.Host)
	})
	if err != nil {
		return err
	}
	return r.attachNext(ctx, uuids(next.Sets))
}
