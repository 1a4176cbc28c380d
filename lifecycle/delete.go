package lifecycle

import (
	"context"
	"errors"
	"fmt"
)

// Delete frees the accelerators and the claim of the instance. The ARQs go first: were the claim released while an ARQ
// still holds its device, Placement would offer a device that Cyborg cannot bind (B22). What is gone already counts as
// done, so that a Delete that failed can simply be called again. Where the record is lost, [Manager.Recover] makes one.
//
// It mirrors nova/compute/manager.py:_delete_instance and nova/compute/api.py:_local_delete.
func (m *Manager) Delete(ctx context.Context, record Record) error {
	step := &Step{Op: "delete", Instance: record.Instance, Host: record.Hostname}
	if err := record.check(); err != nil {
		return operationError(step, err, nil)
	}
	step.ID = StepARQs
	err := m.do(ctx, step, func(ctx context.Context) error { return m.deleteARQs(ctx, record) })
	if err == nil {
		step.ID = StepClaim
		err = m.do(ctx, step, func(ctx context.Context) error { return m.placement.Release(ctx, record.Claim) })
	}
	return operationError(step, err, nil)
}

// deleteARQs deletes the remembered uuids, which also finds ARQs that are not bound to the instance any more, then by
// instance, which also finds ARQs that the record does not know.
func (m *Manager) deleteARQs(ctx context.Context, record Record) error {
	if len(record.ARQs) > 0 {
		if _, err := m.cyborg.DeleteARQs(ctx, record.ARQs...); err != nil {
			return err
		}
	}
	return m.cyborg.DeleteARQsByInstance(ctx, record.Instance)
}

// check refuses a record that would free only a part, before anything is freed.
func (r Record) check() error {
	if r.Version != RecordVersion {
		return fmt.Errorf("the record has version %d, this program knows version %d", r.Version, RecordVersion)
	}
	if err := checkUUID(r.Instance); err != nil {
		return err
	}
	if r.Claim.Consumer.UUID != r.Instance {
		return errors.New("the record's claim belongs to another consumer: Recover makes a record from what Placement and Cyborg know")
	}
	return nil
}
