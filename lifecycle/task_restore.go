package lifecycle

import (
	"context"
	"errors"
)

// restoreARQs binds again what the instance has on record, on its host and at the same providers, of which Placement
// still holds its part. If nothing was freed, nothing is done.
func (r *run) restoreARQs(ctx context.Context) error {
	err := r.check(ctx)
	if err == nil || !errors.Is(err, ErrNotBound) {
		return err
	}
	if err := r.free(ctx, r.record.Now.Sets); err != nil {
		return err
	}
	now := r.record.Now.clone()
	for i := range now.Sets {
		if err := r.createAgain(ctx, &now.Sets[i]); err != nil {
			return err
		}
		r.record.Now = now.clone() // the new uuids are on record before anything else can fail
		if err := r.save(ctx); err != nil {
			return err
		}
	}
	if err := r.bindAll(ctx, now); err != nil {
		return err
	}
	return r.waitFor(ctx, now)
}
