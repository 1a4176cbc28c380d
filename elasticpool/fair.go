package elasticpool

import (
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// giveBack is how many VMs of a class a queue has above its share.
type giveBack struct {
	class *Class
	n     int
}

// share finds out what of its need each queue may have: weighted dominant-resource fairness with floors and
// ceilings, within bounds that urgencies explains.
func (d *deciding) share() {
	d.own = d.taken()
	d.capacity = d.limits()
	var queues []quota.Queue
	var demands []quota.Demand
	var apply []func(quota.Grant)
	urgent := d.urgencies()
	for _, q := range d.queues {
		queues = append(queues, quota.Queue{
			Name: q.Name, Weight: q.Weight, Keep: urgent[q].keep, Boost: urgent[q].boost,
			Min: floor(q.Queue), Max: ceiling(q.Queue), Credit: d.state.Queues[q.Name].Use,
		})
		for _, held := range d.held(q) {
			demands = append(demands, quota.Demand{Queue: q.Name, Want: held.n, Options: []quota.Option{option(held.class, held.n)}})
			apply = append(apply, func(g quota.Grant) {
				q.view.Target += g.PerOption[0]
				if over := held.n - g.PerOption[0]; over > 0 {
					q.over = append(q.over, giveBack{held.class, over})
				}
			})
		}
		for _, leased := range append(d.leased(q), d.leftovers(q)...) {
			demands = append(demands, quota.Demand{Queue: q.Name, Want: leased.n, Options: []quota.Option{option(leased.class, leased.n)}})
			apply = append(apply, func(quota.Grant) {}) // they only keep others from having it
		}
		for _, l := range q.lacks {
			demand := quota.Demand{Queue: q.Name, Want: d.useful(l)}
			for _, class := range l.options {
				demand.Options = append(demand.Options, option(class, 0))
			}
			demands = append(demands, demand)
			apply = append(apply, func(g quota.Grant) {
				for i, n := range g.PerOption {
					q.view.Target += n
					l.granted[l.options[i].Name] += n
				}
			})
		}
	}
	for i, grant := range quota.Share(d.capacity, queues, demands) {
		apply[i](grant)
	}
	d.hysteresis()
}

func option(class *Class, have int) quota.Option {
	return quota.Option{Class: class.Name, Cloud: class.Cloud, Unit: class.Takes, Have: have}
}

// held returns how many needed VMs a queue has of each class.
func (d *deciding) held(q *queueNow) []giveBack {
	return d.byClass(q, func(vm *VM) bool { return q.needed[vm.ID] })
}

// idle returns how many VMs of each class serve a queue, or are about to, that it does not need.
func (d *deciding) idle(q *queueNow) []giveBack {
	return d.byClass(q, func(vm *VM) bool { return !q.needed[vm.ID] && (vm.State == Joined || vm.State == Joining) })
}

// byClass returns how many VMs of each class of a queue are such.
func (d *deciding) byClass(q *queueNow, such func(*VM) bool) []giveBack {
	n := map[string]int{}
	for _, vm := range q.vms {
		if such(vm) {
			n[vm.Class]++
		}
	}
	return d.ofClasses(n)
}

// take returns what VMs take of their clouds.
func take(vms []giveBack) Resources {
	takes := Resources{}
	for _, of := range vms {
		takes = takes.Plus(of.class.Takes.Times(int64(of.n)))
	}
	return takes
}

// ofClasses returns numbers of VMs by class, in the policy's order.
func (d *deciding) ofClasses(n map[string]int) []giveBack {
	var found []giveBack
	for i := range d.policy.Classes {
		if class := &d.policy.Classes[i]; n[class.Name] > 0 {
			found = append(found, giveBack{class, n[class.Name]})
		}
	}
	return found
}

// leased returns what the quota service has promised to a queue, as VMs of the classes that they will be taken for.
func (d *deciding) leased(q *queueNow) []giveBack {
	var found []giveBack
	for _, lease := range d.in.Leases {
		if lease.Queue != q.Name || lease.Units <= 0 {
			continue
		}
		class := d.classes[lease.Class]
		for i := range d.policy.Classes {
			if other := &d.policy.Classes[i]; class == nil && serves(other, &q.Queue) && !hasDevices(other) {
				class = other
			}
		}
		if class != nil {
			found = append(found, giveBack{class, min(lease.Units, d.policy.Control.MaxInFlight+len(d.state.VMs))}) // of a cloud without limits anything is leased
		}
	}
	return found
}

// leftovers returns VMs that still take of a queue's part though they are not counted on: they drain with jobs on them,
// have to leave, or come up on a host where others failed. Drains that the queue's lack will cancel are not among them.
func (d *deciding) leftovers(q *queueNow) []giveBack {
	n := map[string]int{}
	lacking := q.lacking()
	for _, vm := range d.state.VMs {
		if vm.Queue != q.Name {
			continue
		}
		drains := vm.State == Draining && len(d.workers[vm.ID].Jobs) > 0
		if drains && lacking > 0 && d.evicted(vm) == "" {
			lacking--
			continue
		}
		if drains || counts(vm) && (d.quarantinedOnTheWay(vm) || d.evicted(vm) != "") {
			n[vm.Class]++
		}
	}
	return d.ofClasses(n)
}

// floor and ceiling are a queue's thresholds by resource.
func floor(q Queue) Resources {
	r := Resources{}.Plus(q.LowerOf)
	if q.Lower > 0 {
		r[VMs] = q.Lower
	}
	return r
}

func ceiling(q Queue) Resources {
	r := Resources{}.Plus(q.UpperOf)
	if q.Upper > 0 {
		r[VMs] = q.Upper
	}
	return r
}

// limits returns what the pool may take of each cloud in all. Of a cloud whose limits are not known it is what the
// pool has there.
func (d *deciding) limits() map[string]Resources {
	capacity := map[string]Resources{}
	for _, cloud := range d.policy.Clouds {
		seen := d.in.Clouds[cloud.Name]
		limits := seen.Value.Limits.Total.Clone()
		if seen.At.IsZero() || cloud.Drain {
			limits = d.own[cloud.Name].Clone()
		}
		limits = lower(limits, cloud.Max)
		for i := range d.policy.Classes {
			if class := &d.policy.Classes[i]; class.Cloud == cloud.Name && class.Max > 0 {
				limits = lower(limits, Resources{"class " + class.Name: int64(class.Max)})
			}
		}
		capacity[cloud.Name] = limits
	}
	return capacity
}

// taken returns what the pool's VMs take of each cloud.
func (d *deciding) taken() map[string]Resources {
	n := map[*Class]int64{}
	for _, vm := range d.state.VMs {
		if class := d.classOf(vm); class != nil {
			n[class]++
		}
	}
	own := map[string]Resources{}
	for class, n := range n {
		own[class.Cloud] = own[class.Cloud].Plus(class.Takes.Times(n))
	}
	return own
}

// lower returns limits with those of other where they are lower or alone.
func lower(limits, other Resources) Resources {
	if limits == nil {
		limits = Resources{}
	}
	for resource, amount := range other {
		if has, limited := limits[resource]; !limited || amount < has {
			limits[resource] = amount
		}
	}
	return limits
}

// useful returns how many VMs of a lack the clouds can hold at all: a million waiting jobs need not be shared one by one.
func (d *deciding) useful(l *lack) int {
	most := 0
	for _, class := range l.options {
		n := d.policy.Control.MaxInFlight + len(d.state.VMs) // of a cloud without limits
		for resource, amount := range class.Takes {
			if has, limited := d.capacity[class.Cloud][resource]; limited && amount > 0 {
				n = min(n, int(max(has, 0)/amount))
			}
		}
		most += n
	}
	return min(l.want, most)
}

// hysteresis counts for how many decisions in a row each queue has been above its share.
func (d *deciding) hysteresis() {
	for _, q := range d.queues {
		s := d.state.Queues[q.Name]
		if len(q.over) == 0 {
			s.Over = 0
			continue
		}
		s.Over++
	}
}
