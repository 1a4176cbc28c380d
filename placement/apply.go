package placement

import (
	"context"
	"errors"
	"maps"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// applier writes a plan and keeps track of the providers' generations.
type applier struct {
	*reporting

	plan        *plan
	have        state
	generations map[string]int
}

// apply writes a plan in its order. Each write to a provider names the generation that was read, so that it is refused
// with ErrConcurrentUpdate when somebody else wrote in between.
func (r *reporting) apply(ctx context.Context, plan *plan, have state) error {
	a := &applier{reporting: r, plan: plan, have: have, generations: make(map[string]int)}
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

// write sends a write at most once and notes what is owned after it: then, if it was done; what it was, if it surely was
// not; and both, if nobody knows.
func (r *reporting) write(ctx context.Context, o operation, op string, then Owned, send func(ctx context.Context) (gophercloud.Result, error)) error {
	if ctx.Err() != nil {
		return wrap(op, context.Cause(ctx))
	}
	if err := r.saveIntended(then); err != nil {
		return &Error{Op: op + ": save what is owned", cause: err}
	}
	err := r.call(ctx, o, op, func(ctx context.Context) (gophercloud.Result, error) { return send(osapi.AtMostOnce(ctx)) })
	unknown := err != nil && !refused(err) && !osapi.NeverSent(err)
	for uuid, made := range then {
		if err == nil {
			r.owned[uuid] = made
		} else if unknown {
			r.owned[uuid] = r.owned[uuid].or(made)
		}
	}
	if unknown {
		r.lost++
	}
	return err
}

// saveIntended saves what is owned while nobody knows whether a write was done: what a process goes on with when this one
// is killed.
func (r *reporting) saveIntended(then Owned) error {
	if r.save == nil {
		return nil
	}
	either := maps.Clone(r.owned)
	for uuid, made := range then {
		either[uuid] = r.owned[uuid].or(made)
	}
	return r.save(either)
}

func (a *applier) createProviders(ctx context.Context) error {
	for _, node := range a.plan.create {
		then := Owned{node.UUID: {Created: node.Name}}
		err := a.write(ctx, createProvider, a.op+": create provider "+node.Name, then, func(ctx context.Context) (gophercloud.Result, error) {
			answer := resourceproviders.Create(ctx, a.at(baseline), resourceproviders.CreateOpts{
				Name: node.Name, UUID: node.UUID, ParentProviderUUID: node.parent,
			})
			created, err := answer.Extract()
			if err == nil {
				a.generations[node.UUID] = created.Generation
			}
			return answer.Result, err
		})
		if err != nil {
			return a.explainCreate(ctx, node, err)
		}
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
		if err := a.unmoved(ctx, op, node.UUID); err != nil {
			return err
		}
		err := a.call(ctx, moveProvider, op, func(ctx context.Context) (gophercloud.Result, error) {
			answer := resourceproviders.Update(ctx, a.at(reparenting), node.UUID, resourceproviders.UpdateOpts{
				Name: &node.Name, ParentProviderUUID: &node.parent,
			})
			return answer.Result, answer.Err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unmoved looks whether a provider is still where it was read, under its name: a PUT names no generation, and gives back
// the name that it sends. Only the time between this look and the PUT cannot be guarded.
func (a *applier) unmoved(ctx context.Context, op, uuid string) error {
	here, err := a.Provider(ctx, uuid)
	if err != nil {
		return err
	}
	if was := a.have[uuid]; here.Name != was.Name || here.Parent != was.Parent {
		return refuse(ErrConcurrentUpdate, op, "others renamed or moved it after it was read")
	}
	return nil
}

func (a *applier) writeTraits(ctx context.Context) error {
	for _, edit := range a.plan.edits {
		if edit.traits == nil {
			continue
		}
		if here := a.have[edit.uuid]; here != nil {
			if _, err := a.sameTraits(ctx, here); err != nil {
				return err
			}
		}
		then := Owned{edit.uuid: a.owned[edit.uuid].withTraits(a.have.traits(edit.uuid), edit.traits)}
		err := a.write(ctx, putTraits, a.op+": set traits of provider "+edit.uuid, then, func(ctx context.Context) (gophercloud.Result, error) {
			answer := resourceproviders.UpdateTraits(ctx, a.at(baseline), edit.uuid, resourceproviders.UpdateTraitsOpts{
				ResourceProviderGeneration: a.generations[edit.uuid], Traits: edit.traits,
			})
			written, err := answer.Extract()
			if err == nil {
				a.generations[edit.uuid] = written.ResourceProviderGeneration
			}
			return answer.Result, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
