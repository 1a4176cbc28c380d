package lifecycle

import (
	"context"
	"slices"
)

// MoveRequest says where an instance may go. The zero value is any host but the present one.
type MoveRequest struct {
	// Host is the name of the only compute node to take.
	Host string
	// Without are names of compute nodes not to take.
	Without []string
	// AcceptProfileChange goes on where a device profile is not what it was when the instance got its devices; the
	// default is ErrProfileChanged (B21).
	AcceptProfileChange bool
	// Domain is the libvirt domain XML there, without devices; nil leaves it as it is on record.
	Domain []byte
}

// movePlan is the plan of an instance that goes away from its host. Its guest runs there if it runs now.
func (r *run) movePlan(request MoveRequest) plan {
	next := r.record.Now.unplaced()
	if request.Domain != nil {
		next.Domain = string(request.Domain)
	}
	p := plan{
		next: next, host: request.Host, without: slices.Clone(request.Without), acceptChange: request.AcceptProfileChange,
	}
	if r.record.Now.Host != "" {
		p.without = append(append(p.without, r.record.Now.Host), r.record.Left...)
	}
	if r.guestRuns() {
		p.arrive = r.spawnNext
	}
	return p
}

// guestRuns says whether the instance has a guest.
func (r *run) guestRuns() bool {
	return slices.Contains([]State{StateActive, StateRescued, StateSuspended}, r.record.State)
}

// settled is the state after a move: a guest that had one runs.
func (r *run) settled() State {
	if r.guestRuns() {
		return StateActive
	}
	return r.record.State
}

// dropRest is the task that gives up in Placement what the instance does not keep.
func (r *run) dropRest(keep Holding) Task {
	return Task{
		Kind: TaskAllocate, Step: StepClaim, Keep: keep.Allocations, Known: []map[string]map[string]int64{r.record.Claim.Allocations},
	}
}

// Evacuate brings an instance whose host has failed to another one. The claim holds both hosts until it is there, so
// that a failed evacuation leaves the instance where it was, with its accelerators: Nova deletes them first and leaves
// the instance between the two (B8). What is left of the guest on the failed host is destroyed by HostBoot.
//
// It mirrors nova/conductor/manager.py:rebuild_instance with recreate.
func (m *Manager) Evacuate(ctx context.Context, record Record, request MoveRequest) (*Result, error) {
	return m.operate(ctx, OpEvacuate, record, func(ctx context.Context, r *run) error {
		p := r.movePlan(request)
		p.commit = func(ctx context.Context) error {
			next, from := *r.record.Operation.Next, r.record.Now.Host
			return r.commit(ctx, func(record *Record) {
				become(r.settled(), next)(record)
				record.Left = append(record.Left, from)
			}, r.dropRest(next))
		}
		return r.place(ctx, p)
	})
}
