package elasticpool

import (
	"fmt"
	"slices"
)

// shrink lets VMs leave that nobody needs: after they were idle for long, not soon after their class has grown, and not
// too many at once. Where a queue lacks what an idle VM holds, it goes at once.
func (d *deciding) shrink() {
	budget := d.shrinkBudget()
	missing := map[*Class]int{} // in the buffer
	for _, vm := range d.surplus() {
		if budget <= 0 {
			return
		}
		class := d.classes[vm.Class]
		if d.doubtful(vm.Cloud) || !d.longEnough(vm) {
			continue
		}
		if _, counted := missing[class]; !counted {
			missing[class] = d.bufferTarget(class) - d.buffered(class)
		}
		if d.release(vm, class, missing) {
			budget--
			d.state.Left = append(d.state.Left, Leave{At: d.now})
		}
	}
}

// release lets a VM go that nobody needs, and says whether it leaves the pool by that: the buffer may keep it, and what may
// sleep goes to sleep from there.
func (d *deciding) release(vm *VM, class *Class, missing map[*Class]int) bool {
	wanted := d.wanted(class) != ""
	if vm.State == Joined {
		buffered := missing[class] > 0 && !wanted
		if buffered {
			missing[class]--
		}
		d.leaves(vm)
		d.drain(vm, true, d.whyIdle(vm))
		vm.Keep = buffered || d.sleeps(class)
		return !vm.Keep
	}
	if !wanted && (missing[class] >= 0 || vm.State == Stopped) {
		return false
	}
	missing[class]++ // a warm VM above the target of the buffer
	d.putAway(vm, class)
	return true
}

// surplus returns VMs that serve, could or sleep, and that no queue needs: those idle for longest first, after those on hosts
// that failed and those that were made of an older version of their class.
func (d *deciding) surplus() []*VM {
	var vms []*VM
	for _, of := range []map[string][]*VM{d.supply.warm, d.supply.idle, d.supply.stopped} {
		for _, class := range sortedKeys(of) {
			vms = append(vms, of[class]...)
		}
	}
	slices.SortStableFunc(vms, func(a, b *VM) int {
		return firstOf(compareBool(!d.quarantined(a), !d.quarantined(b)), compareBool(!d.outdated(a), !d.outdated(b)), idleSince(a).Compare(idleSince(b)))
	})
	return vms
}

func (d *deciding) whyIdle(vm *VM) string {
	why := fmt.Sprintf("idle for %s", waited(d.now.Sub(idleSince(vm))))
	if lack := d.wanted(d.classes[vm.Class]); lack != "" {
		why += ", and others lack what it holds: " + lack
	}
	return why
}

// longEnough says whether a VM was idle for long enough to leave.
func (d *deciding) longEnough(vm *VM) bool {
	if d.wanted(d.classes[vm.Class]) != "" || d.crowds(vm) {
		// between two jobs a worker looks idle for a moment, and its queue's next job may be on its way to it
		return d.now.Sub(idleSince(vm)) >= 2*d.policy.Control.Cycle.D() && !d.lacksItself(vm)
	}
	k := d.policy.Control
	grew := d.state.Classes[vm.Class].Grew
	return d.now.Sub(idleSince(vm)) >= k.IdleTime.D() && (grew.IsZero() || d.now.Sub(grew) >= k.Cooldown.D())
}

// lacksItself says whether the queue that a VM serves waits for VMs of its class.
func (d *deciding) lacksItself(vm *VM) bool {
	q := d.queue(vm.Queue)
	return q != nil && vm.State == Joined && !d.crowds(vm) && q.unserved(d.classes[vm.Class]) != nil
}

// crowds says whether an idle VM takes its queue above its ceilings, or keeps it from what it lacks and may have below them.
func (d *deciding) crowds(vm *VM) bool {
	q, class := d.queue(vm.Queue), d.classes[vm.Class]
	if q == nil || class == nil || vm.State != Joined {
		return false
	}
	most, takes := ceiling(q.Queue), q.use.Plus(q.idle)
	if class.exceeds(most, takes) {
		return true
	}
	for _, l := range q.lacks {
		for _, due := range l.options {
			if l.due[due.Name] > 0 && class.exceeds(most, takes.Plus(due.Takes)) {
				return true
			}
		}
	}
	return false
}

// leaves notes that a queue loses a VM that it may not have needed.
func (d *deciding) leaves(vm *VM) {
	if q := d.queue(vm.Queue); q != nil && !q.needed[vm.ID] {
		q.idle = q.idle.Minus(d.classes[vm.Class].Takes)
	}
}

// shrinkBudget returns how many VMs may still leave within the window.
func (d *deciding) shrinkBudget() int {
	k := d.policy.Control
	left := d.leftLately("")
	there := left // those that are leaving count once
	for _, vm := range d.state.VMs {
		if counts(vm) {
			there++
		}
	}
	return max(int(k.ShrinkShare*float64(there)), k.ShrinkMin) - left
}

// drain lets a VM take no new jobs and then go.
func (d *deciding) drain(vm *VM, onlyIdle bool, reason string) {
	vm.Keep = false
	d.move(vm, Draining, reason)
	d.act(ActDrain, vm, reason).OnlyIdle = onlyIdle
}

// putAway stops a warm VM, or deletes it.
func (d *deciding) putAway(vm *VM, class *Class) {
	reason := "the buffer has more than it needs"
	if d.sleeps(class) {
		d.move(vm, Stopping, reason)
		d.act(ActStop, vm, reason)
		return
	}
	d.remove(vm, reason)
}

// sleeps says whether one more VM of a class may be kept asleep. Asleep it still takes of its cloud what others lack.
func (d *deciding) sleeps(class *Class) bool {
	return class.Stops && d.wanted(class) == "" && d.count(class, Stopped, Stopping) < class.Buffer.Stopped
}

// remove deletes a VM.
func (d *deciding) remove(vm *VM, reason string) {
	if vm.Server == "" {
		d.gone(vm, reason)
		return
	}
	d.move(vm, Deleting, reason)
	d.act(ActDelete, vm, reason)
}

func (d *deciding) count(class *Class, states ...VMState) int {
	n := 0
	for _, vm := range d.state.VMs {
		if vm.Class == class.Name && slices.Contains(states, vm.State) {
			n++
		}
	}
	return n
}
