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
	aggregates  []string // read only of what is to be removed
	inventories inventorySet
	used        map[string]int64
}

// read fetches the state: whole trees, but details only of the providers that are wanted or owned.
func (c *Client) read(ctx context.Context, op string, roots []string, interest map[string]bool) (state, error) {
	have := make(state)
	for _, root := range distinct(roots) {
		if have[root] != nil {
			continue
		}
		tree, err := c.readTree(ctx, op, root)
		if err != nil {
			return nil, err
		}
		for _, provider := range tree {
			if have[provider.UUID] != nil {
				return nil, refuse(ErrConcurrentUpdate, op, "provider %q (%s) is in two trees: it was moved while they were read", provider.Name, provider.UUID)
			}
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

// sameTraits reads the traits of a provider once more: a list is written back as a whole, so that what a broken answer
// lacks would be removed. It tells whether the provider was changed by others since, so that no answer need be wrong.
func (r *reporting) sameTraits(ctx context.Context, was *found) (moved bool, err error) {
	op := r.op + ": read provider " + was.UUID
	here := found{Provider: was.Provider}
	if err := r.readTraits(ctx, op, &here); err != nil {
		return false, err
	}
	if made, ours := r.owned[was.UUID]; ours && here.Generation != was.Generation {
		made.Traits = slices.DeleteFunc(slices.Clone(made.Traits), func(trait string) bool { return !slices.Contains(here.traits, trait) })
		r.owned[was.UUID] = made
	}
	if moved = here.Generation != was.Generation; moved || !slices.Equal(distinct(here.traits), distinct(was.traits)) {
		return moved, refuse(ErrConcurrentUpdate, op, "the traits are others than a moment ago")
	}
	return false, nil
}

// readStock fetches inventories and usages. A set of inventories is written back as a whole, so that one which the answer
// lacks would be removed: the two answers must name the same classes.
func (c *Client) readStock(ctx context.Context, op string, provider *found) error {
	err := c.get(ctx, getInventories, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetInventories(ctx, c.at(baseline), provider.UUID).Result
	}, part{"inventories", &provider.inventories})
	if err == nil {
		err = provider.inventories.check(op)
	}
	if err != nil {
		return err
	}
	if err := c.readUsages(ctx, op, provider.UUID, &provider.used); err != nil {
		return err
	}
	for _, class := range slices.Sorted(maps.Keys(provider.used)) {
		if _, has := provider.inventories[class]; !has {
			return refuse(ErrConcurrentUpdate, op, "it has usages of %s, but no inventory", class)
		}
	}
	return nil
}

// readAggregates fetches the aggregates that a provider is in.
func (c *Client) readAggregates(ctx context.Context, op string, provider *found) error {
	op += ": read provider " + provider.UUID
	return c.get(ctx, getAggregates, op, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetAggregates(ctx, c.at(baseline), provider.UUID).Result
	}, part{"aggregates", &provider.aggregates})
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

// below returns the uuids of all providers below one.
func (s state) below(uuid string) []string {
	var below []string
	for _, child := range s.children(uuid) {
		below = append(append(below, child), s.below(child)...)
	}
	return below
}
