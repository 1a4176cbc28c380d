package lifecycle

import "context"

// Rebuild starts the instance anew on its host from another domain XML, as after a change of its image, with the
// accelerators that it has. If that fails, the guest runs as before. It mirrors
// nova/conductor/manager.py:rebuild_instance without recreate.
func (m *Manager) Rebuild(ctx context.Context, record Record, domain []byte) (*Result, error) {
	return m.operate(ctx, OpRebuild, record, func(ctx context.Context, r *run) error {
		if err := r.checkDomain(domain); err != nil {
			return err
		}
		now := r.record.Now
		now.Domain = string(domain)
		if r.record.State != StateStopped {
			return r.start(ctx, now.Domain, become(StateActive, now))
		}
		if err := r.do(ctx, StepCheck, r.check); err != nil {
			return err
		}
		if err := r.do(ctx, StepCompose, func(context.Context) error { return r.compose(now, now.Domain) }); err != nil {
			return err
		}
		return r.commit(ctx, become(StateStopped, now))
	})
}

// Rescue starts the guest from a rescue domain XML, with its devices: Nova leaves them out (B13). Unrescue goes back to
// the domain XML on record.
func (m *Manager) Rescue(ctx context.Context, record Record, domain []byte) (*Result, error) {
	return m.operate(ctx, OpRescue, record, func(ctx context.Context, r *run) error {
		if err := r.checkDomain(domain); err != nil {
			return err
		}
		return r.start(ctx, string(domain), func(record *Record) { record.State, record.Rescue = StateRescued, string(domain) })
	})
}

// Unrescue starts the guest from its own domain XML again.
func (m *Manager) Unrescue(ctx context.Context, record Record) (*Result, error) {
	return m.restart(ctx, OpUnrescue, record)
}
