package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// inventoriesBody is the body of PUT /resource_providers/{uuid}/inventories, and a part of a reshape's.
type inventoriesBody struct {
	Generation  int          `json:"resource_provider_generation"`
	Inventories inventorySet `json:"inventories"`
}

// ToResourceProviderUpdateInventoriesMap makes the body. gophercloud's own options would round allocation ratios.
func (b inventoriesBody) ToResourceProviderUpdateInventoriesMap() (map[string]any, error) {
	return map[string]any{"resource_provider_generation": b.Generation, "inventories": b.Inventories}, nil
}

func (a *applier) writeInventories(ctx context.Context) error {
	for _, edit := range a.plan.edits {
		if edit.inventories == nil {
			continue
		}
		if err := a.setInventories(ctx, a.op+": set inventories of provider "+edit.uuid, edit.uuid, edit.inventories); err != nil {
			return err
		}
	}
	return nil
}

func (a *applier) setInventories(ctx context.Context, op, uuid string, set inventorySet) error {
	return a.write(ctx, putInventories, op, a.ownedWith(uuid, set), func(ctx context.Context) (gophercloud.Result, error) {
		body := inventoriesBody{Generation: a.generations[uuid], Inventories: set}
		answer := resourceproviders.UpdateInventories(ctx, a.at(baseline), uuid, body)
		written, err := answer.Extract()
		if err == nil {
			a.generations[uuid] = written.ResourceProviderGeneration
		}
		return answer.Result, err
	})
}

// ownedWith is what is owned once a provider has those inventories.
func (a *applier) ownedWith(uuid string, set inventorySet) Owned {
	return Owned{uuid: a.owned[uuid].withInventories(a.have.inventories(uuid), set)}
}
