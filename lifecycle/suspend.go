package lifecycle

import "context"

// Suspend saves the guest's memory and stops it. libvirt cannot save a guest with host devices, so Nova refuses it; here
// the devices are detached first and stay bound, for guests that can stand it: calling Suspend says that this one can.
func (m *Manager) Suspend(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpSuspend, record, func(ctx context.Context, r *run) error {
		if err := r.detachAll(ctx); err != nil {
			return err
		}
		err := r.ask(ctx, StepGuest, func(ctx context.Context) error {
			if err := r.intend(ctx, Task{Kind: TaskPowerResume, Host: r.record.Now.Host}); err != nil {
				return err
			}
			return r.hypervisor.Power(ctx, r.guestOn(r.record.Now.Host), PowerSuspend)
		})
		if err != nil {
			return err
		}
		return r.commit(ctx, become(StateSuspended, r.record.Now))
	})
}

// Unsuspend lets a suspended guest go on and attaches its devices again. It is what Nova calls resume.
func (m *Manager) Unsuspend(ctx context.Context, record Record) (*Result, error) {
	return m.operate(ctx, OpUnsuspend, record, func(ctx context.Context, r *run) error {
		if err := r.do(ctx, StepCheck, r.check); err != nil {
			return err
		}
		now := r.record.Now
		err := r.ask(ctx, StepGuest, func(ctx context.Context) error {
			if err := r.intend(ctx, Task{Kind: TaskPowerSuspend, Host: now.Host}); err != nil {
				return err
			}
			return r.hypervisor.Power(ctx, r.guestOn(now.Host), PowerResume)
		})
		if err != nil {
			return err
		}
		r.record.Operation.Next = &now
		if err := r.attachNext(ctx, uuids(now.Sets)); err != nil {
			return err
		}
		return r.commit(ctx, become(StateActive, now))
	})
}
