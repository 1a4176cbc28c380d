package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/virtdriver"
)

// wait is step 7: until every ARQ is Bound, on this host, for this instance
// (nova/compute/manager.py:_get_bound_arq_resources, without B2, B14 and B18).
func (a *attempt) wait(ctx context.Context) error {
	if len(a.bindings) == 0 {
		return nil
	}
	bound, err := a.waiter.Wait(ctx, virtdriver.Expectation{
		Instance: a.Consumer.UUID, Hostname: a.step.Host, ARQs: a.uuids(),
	})
	if err != nil {
		return err
	}
	a.bound = bound
	return nil
}
