package elasticpool

import "time"

// observeWorker lets a VM follow what the batch system shows of it.
func (d *deciding) observeWorker(vm *VM) {
	w, reports := d.workers[vm.ID]
	if d.acting[vm.ID] || (reports && vm.Since.After(d.in.Workers.At)) {
		return
	}
	if !reports {
		d.workerMissing(vm)
		return
	}
	if vm.State != Joined && vm.State != Degraded {
		vm.Missing = time.Time{} // those two also miss a startd that is gone while its master reports
	}
	switch {
	case vm.State == Joined || vm.State == Degraded:
		d.serving(vm, w)
	case vm.State == Draining:
		d.leaving(vm, w)
	case hasJoined(vm, w):
		d.joined(vm, w)
	case vm.State == Booted:
		d.prove(vm, w)
		d.move(vm, Warm, "its worker reports")
	}
}

// hasJoined says whether a VM that did not serve does.
func hasJoined(vm *VM, w Worker) bool {
	if !w.Joined || w.Draining {
		return false
	}
	return flies(vm) || vm.State == Warm || vm.State == Joining && (w.Queue == "" || w.Queue == vm.Queue)
}

// joined takes in that a worker serves.
func (d *deciding) joined(vm *VM, w Worker) {
	if w.Queue != "" && d.queue(w.Queue) != nil {
		vm.Queue = w.Queue
	}
	d.move(vm, Joined, "it serves")
	vm.IdleSince = d.now
	d.serving(vm, w)
}

// serving takes in what a worker that serves does.
func (d *deciding) serving(vm *VM, w Worker) {
	if !w.Joined {
		d.stoppedServing(vm)
		return
	}
	vm.Missing = time.Time{}
	d.prove(vm, w)
	if w.Draining {
		d.move(vm, Draining, "it is being drained by somebody else")
		return
	}
	if w.Queue != vm.Queue && d.queue(w.Queue) != nil && w.Heard.After(vm.Bound.Add(d.in.Workers.Value.Interval)) {
		vm.Queue = w.Queue // the worker knows better once it has reported after the last bind
	}
	d.learn(vm, w)
	d.idles(vm, w)
	if vm.State == Joined && d.short(vm, w) && d.now.Sub(vm.Since) > d.policy.Control.Timeouts.Join.D() {
		d.rest(vm, "capacity", "its VMs have fewer devices than the class")
		d.move(vm, Degraded, "it has fewer devices than its class")
	} else if vm.State == Degraded && !d.short(vm, w) {
		d.move(vm, Joined, "its devices are back")
	}
}

// idles keeps since when a VM has had no job.
func (d *deciding) idles(vm *VM, w Worker) {
	switch {
	case len(w.Jobs) > 0:
		vm.IdleSince = time.Time{}
	case vm.IdleSince.IsZero():
		vm.IdleSince = d.now
	}
}

// prove takes in that a VM came to life: its worker reports and shows the devices of its class.
func (d *deciding) prove(vm *VM, w Worker) {
	if class := d.classes[vm.Class]; vm.Proved || class != nil && hasDevices(class) && (!w.Joined || d.short(vm, w)) {
		return
	}
	vm.Proved = true
	d.succeeded(vm)
}

// short says whether a worker offers fewer devices than its class.
func (d *deciding) short(vm *VM, w Worker) bool {
	class := d.classes[vm.Class]
	if class == nil {
		return false
	}
	for resource, amount := range class.Slot {
		if isDevice(resource) && w.Total[resource] < amount {
			return true
		}
	}
	return false
}

// isDevice says whether a resource is a device, such as a GPU, and not what every worker has.
func isDevice(resource string) bool {
	return resource != CPUs && resource != Memory && resource != Disk && resource != VMs
}

// stoppedServing takes in that only the master of a VM is left that served. Its startd may come back by itself: it is
// given the time in which a worker would be lost.
func (d *deciding) stoppedServing(vm *VM) {
	if vm.Missing.IsZero() {
		vm.Missing = d.now
	}
	if d.now.Sub(vm.Missing) >= d.lostAfter() && len(d.shaken) == 0 {
		d.move(vm, Warm, "its startd is gone; it may join again")
	}
}

// leaving takes in what a draining worker does.
func (d *deciding) leaving(vm *VM, w Worker) {
	vm.Missing = time.Time{}
	if w.Joined {
		d.learn(vm, w)
	}
	switch {
	case !w.Joined && d.doubtful(vm.Cloud):
		// a directory that is being filled may know its master before its slots: its jobs may still run
	case !w.Joined:
		d.drainedOut(vm)
	case !w.Draining && d.now.Sub(vm.Since) > d.lostAfter():
		d.move(vm, Joined, "its drain was cancelled by somebody else")
	case len(w.Jobs) == 0 && vm.IdleSince.IsZero():
		vm.IdleSince = d.now
	}
}

// drainedOut goes on with a VM whose last job has ended.
func (d *deciding) drainedOut(vm *VM) {
	if vm.Keep && d.evicted(vm) == "" {
		vm.Queue, vm.Keep = "", false
		d.move(vm, Warm, "drained; it waits in the buffer")
		return
	}
	d.move(vm, Deleting, vm.Why)
}

// workerMissing takes in that a VM that should report does not. While there is doubt nothing is concluded; after three
// reports that did not come it is lost, or, if it was being drained, done.
func (d *deciding) workerMissing(vm *VM) {
	switch vm.State {
	case Warm, Joining, Joined, Draining, Degraded:
	default:
		return
	}
	if vm.Missing.IsZero() || d.doubtful(vm.Cloud) {
		vm.Missing = d.now
		return
	}
	if d.now.Sub(vm.Missing) >= d.lostAfter() {
		d.losing(vm, "its worker has not reported for "+d.lostAfter().String())
	}
}
