package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/placement"
)

// Recover makes a record of an instance from what Placement and Cyborg know of it, for a caller that lost the one of
// Create. It knows no ARQs that are not bound, no ports and no profiles. An instance that owns nothing gives a record
// whose Delete has nothing to do.
func (m *Manager) Recover(ctx context.Context, instance string) (Record, error) {
	step := &Step{Op: "recover", Instance: instance}
	if err := checkUUID(instance); err != nil {
		return Record{}, operationError(step, err, nil)
	}
	record := Record{Version: RecordVersion, Instance: instance}
	step.ID = StepClaim
	err := m.do(ctx, step, func(ctx context.Context) error { return m.recoverClaim(ctx, &record) })
	if err == nil {
		step.ID = StepARQs
		err = m.do(ctx, step, func(ctx context.Context) error { return m.recoverARQs(ctx, &record) })
	}
	if err != nil {
		return Record{}, operationError(step, err, nil)
	}
	return record, nil
}

func (m *Manager) recoverClaim(ctx context.Context, record *Record) error {
	held, err := m.placement.Allocations(ctx, record.Instance)
	if err != nil {
		return err
	}
	record.Claim = placement.Claim{Consumer: held.Consumer, Generation: held.Generation, Allocations: held.Allocations}
	record.Claim.Consumer.UUID = record.Instance
	return nil
}

func (m *Manager) recoverARQs(ctx context.Context, record *Record) error {
	arqs, err := m.cyborg.ARQsByInstance(ctx, record.Instance)
	if err != nil {
		return err
	}
	for _, arq := range arqs {
		record.ARQs = append(record.ARQs, arq.UUID)
		record.Hostname = arq.Hostname
	}
	return nil
}
