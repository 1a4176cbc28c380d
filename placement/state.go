package placement

import (
	"context"
	"maps"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// state is what Placement holds of the trees that a report is about.
type state map[string]*found

// found is one provider of the state. Of providers that are neither wanted nor owned only the place is known.
type found struct {
	Provider

	traits      []string
	inventories inventorySet
	used        map[string]int64
}

// read fetches the state: whole trees, but details only of the providers of interest.
func (c *Client) read(ctx context.Context, op string, roots []string, interest map[string]bool) (state, error) {
	have := make(state)
	for _, root := range distinct(roots) {
		if have[root] != nil {
			continue
		}
		providers, err := c.listProviders(ctx, op, resourceproviders.ListOpts{InTree: root})
		if err != nil {
			return nil, err
		}
		for _, provider := range providers {
			have[provider.UUID] = &found{Provider: provider}
		}
	}
	for uuid, provider := range have {
		if !interest[uuid] {
			continue
		}
		if err := c.readDetails(ctx, op, provider); err != nil {
			return nil, err
		}
	}
	return have, nil
}

// readDetails fetches traits, inventories and usages. The generation of the first answer counts: whatever is written
// between the answers then makes our own write a conflict.
func (c *Client) readDetails(ctx context.Context, op string, provider *found) error {
	op += ": read provider " + provider.UUID
	if err := c.readTraits(ctx, op, provider); err != nil {
		return err
	}
	return c.readStock(ctx, op, provider)
}

// readTraits fetches traits and generation.
func (c *Client) readTraits(ctx context.Context, op string, provider *found) error {
	return c.get(ctx, getTraits, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetTraits(ctx, c.at(baseline), provider.UUID).Result
	}, part{"traits", &provider.traits}, part{"resource_provider_generation", &provider.Generation})
}

// readStock fetches inventories and usages.
func (c *Client) readStock(ctx context.Context, op string, provider *found) error {
	err := c.get(ctx, getInventories, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetInventories(ctx, c.at(baseline), provider.UUID).Result
	}, part{"inventories", &provider.inventories})
	if err != nil {
		return err
	}
	return c.readUsages(ctx, op, provider.UUID, &provider.used)
}

// readUsages fetches how much of a provider is allocated, by resource class.
func (c *Client) readUsages(ctx context.Context, op, uuid string, used *map[string]int64) error {
	return c.get(ctx, providerUsages, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetUsages(ctx, c.at(baseline), uuid).Result
	}, part{"usages", used})
}

// traits returns the traits of a provider, none if there is no such provider yet.
func (s state) traits(uuid string) []string {
	if here := s[uuid]; here != nil {
		return here.traits
	}
	return nil
}

// inventories is the same for inventories.
func (s state) inventories(uuid string) inventorySet {
	if here := s[uuid]; here != nil {
		return here.inventories
	}
	return nil
}

// children returns the uuids of the providers right below one, sorted.
func (s state) children(uuid string) []string {
	var below []string
	for _, id := range slices.Sorted(maps.Keys(s)) {
		if s[id].Parent == uuid {
			below = append(below, id)
		}
	}
	return below
}
