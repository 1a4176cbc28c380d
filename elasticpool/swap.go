package elasticpool

import "slices"

// swap lets a queue that has too little in fact, since VMs that were bound to it still run another queue's long jobs, have a
// VM of that other queue whose job has just ended. The other queue gets back one of those that run its jobs, so that
// nobody's number of VMs changes.
func (d *deciding) swap() {
	effective := d.effective()
	for _, poor := range d.queues {
		for _, rich := range d.queues {
			if rich == poor {
				continue
			}
			for effective[poor.Name] < poor.view.Target && effective[rich.Name] > rich.view.Target {
				idle, lent := d.pair(rich, poor)
				if idle == nil {
					break
				}
				d.bind(idle, poor, poor.Name+" has less than its share in fact")
				d.bind(lent, rich, "it still runs jobs of "+rich.Name)
				effective[poor.Name]++
				effective[rich.Name]--
			}
		}
	}
}

// effective returns how many VMs each queue has in fact: those that run its jobs, whatever they are bound to, and those
// bound to it that run nothing.
func (d *deciding) effective() map[string]int {
	n := map[string]int{}
	for _, q := range d.queues {
		for _, vm := range q.vms {
			n[d.runsFor(vm)]++
		}
	}
	return n
}

// runsFor returns the queue whose jobs a VM runs; if it runs none, or says not whose, the one that it is bound to.
func (d *deciding) runsFor(vm *VM) string {
	if jobs := d.workers[vm.ID].Jobs; len(jobs) > 0 && jobs[0].Queue != "" {
		return jobs[0].Queue
	}
	return vm.Queue
}

// pair returns an idle VM of one queue and a VM of the same class that is lent to another and runs the first one's jobs.
func (d *deciding) pair(rich, poor *queueNow) (idle, lent *VM) {
	for _, idle := range rich.vms {
		if idle.State != Joined || rich.busy[idle.ID] || !d.free(idle) || !poor.canUse(idle.Class) {
			continue
		}
		at := slices.IndexFunc(poor.vms, func(vm *VM) bool {
			return vm.Class == idle.Class && vm.State == Joined && d.free(vm) && d.runsFor(vm) == rich.Name
		})
		if at >= 0 {
			return idle, poor.vms[at]
		}
	}
	return nil, nil
}

// canUse says whether a queue has jobs that a class could run and that wait.
func (q *queueNow) canUse(class string) bool {
	return slices.ContainsFunc(q.lacks, func(l *lack) bool {
		return slices.ContainsFunc(l.options, func(option *Class) bool { return option.Name == class })
	})
}
