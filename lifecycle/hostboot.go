package lifecycle

import (
	"context"
	"slices"
)

// HostBoot is for a host that has started: what is left there of instances that were evacuated is destroyed, and the
// guests that ran there run again, with their devices (B12: Nova starts them without). An instance whose devices are
// not bound any more is not started, its outcome says why. Records of other instances are passed over; the outcomes are
// in the order of the records that were not.
//
// It mirrors nova/compute/manager.py:_init_instance and _destroy_evacuated_instances.
func (m *Manager) HostBoot(ctx context.Context, host string, records []Record) []Outcome {
	var outcomes []Outcome
	for _, record := range records {
		left := slices.Contains(record.Left, host)
		here := record.Now.Host == host && record.runs()
		if !left && !here {
			continue
		}
		result, err := m.operate(ctx, OpHostBoot, record, func(ctx context.Context, r *run) error {
			if left {
				if err := r.cleanHost(ctx, host); err != nil || !here {
					return err
				}
			}
			return r.start(ctx, r.record.domain(), func(*Record) {})
		})
		outcomes = append(outcomes, Outcome{Instance: record.Instance(), Result: result, Err: err})
	}
	return outcomes
}

// cleanHost destroys what is left of the guest on a host that the instance was evacuated from.
func (r *run) cleanHost(ctx context.Context, host string) error {
	return r.do(ctx, StepGuest, func(ctx context.Context) error {
		if host != r.record.Now.Host { // else it is the guest's own place again
			if err := r.hypervisor.Destroy(ctx, r.guestOn(host)); err != nil {
				return err
			}
		}
		r.record.Left = slices.DeleteFunc(r.record.Left, func(name string) bool { return name == host })
		r.unsaved = true
		return nil
	})
}
