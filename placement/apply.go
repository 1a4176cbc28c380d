package placement

import (
	"context"
	"errors"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceclasses"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"
)

// applier writes a plan and keeps track of the providers' generations.
type applier struct {
	*Client

	op          string
	plan        *plan
	have        state
	generations map[string]int
}

// apply writes a plan in its order. Each write to a provider names the generation that was read, so that it is refused
// with ErrConcurrentUpdate when somebody else wrote in between.
func (c *Client) apply(ctx context.Context, op string, plan *plan, have state) error {
	a := &applier{Client: c, op: op, plan: plan, have: have, generations: make(map[string]int)}
	for uuid, here := range have {
		a.generations[uuid] = here.Generation
	}
	steps := []func(context.Context) error{
		a.ensureNames, a.createProviders, a.moveProviders, a.writeTraits, a.reshape, a.writeInventories, a.retireProviders,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ensureNames creates the custom classes and traits; both calls leave alone what is there already.
func (a *applier) ensureNames(ctx context.Context) error {
	for _, class := range a.plan.classes {
		if err := resourceclasses.Update(ctx, a.at(baseline), class).ExtractErr(); err != nil {
			return wrap(a.op+": create resource class "+class, err)
		}
	}
	for _, trait := range a.plan.traits {
		if err := traits.Create(ctx, a.at(baseline), trait).ExtractErr(); err != nil {
			return wrap(a.op+": create trait "+trait, err)
		}
	}
	return nil
}

func (a *applier) createProviders(ctx context.Context) error {
	for _, node := range a.plan.create {
		created, err := resourceproviders.Create(ctx, a.at(baseline), resourceproviders.CreateOpts{
			Name: node.Name, UUID: node.UUID, ParentProviderUUID: node.parent,
		}).Extract()
		if err != nil {
			return a.explainCreate(ctx, node, wrap(a.op+": create provider "+node.Name, err))
		}
		a.generations[node.UUID] = created.Generation
	}
	return nil
}

// explainCreate tells a provider that was made by the same report elsewhere at the same time, which is worth another
// try, from one of others that has the name or the uuid.
func (a *applier) explainCreate(ctx context.Context, node node, failed error) error {
	if !errors.Is(failed, ErrForeign) {
		return failed
	}
	if here, err := a.Provider(ctx, node.UUID); err == nil && here.Name == node.Name && here.Parent == node.parent {
		return refuse(ErrConcurrentUpdate, a.op, "provider %q was created by somebody else at the same time", node.Name)
	}
	return failed
}

func (a *applier) moveProviders(ctx context.Context) error {
	for _, node := range a.plan.move {
		op := a.op + ": move provider " + node.Name
		if err := a.need(ctx, need{reparenting, "another parent"}, op); err != nil {
			return err
		}
		_, err := resourceproviders.Update(ctx, a.at(reparenting), node.UUID, resourceproviders.UpdateOpts{
			Name: &node.Name, ParentProviderUUID: &node.parent,
		}).Extract()
		if err != nil {
			return wrap(op, err)
		}
	}
	return nil
}

func (a *applier) writeTraits(ctx context.Context) error {
	for _, edit := range a.plan.edits {
		if edit.traits == nil {
			continue
		}
		written, err := resourceproviders.UpdateTraits(ctx, a.at(baseline), edit.uuid, resourceproviders.UpdateTraitsOpts{
			ResourceProviderGeneration: a.generations[edit.uuid], Traits: edit.traits,
		}).Extract()
		if err != nil {
			return wrap(a.op+": set traits of provider "+edit.uuid, err)
		}
		a.generations[edit.uuid] = written.ResourceProviderGeneration
	}
	return nil
}

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
		body := inventoriesBody{Generation: a.generations[edit.uuid], Inventories: edit.inventories}
		if err := resourceproviders.UpdateInventories(ctx, a.at(baseline), edit.uuid, body).Err; err != nil {
			return wrap(a.op+": set inventories of provider "+edit.uuid, err)
		}
	}
	return nil
}
