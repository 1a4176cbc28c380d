package elasticpool

import (
	"math"
	"slices"
	"time"
)

// reclaim takes VMs back from queues that have had more than their share for two decisions. A VM that can serve a queue
// which lacks one is bound to it: its jobs run on, and the next one comes from the other queue. Otherwise it is drained.
// No job is ended.
func (d *deciding) reclaim() {
	if len(d.shaken) > 0 {
		return
	}
	for _, q := range d.queues {
		if d.state.Queues[q.Name].Over < 2 {
			continue
		}
		for _, over := range q.over {
			d.takeBack(q, over)
		}
	}
	d.swap()
}

func (d *deciding) takeBack(from *queueNow, over giveBack) {
	left := over.n
	for _, vm := range d.candidates(from, over.class) {
		if left == 0 {
			return
		}
		if to, l, due := d.whoLacks(over.class, from); to != nil {
			d.handOver(vm, from, to)
			to.got(l, due, over.class)
			left--
			continue
		}
		if flies(vm) {
			continue // it is on its way: it may still be of use
		}
		if !d.mustShrink(from, over.class) && d.wanted(over.class) == "" || from.busy[vm.ID] && !d.mayReclaim(from) {
			return
		}
		d.drain(vm, false, from.surplus())
		d.reclaims(from)
		if from.busy[vm.ID] {
			d.state.Left = append(d.state.Left, Leave{At: d.now, Queue: from.Name})
		}
		left--
	}
}

// handOver gives a VM to a queue; one on its way only changes hands in the books.
func (d *deciding) handOver(vm *VM, from, to *queueNow) {
	if flies(vm) {
		vm.Queue = to.Name
		return
	}
	d.bind(vm, to, from.surplus())
	d.reclaims(from)
}

func (q *queueNow) surplus() string { return q.Name + " has more than its share" }

// reclaims notes that the last action takes a VM back from a queue.
func (d *deciding) reclaims(from *queueNow) { d.out.Actions[len(d.out.Actions)-1].Reclaims = from.Name }

// candidates returns the VMs of a class that a queue can give back, those first that cost it least: on their way, idle,
// and those whose jobs end soonest.
func (d *deciding) candidates(q *queueNow, class *Class) []*VM {
	var vms []*VM
	remaining := map[string]time.Duration{}
	for _, vm := range q.vms {
		if vm.Class != class.Name || !q.needed[vm.ID] || !vm.Missing.IsZero() || !d.free(vm) {
			continue
		}
		if flies(vm) || vm.State == Joined {
			vms = append(vms, vm)
			remaining[vm.ID] = d.remaining(vm)
		}
	}
	slices.SortStableFunc(vms, func(a, b *VM) int {
		return firstOf(compareBool(!flies(a), !flies(b)), compareBool(q.busy[a.ID], q.busy[b.ID]), compare(remaining[a.ID], remaining[b.ID]), compareBool(!d.outdated(a), !d.outdated(b)))
	})
	return vms
}

// remaining is how long the jobs of a VM may still run. A job that does not say it runs as long as its queue's last ones
// did; one that has run longer is taken to run as long again.
func (d *deciding) remaining(vm *VM) time.Duration {
	longest := time.Duration(0)
	for _, job := range d.workers[vm.ID].Jobs {
		ran := d.now.Sub(job.Since)
		whole := job.Runtime
		if q := d.state.Queues[job.Queue]; whole == 0 && q != nil {
			whole, _ = typical(q.Ran)
		}
		rest := whole - ran
		if rest < 0 {
			rest = ran
		}
		longest = max(longest, rest)
	}
	return longest
}

// whoLacks returns the queue that has a lack which a VM of a class can serve and which its share allows, and of such the one
// that has the smallest part of its target, with what is due to it; or nil.
func (d *deciding) whoLacks(class *Class, but *queueNow) (best *queueNow, of *lack, as *Class) {
	for _, q := range d.queues {
		if q == but || q.closed(class) || best != nil && q.part() >= best.part() {
			continue
		}
		if l, due := q.due(class); l != nil {
			best, of, as = q, l, due
		}
	}
	return best, of, as
}

// due returns a lack of a queue for which a class will do, and the class that its share allows for it: that class itself or
// one that takes no less. A VM that takes more would only have to be given back.
func (q *queueNow) due(class *Class) (*lack, *Class) {
	for _, l := range q.lacks {
		if !l.open() || !slices.Contains(l.options, class) {
			continue
		}
		for _, due := range l.options {
			if l.due[due.Name] > 0 && due.Cloud == class.Cloud && due.takesAll(class) {
				return l, due
			}
		}
	}
	return nil, nil
}

// takesAll says whether a class takes at least as much of its cloud as another does. The limits on the classes themselves
// do not count.
func (c *Class) takesAll(of *Class) bool {
	for resource, amount := range of.Takes {
		if c.Takes[resource] < amount && resource != of.itself() {
			return false
		}
	}
	return true
}

// unserved returns a lack of a queue that a class can serve, or nil.
func (q *queueNow) unserved(class *Class) *lack {
	for _, l := range q.lacks {
		if l.want > 0 && slices.Contains(l.options, class) {
			return l
		}
	}
	return nil
}

// mustShrink says whether VMs of a class have to go whoever wants them: their queue is above its ceiling, or the pool above
// what it may take of their cloud.
func (d *deciding) mustShrink(q *queueNow, class *Class) bool {
	return class.exceeds(ceiling(q.Queue), q.use) || class.exceeds(d.capacity[class.Cloud], d.own[class.Cloud])
}

// exceeds says whether limits are passed in something that a class takes.
func (c *Class) exceeds(limits, use Resources) bool {
	for resource, takes := range c.Takes {
		if most, limited := limits[resource]; limited && takes > 0 && use[resource] > most {
			return true
		}
	}
	return false
}

// itself is the resource of which each VM of a class takes one and the class's own limit is what there is.
func (c *Class) itself() string { return "class " + c.Name }

// wanted returns why some queue lacks what a VM of a class holds, or nothing.
func (d *deciding) wanted(class *Class) string {
	for _, s := range d.shortages[class.Cloud] {
		if s.lack.open() && slices.ContainsFunc(s.of, func(resource string) bool { return class.Takes[resource] > 0 }) {
			return s.why
		}
	}
	return ""
}

// leftLately returns how many VMs were taken from a queue within the window, or, without a queue, left the pool.
func (d *deciding) leftLately(queue string) int {
	since := d.now.Add(-d.policy.Control.ShrinkWindow.D())
	n := 0
	for _, leave := range d.state.Left {
		if leave.Queue == queue && leave.At.After(since) {
			n++
		}
	}
	return n
}

// mayReclaim says whether one more busy VM may be taken from a queue within the window.
func (d *deciding) mayReclaim(q *queueNow) bool {
	taken := d.leftLately(q.Name)
	return taken < max(int(math.Ceil(d.policy.Control.ReclaimShare*float64(len(q.busy)+taken))), 1)
}
