package placement

import (
	"context"
	"maps"
	"slices"

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
	answer := resourceproviders.GetTraits(ctx, c.at(baseline), provider.UUID)
	if err := decode(op, answer, "traits", &provider.traits); err != nil {
		return err
	}
	if err := decode(op, answer, "resource_provider_generation", &provider.Generation); err != nil {
		return err
	}
	return c.readStock(ctx, op, provider)
}

// readStock fetches inventories and usages.
func (c *Client) readStock(ctx context.Context, op string, provider *found) error {
	service := c.at(baseline)
	answer := resourceproviders.GetInventories(ctx, service, provider.UUID)
	if err := decode(op, answer, "inventories", &provider.inventories); err != nil {
		return err
	}
	return decode(op, resourceproviders.GetUsages(ctx, service, provider.UUID), "usages", &provider.used)
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
