package placement

import (
	"context"
	"errors"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// retireProviders deletes what vanished. A provider that got a child a moment ago stays, and is reported as such.
func (a *applier) retireProviders(ctx context.Context) error {
	for _, uuid := range a.plan.retire {
		err := a.retire(ctx, a.op+": delete provider "+uuid, uuid)
		switch {
		case errors.Is(err, ErrNotFound):
			delete(a.owned, uuid)
		case errors.Is(err, ErrInUse):
			a.plan.kept = append(a.plan.kept, err)
		case err != nil:
			return err
		}
	}
	return nil
}

// retire deletes a provider if nobody else wrote to it since it was read. A DELETE names no generation and takes along
// whatever others put there, but the write before it does, and the generation after that is looked at once more; only the
// time between that look and the DELETE cannot be guarded.
func (a *applier) retire(ctx context.Context, op, uuid string) error {
	if a.plan.reshape[uuid] != nil {
		if err := a.readReshaped(ctx, op, uuid); err != nil {
			return err
		}
	}
	if err := a.setInventories(ctx, op, uuid, inventorySet{}); err != nil {
		return err
	}
	here, err := a.Provider(ctx, uuid)
	if err != nil {
		return err
	}
	if here.Generation != a.generations[uuid] || here.Name != a.have[uuid].Name {
		return refuse(ErrConcurrentUpdate, op, "others wrote to it after it was read")
	}
	return a.write(ctx, deleteProvider, op, Owned{uuid: {}}, func(ctx context.Context) (gophercloud.Result, error) {
		answer := resourceproviders.Delete(ctx, a.at(baseline), uuid)
		return answer.Result, answer.Err
	})
}

// readReshaped reads the generation of a provider that a reshape has emptied: its answer does not tell.
func (a *applier) readReshaped(ctx context.Context, op, uuid string) error {
	here := found{Provider: Provider{UUID: uuid}}
	if err := a.readDetails(ctx, op, &here); err != nil {
		return err
	}
	if len(here.inventories) > 0 || !slices.Equal(distinct(here.traits), distinct(a.have[uuid].traits)) {
		return refuse(ErrConcurrentUpdate, op, "others wrote to it after it was read")
	}
	a.generations[uuid] = here.Generation
	return nil
}
