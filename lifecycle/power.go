package lifecycle

import "context"

// Stop powers the guest off; its accelerators stay bound.
func (m *Manager) Stop(ctx context.Context, record Record) (*Result, error) {
	return m.stop(ctx, OpStop, StateStopped, record)
}

func (m *Manager) stop(ctx context.Context, op Op, state State, record Record) (*Result, error) {
	return m.operate(ctx, op, record, func(ctx context.Context, r *run) error {
		if r.guestRuns() {
			if err := r.stopGuest(ctx); err != nil {
				return err
			}
		}
		return r.commit(ctx, become(state, r.record.Now))
	})
}

// Start composes the domain XML with the devices that Cyborg says are bound, and starts the guest. It refuses, and
// touches nothing, unless every ARQ on record is bound to this instance on its host.
// It mirrors nova/compute/manager.py:_power_on.
func (m *Manager) Start(ctx context.Context, record Record) (*Result, error) {
	return m.restart(ctx, OpStart, record)
}

// HardReboot starts the guest anew with its devices, whatever it does now. The same checks as for Start come first. It
// mirrors nova/compute/manager.py:_reboot_instance.
func (m *Manager) HardReboot(ctx context.Context, record Record) (*Result, error) {
	return m.restart(ctx, OpHardReboot, record)
}

func (m *Manager) restart(ctx context.Context, op Op, record Record) (*Result, error) {
	return m.operate(ctx, op, record, func(ctx context.Context, r *run) error {
		return r.start(ctx, r.record.Now.Domain, become(StateActive, r.record.Now))
	})
}

// SoftReboot asks the guest to restart. The same checks as for Start come first.
func (m *Manager) SoftReboot(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpSoftReboot, record, func(ctx context.Context, r *run) error {
		if err := r.do(ctx, StepCheck, r.check); err != nil {
			return err
		}
		err := r.ask(ctx, StepGuest, func(ctx context.Context) error {
			return r.hypervisor.Power(ctx, r.guestOn(r.record.Now.Host), PowerReboot)
		})
		if err != nil {
			return err
		}
		return r.commit(ctx, become(StateActive, r.record.Now))
	})
}

// start checks the devices, composes them into a domain XML and starts the guest from it, where the instance is. What
// becomes of the record is the change.
func (r *run) start(ctx context.Context, domain string, change func(*Record)) error {
	now := r.record.Now
	if err := r.do(ctx, StepCheck, r.check); err != nil {
		return err
	}
	if err := r.do(ctx, StepCompose, func(context.Context) error { return r.compose(now, domain) }); err != nil {
		return err
	}
	err := r.ask(ctx, StepGuest, func(ctx context.Context) error {
		undo := Task{Kind: TaskDestroyGuest, Host: now.Host}
		if r.guestRuns() || r.record.runs() {
			undo = Task{Kind: TaskRestoreGuest}
		}
		if err := r.intend(ctx, undo); err != nil {
			return err
		}
		return r.spawn(ctx, now.Host)
	})
	if err != nil {
		return err
	}
	return r.commit(ctx, change)
}
