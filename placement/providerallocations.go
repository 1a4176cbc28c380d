package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// ProviderAllocations returns who holds what of one provider: it maps the uuid of each consumer to the amount taken of
// each resource class. It fails with ErrNotFound when there is no such provider.
// It mirrors nova/scheduler/client/report.py:get_allocations_for_resource_provider.
func (c *Client) ProviderAllocations(ctx context.Context, provider string) (map[string]map[string]int64, error) {
	op := "get allocations of provider " + provider
	var taken map[string]resourceproviders.Allocation
	err := c.get(ctx, providerAllocations, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetAllocations(ctx, c.at(baseline), segment(provider)).Result
	}, part{"allocations", &taken})
	if err != nil {
		return nil, err
	}
	held := make(map[string]map[string]int64, len(taken))
	for consumer, allocation := range taken {
		if len(allocation.Resources) == 0 {
			return nil, refuse(nil, op, "consumer %s holds nothing by the answer: is this the endpoint of Placement?", consumer)
		}
		held[consumer] = amounts(allocation.Resources)
	}
	return held, nil
}
