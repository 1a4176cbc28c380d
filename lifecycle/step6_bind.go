package lifecycle

import (
	"context"
	"errors"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// bindAll is step 6: one PATCH /v2/accelerator_requests with all ARQs of the instance, because Cyborg takes no second one
// for the same instance. It needs no undo of its own: Cyborg unbinds what the undo of step 5 deletes.
//
// The answer alone does not decide: Cyborg binds first and answers with an error if Nova then refuses the event
// (cyborg/common/nova_client.py), and an answer can get lost. Where all ARQs are bound, the step has worked.
func (r *run) bindAll(ctx context.Context, h Holding) error {
	var bindings []cyborgclient.Binding
	for _, set := range h.Sets {
		for _, arq := range set.ARQs {
			bindings = append(bindings, cyborgclient.Binding{
				ARQ: arq.UUID, Hostname: h.Host, DeviceRP: arq.Provider, Instance: r.record.Instance(),
			})
		}
	}
	if len(bindings) == 0 {
		return nil
	}
	err := r.cyborg.Bind(ctx, bindings)
	if failed, ok := errors.AsType[*cyborgclient.Error](err); ok && failed.AllBound() {
		return nil
	}
	return err
}
