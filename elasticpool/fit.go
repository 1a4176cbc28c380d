package elasticpool

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/classad"
)

// fits returns how many jobs of a group a slot can run at the same time.
func fits(slot, request Resources) int {
	most := int64(1 << 31)
	for resource, amount := range request {
		if amount > 0 {
			most = min(most, max(slot[resource], 0)/amount)
		}
	}
	return int(most)
}

// unfit returns why no VM of a class can run a job of a group, or nothing.
func (c *Controller) unfit(class *Class, g *JobGroup) string {
	for _, resource := range sortedKeys(g.Request) {
		if has := class.Slot[resource]; g.Request[resource] > has {
			return fmt.Sprintf("%s offers %d %s, the job asks for %d", class.Name, has, resource, g.Request[resource])
		}
	}
	for _, resource := range sortedKeys(g.Require) {
		if g.Request[resource] == 0 {
			continue // a condition on devices that the job does not ask for
		}
		if why := c.unmet(class, resource, g.Require[resource]); why != "" {
			return why
		}
	}
	if class.Lifetime > 0 && g.Runtime > class.Lifetime.D() {
		return fmt.Sprintf("%s lives for %s, the job may run for %s", class.Name, class.Lifetime, g.Runtime)
	}
	return ""
}

// unmet returns why the devices of a class do not meet a condition, or nothing. Conditions are evaluated once.
func (c *Controller) unmet(class *Class, resource, condition string) string {
	key := class.Name + "\x00" + resource + "\x00" + condition
	why, known := c.conditions[key]
	if !known {
		why = judge(class, resource, condition)
		c.conditions[key] = why
	}
	return why
}

func judge(class *Class, resource, condition string) string {
	expr, err := classad.Parse(condition)
	if err != nil {
		return fmt.Sprintf("the condition on %s cannot be read: %v", resource, err)
	}
	device, err := deviceAd(class.Devices[resource])
	if err != nil {
		return fmt.Sprintf("the %s of %s have properties that cannot be read: %v", resource, class.Name, err)
	}
	if !expr.Eval(device, classad.Ad{}).IsTrue() {
		return fmt.Sprintf("the %s of %s do not meet %s", resource, class.Name, condition)
	}
	return ""
}

// serves says whether a class may serve a queue.
func serves(class *Class, q *Queue) bool {
	return len(q.Classes) == 0 || slices.Contains(q.Classes, class.Name)
}

// wantsDevices says whether a group asks for a device.
func wantsDevices(g *JobGroup) bool {
	for resource, amount := range g.Request {
		if amount > 0 && isDevice(resource) {
			return true
		}
	}
	return false
}

func hasDevices(class *Class) bool {
	for resource, amount := range class.Slot {
		if amount > 0 && isDevice(resource) {
			return true
		}
	}
	return false
}

// spared returns why no VM of a class is made for a group that could run on it, or nothing: it has devices that the group
// does not want. The group may only use one that is there and idle, after the class's time of backfill.
func spared(class *Class, g *JobGroup) string {
	if !hasDevices(class) || wantsDevices(g) {
		return ""
	}
	why := class.Name + " is for jobs that want its devices"
	if class.Backfill > 0 {
		why += fmt.Sprintf(", and for others only when it has been idle for %s", class.Backfill)
	}
	return why
}

// outlives says whether a VM lives long enough for a job of a group.
func (d *deciding) outlives(vm *VM, class *Class, g *JobGroup) bool {
	return class.Lifetime == 0 || g.Runtime <= class.Lifetime.D()-d.now.Sub(vm.Created)
}

// backfills says whether a VM with devices may run jobs that want none: after it was idle for the time that its class
// says.
func (d *deciding) backfills(vm *VM, class *Class) bool {
	return class.Backfill > 0 && !vm.IdleSince.IsZero() && d.now.Sub(vm.IdleSince) >= class.Backfill.D()
}

// options returns the classes that can serve a group of a queue, the cheapest for so many jobs first, or why there is
// none.
func (d *deciding) options(q *Queue, g *JobGroup, jobs int) ([]*Class, string) {
	var found []*Class
	var reasons []string
	for i := range d.policy.Classes {
		class := &d.policy.Classes[i]
		if !serves(class, q) {
			continue
		}
		switch why := d.unfit(class, g); {
		case why != "":
			reasons = append(reasons, why)
		case spared(class, g) != "":
			reasons = append(reasons, spared(class, g))
		default:
			found = append(found, class)
		}
	}
	if len(found) == 0 {
		return nil, strings.Join(reasons, "; ")
	}
	d.rank(found, q, g, jobs)
	return found, ""
}

// rank sorts classes for a group: those that can be made now, in the queue's own order, of the cloud that is used first,
// the cheapest for so many jobs, and, between equal ones, the cloud with fewer VMs.
func (d *deciding) rank(classes []*Class, q *Queue, g *JobGroup, jobs int) {
	type key struct {
		resting       bool
		own, priority int
		cost          float64
		vms           int
	}
	keys := make(map[*Class]key, len(classes))
	for _, class := range classes {
		per := max(fits(class.Slot, g.Request), 1)
		keys[class] = key{
			resting: d.resting(class) != "",
			own:     slices.Index(q.Classes, class.Name), priority: d.cloud(class.Cloud).Priority,
			cost: float64((jobs+per-1)/per) * class.Price, vms: d.inCloud[class.Cloud],
		}
	}
	slices.SortStableFunc(classes, func(a, b *Class) int {
		x, y := keys[a], keys[b]
		return firstOf(compareBool(x.resting, y.resting), compare(x.own, y.own),
			compare(x.priority, y.priority), compare(x.cost, y.cost), compare(x.vms, y.vms))
	})
}

// resting returns why nothing is made of a class now, or nothing.
func (d *deciding) resting(class *Class) string {
	s := d.state.Classes[class.Name]
	switch {
	case s.Invalid:
		return "off until the policy changes: " + s.Off
	case d.now.Before(s.Until):
		return s.Off
	}
	return d.barred(class)
}

// age is how long a group's oldest job has waited.
func (d *deciding) age(g *JobGroup) time.Duration {
	if g.Oldest.IsZero() {
		return 0
	}
	return max(d.now.Sub(g.Oldest), 0)
}
