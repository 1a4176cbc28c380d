package lifecycle

import "context"

// Shelve powers the guest off and keeps its accelerators bound, until Unshelve or Offload. Storing the guest's image is
// the caller's. It mirrors nova/compute/api.py:shelve; what Nova asks of Cyborg after it has begun (B11) is not needed,
// because the record has it.
func (m *Manager) Shelve(ctx context.Context, record Record) (*Result, error) {
	return m.stop(ctx, OpShelve, StateShelved, record)
}

// Offload takes a shelved instance from its host: it keeps nothing but its record. It mirrors
// nova/compute/manager.py:_shelve_offload_instance.
func (m *Manager) Offload(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpOffload, record, func(ctx context.Context, r *run) error {
		now := r.record.Now
		todo := append([]Task{{Kind: TaskDestroyGuest, Step: StepGuest, Host: now.Host}}, freeTasks(now.Sets)...)
		return r.commit(ctx, become(StateOffloaded, now.unplaced()), append(todo, r.dropRest(Holding{}))...)
	})
}

// Unshelve starts a shelved instance where it is, and an offloaded one wherever there is room. A failure leaves it
// shelved or offloaded, and nothing behind: Nova keeps the claim and the ARQs (B2, B7). It mirrors
// nova/conductor/manager.py:unshelve_instance.
func (m *Manager) Unshelve(ctx context.Context, record Record, request MoveRequest) (*Result, error) {
	return m.operate(ctx, OpUnshelve, record, func(ctx context.Context, r *run) error {
		if r.record.State == StateShelved {
			return r.start(ctx, r.record.Now.Domain, become(StateActive, r.record.Now))
		}
		p := r.movePlan(request)
		p.arrive, p.grows = r.spawnNext, true
		p.commit = func(ctx context.Context) error { return r.commit(ctx, become(StateActive, *r.record.Operation.Next)) }
		return r.place(ctx, p)
	})
}
