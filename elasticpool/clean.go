package elasticpool

import (
	"fmt"
	"slices"
	"time"
)

// clean lets VMs go that are broken, lost, orphaned or told to go, and repeats deletes until servers are gone.
func (d *deciding) clean() {
	for _, vm := range slices.Clone(d.state.VMs) {
		if !d.free(vm) {
			continue
		}
		switch {
		case vm.State == Deleting:
			d.deleteAgain(vm)
		case vm.State == Failed && d.murky[vm.Cloud] == "": // it never served: what the batch system says does not matter
			d.remove(vm, vm.Why)
		case !d.doubtful(vm.Cloud):
			d.cleanSurely(vm)
		}
	}
}

// cleanSurely is for VMs that serve or have served: nothing is done to them while there is doubt.
func (d *deciding) cleanSurely(vm *VM) {
	switch vm.State {
	case Lost:
		d.act(ActFree, vm, vm.Why)
	case Degraded:
		d.drain(vm, false, vm.Why)
	case Orphaned:
		d.reap(vm)
	case Joined, Warm:
		d.evict(vm)
	case Stopped:
		d.wake(vm)
	case Draining:
		d.drainLong(vm)
	}
}

// deleteAgain asks for a delete again.
func (d *deciding) deleteAgain(vm *VM) {
	if vm.Server == "" {
		d.gone(vm, "it never had a server")
		return
	}
	if age := d.now.Sub(vm.Since); age > d.policy.Control.Timeouts.Delete.D() && vm.Tries > 0 {
		d.out.Events = append(d.out.Events, Event{
			VM: vm.ID, Class: vm.Class, Cloud: vm.Cloud, What: fmt.Sprintf("its server %s is not gone after %s and %d deletes: look into the cloud", vm.Server, waited(age), vm.Tries),
		})
	}
	d.act(ActDelete, vm, vm.Why)
}

// reap lets an orphan go after a time of grace; if it works, when its jobs have ended.
func (d *deciding) reap(vm *VM) {
	if d.now.Sub(vm.Since) < d.policy.Control.OrphanGrace.D() {
		return
	}
	if w, reports := d.workers[vm.ID]; reports && w.Joined {
		d.drain(vm, false, "orphan: "+vm.Why)
		return
	}
	d.remove(vm, "orphan: "+vm.Why)
}

// evict lets a VM go that an operator, its cloud or its lifetime says must.
func (d *deciding) evict(vm *VM) {
	why := d.evicted(vm)
	if why == "" {
		return
	}
	if vm.State == Joined {
		d.drain(vm, false, why)
		return
	}
	d.remove(vm, why)
}

// wake lets a VM go that sleeps and that nobody wants asleep any more.
func (d *deciding) wake(vm *VM) {
	class := d.classes[vm.Class]
	asleep := 0
	if class != nil && class.Stops {
		asleep = class.Buffer.Stopped
	}
	if class != nil && d.count(class, Stopped) <= asleep {
		d.evict(vm)
		return
	}
	d.remove(vm, "more sleep than the policy wants")
}

// drainLong ends a drain that lasts too long, if the VM's queue allows that jobs are ended.
func (d *deciding) drainLong(vm *VM) {
	limit := d.policy.Control.Timeouts.Drain.D()
	if d.now.Sub(vm.Since) < limit {
		return
	}
	if q := d.queue(vm.Queue); q != nil && q.Preempt {
		d.remove(vm, "its jobs did not end within "+limit.String())
		return
	}
	vm.Why = fmt.Sprintf("its jobs have not ended for %s; preempt is not set for queue %s", waited(d.now.Sub(vm.Since)), vm.Queue)
}

// maxConditions is how many conditions on devices are remembered as judged.
const maxConditions = 10_000

// forget drops what is too old to matter.
func (d *deciding) forget() {
	window := d.now.Add(-d.policy.Control.ShrinkWindow.D())
	kept := d.state.Left[:0]
	for _, leave := range d.state.Left {
		if leave.At.After(window) {
			kept = append(kept, leave)
		}
	}
	d.state.Left = kept
	d.withdraw(func(c Command) bool { return c.Kind == CmdDrain && c.VM != "" && d.vms[c.VM] == nil })
	if len(d.conditions) > maxConditions {
		clear(d.conditions)
	}
	for _, s := range d.state.Classes {
		hour := d.now.Add(-time.Hour)
		for len(s.Growth) > 0 && s.Growth[0].At.Before(hour) {
			s.Growth = s.Growth[1:]
		}
	}
}
