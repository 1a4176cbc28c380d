package lifecycle

import (
	"context"
	"errors"
)

// Resume goes on from the last saved record after a crash: an operation that had committed is finished, any other is
// taken back, and what is pending is done. The record of the result says what the instance is then; StateNone means that
// a creation was taken back or a deletion finished. A record without an interrupted operation is taken as it is.
//
// The one thing that Resume cannot do is find ARQs whose creation was not answered before the crash: they stay in
// Pending until [Manager.Reconcile], which knows all records.
func (m *Manager) Resume(ctx context.Context, record Record) (*Result, error) {
	r := m.newRun(OpResume, record)
	if err := r.record.check(); err != nil {
		return nil, r.failure(err, nil)
	}
	ctx, leave, err := m.instances.enter(ctx, record.Instance())
	if err != nil {
		return nil, r.failure(err, nil)
	}
	defer func() { leave(r.record.clone()) }()
	return r.finish(ctx)
}

// finish ends an interrupted operation and does what is pending. Strays that may be left are no failure: the record still names them.
func (r *run) finish(ctx context.Context) (*Result, error) {
	end := r.end
	if r.record.Operation == nil {
		end = r.save // what is stored may be older
	}
	err := end(ctx)
	if err == nil || !r.record.unsettled() {
		err = errors.Join(err, r.settle(ctx))
	}
	if err != nil && !r.record.unsettled() && len(r.record.Pending) > 0 {
		err = r.save(ctx)
	}
	if err != nil {
		return nil, r.failure(err, nil)
	}
	return r.result(), nil
}
