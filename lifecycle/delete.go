package lifecycle

import (
	"context"
	"fmt"
)

// Delete frees the accelerators and the claim of the instance. The ARQs go first: were the claim released while an ARQ
// still holds its device, Placement would offer a device that Cyborg cannot bind (B22). What is gone already counts as
// done, so that a Delete that failed can simply be called again.
//
// It mirrors nova/compute/manager.py:_delete_instance and nova/compute/api.py:_local_delete.
func (m *Manager) Delete(ctx context.Context, record Record) error {
	step := &Step{Op: "delete", Instance: record.Instance, Host: record.Hostname, ID: StepARQs}
	err := m.do(ctx, step, func(ctx context.Context) error { return m.deleteARQs(ctx, record) })
	if err == nil {
		step.ID = StepClaim
		err = m.do(ctx, step, func(ctx context.Context) error { return m.placement.Release(ctx, record.Claim) })
	}
	return operationError(step, err, nil)
}

// deleteARQs deletes by instance, which also finds ARQs that the record does not know, then by the remembered uuids,
// which also finds ARQs that are not bound to the instance any more.
func (m *Manager) deleteARQs(ctx context.Context, record Record) error {
	if record.Version != RecordVersion {
		return fmt.Errorf("record has version %d, this program knows version %d", record.Version, RecordVersion)
	}
	if err := m.cyborg.DeleteARQsByInstance(ctx, record.Instance); err != nil {
		return err
	}
	if len(record.ARQs) == 0 {
		return nil
	}
	_, err := m.cyborg.DeleteARQs(ctx, record.ARQs...)
	return err
}
