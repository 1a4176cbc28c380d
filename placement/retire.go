package placement

import (
	"context"
	"errors"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// retireProviders deletes what vanished. A provider that got a child a moment ago stays, and is reported as such.
func (a *applier) retireProviders(ctx context.Context) error {
	for _, uuid := range a.plan.retire {
		err := a.retire(ctx, a.op+": delete provider "+uuid, uuid)
		switch {
		case err == nil || errors.Is(err, ErrNotFound):
		case errors.Is(err, ErrInUse):
			a.plan.kept = append(a.plan.kept, err)
		default:
			return err
		}
	}
	return nil
}

// retire deletes a provider if nobody else wrote to it since it was read. A DELETE names no generation and takes along
// whatever others put there, but the write before it does. What others write after that is seen by reading once more;
// only the time between that and the DELETE cannot be guarded.
func (a *applier) retire(ctx context.Context, op, uuid string) error {
	if a.plan.reshape[uuid] == nil { // a reshape was such a write already
		body := inventoriesBody{Generation: a.generations[uuid], Inventories: inventorySet{}}
		if err := resourceproviders.UpdateInventories(ctx, a.at(baseline), uuid, body).Err; err != nil {
			return wrap(op, err)
		}
	}
	here := found{Provider: Provider{UUID: uuid}}
	if err := a.readDetails(ctx, op, &here); err != nil {
		return err
	}
	if len(here.inventories) > 0 || !slices.Equal(distinct(here.traits), distinct(a.have[uuid].traits)) {
		return refuse(ErrConcurrentUpdate, op, "others wrote to it after it was read")
	}
	return wrap(op, resourceproviders.Delete(ctx, a.at(baseline), uuid).ExtractErr())
}
