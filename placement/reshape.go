package placement

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// reshape moves inventories together with their allocations in one transaction (placement/handlers/reshaper.py).
// gophercloud has no function for it.
func (a *applier) reshape(ctx context.Context) error {
	if len(a.plan.shifts) == 0 {
		return nil
	}
	op := a.op + ": reshape"
	if err := a.need(ctx, need{reshaping, "the reshaper"}, op); err != nil {
		return err
	}
	r := &reshaper{consumers: make(map[string]*ConsumerAllocations), targets: make(map[place]*target)}
	if err := a.shiftAll(ctx, op, r); err != nil {
		return err
	}
	inventories, then := make(map[string]inventoriesBody, len(a.plan.reshape)), make(Owned)
	for uuid, set := range a.plan.reshape {
		maps.Copy(then, a.ownedWith(uuid, set))
		inventories[uuid] = inventoriesBody{Generation: a.generations[uuid], Inventories: set}
	}
	body := map[string]any{"inventories": inventories, "allocations": r.body()}
	err := a.write(ctx, reshape, op, then, func(ctx context.Context) (gophercloud.Result, error) {
		//nolint:bodyclose // gophercloud reads and closes it
		return resultOf(a.at(reshaping).Post(ctx, a.service.ServiceURL("reshaper"), body, nil, &gophercloud.RequestOpts{OkCodes: []int{reshape.status}}))
	})
	return a.refusedRoom(op, err)
}

// refusedRoom gives up the moves that Placement has no room for, though there was some when it was asked.
func (a *applier) refusedRoom(op string, err error) error {
	if err = capacity(err); !errors.Is(err, ErrNoCapacity) {
		return err
	}
	for _, shift := range a.plan.shifts {
		a.stuck[place{shift.class, shift.from}] = err
	}
	return refuse(ErrConcurrentUpdate, op, "placement has no room for it: plan anew")
}

// shiftAll moves the allocations of all shifts. If some cannot move, the plan is made anew without these shifts.
func (a *applier) shiftAll(ctx context.Context, op string, r *reshaper) error {
	stuck := false
	for _, shift := range a.plan.shifts {
		stays, err := a.shift(ctx, op, r, shift)
		if err != nil {
			return err
		}
		if stays != nil {
			a.stuck[place{shift.class, shift.from}], stuck = stays, true
		}
	}
	if stuck {
		return refuse(ErrConcurrentUpdate, op, "not everything can move: plan anew")
	}
	return nil
}

// shift moves the allocations of one class from one provider to those that get its inventory. It returns as stays why that
// cannot be.
func (a *applier) shift(ctx context.Context, op string, r *reshaper, shift shift) (stays, err error) {
	var taken map[string]resourceproviders.Allocation
	err = a.get(ctx, providerAllocations, op+": read allocations of provider "+shift.from, func(ctx context.Context) gophercloud.Result {
		return resourceproviders.GetAllocations(ctx, a.at(baseline), shift.from).Result
	}, part{"allocations", &taken})
	if err != nil {
		return nil, err
	}
	var consumers []string
	for consumer, allocation := range taken {
		if allocation.Resources[shift.class] == 0 {
			continue
		}
		if holds, err := a.consult(ctx, r, consumer, shift); err != nil {
			return nil, err
		} else if holds {
			consumers = append(consumers, consumer)
		}
	}
	for _, uuid := range shift.to {
		if err := a.measure(ctx, op, r, place{shift.class, uuid}); err != nil {
			return nil, err
		}
	}
	return r.move(op, shift, consumers), nil
}

// consult reads what a consumer holds, and tells whether that is still something of what is shifted. One that released
// it since the provider's allocations were read has nothing to move; Placement refuses an amount of 0.
func (a *applier) consult(ctx context.Context, r *reshaper, consumer string, shift shift) (bool, error) {
	held := r.consumers[consumer]
	if held == nil {
		var err error
		if held, err = a.Allocations(ctx, consumer); err != nil {
			return false, err
		}
	}
	if held.Allocations[shift.from][shift.class] == 0 {
		return false, nil
	}
	r.consumers[consumer] = held
	return true, nil
}

// measure works out how much room for a class a provider will have.
func (a *applier) measure(ctx context.Context, op string, r *reshaper, to place) error {
	if r.targets[to] != nil {
		return nil
	}
	var used map[string]int64
	if err := a.readUsages(ctx, op+": read usages of provider "+to.uuid, to.uuid, &used); err != nil {
		return err
	}
	inventory, _ := a.plan.reshape[to.uuid].get(to.class)
	r.targets[to] = &target{Inventory: inventory.withDefaults(), room: inventory.capacity() - used[to.class]}
	return nil
}

// target is where allocations can move to.
type target struct {
	Inventory

	room int64
}

// takes tells whether a consumer that holds something already can get more of it (placement/objects/allocation.py:_check_capacity_exceeded).
func (t *target) takes(held, more int64) bool {
	amount := held + more
	return more <= t.room && amount >= int64(t.MinUnit) && amount <= int64(t.MaxUnit) && amount%int64(t.StepSize) == 0
}

// reshaper holds the consumers whose allocations move, and where they can go.
type reshaper struct {
	consumers map[string]*ConsumerAllocations
	targets   map[place]*target
}

// move gives each consumer's amount to the first provider that takes it, the greatest amounts first.
func (r *reshaper) move(op string, shift shift, consumers []string) error {
	amount := func(consumer string) int64 { return r.consumers[consumer].Allocations[shift.from][shift.class] }
	slices.SortFunc(consumers, func(a, b string) int { return cmp.Or(cmp.Compare(amount(b), amount(a)), cmp.Compare(a, b)) })
	for _, consumer := range consumers {
		n := amount(consumer)
		i := slices.IndexFunc(shift.to, func(uuid string) bool {
			return r.targets[place{shift.class, uuid}].takes(r.consumers[consumer].Allocations[uuid][shift.class], n)
		})
		if i < 0 {
			return refuse(ErrInUse, op, "no provider has room for the %d %s that consumer %s holds of provider %s, or allows the amount",
				n, shift.class, consumer, shift.from)
		}
		r.targets[place{shift.class, shift.to[i]}].room -= n
		r.shiftOne(consumer, shift, shift.to[i], n)
	}
	return nil
}

func (r *reshaper) shiftOne(consumer string, shift shift, to string, amount int64) {
	held := r.consumers[consumer].Allocations
	delete(held[shift.from], shift.class)
	if len(held[shift.from]) == 0 {
		delete(held, shift.from)
	}
	if held[to] == nil {
		held[to] = make(map[string]int64)
	}
	held[to][shift.class] += amount
}

// body is the allocations part of the request.
func (r *reshaper) body() map[string]any {
	body := make(map[string]any, len(r.consumers))
	for _, consumer := range slices.Sorted(maps.Keys(r.consumers)) {
		held := r.consumers[consumer]
		w := write{consumer: held.Consumer, allocations: held.Allocations, before: &held.Generation}
		body[consumer], _ = w.ToAllocationUpdateMap() // it cannot fail
	}
	return body
}
