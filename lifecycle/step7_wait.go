package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// waitFor is step 7: until every ARQ is Bound, on this host, at its provider, for this instance
// (nova/compute/manager.py:_get_bound_arq_resources, without B2, B14 and B18).
func (r *run) waitFor(ctx context.Context, h Holding) error {
	arqs := uuids(h.Sets)
	r.bound = nil
	if len(arqs) == 0 {
		return nil
	}
	bound, err := r.waiter.Wait(ctx, virtdriver.Expectation{
		Instance: r.record.Instance(), Hostname: h.Host, ARQs: arqs, Providers: h.providers(),
	})
	if err != nil {
		return err
	}
	r.bound = bound
	return nil
}
