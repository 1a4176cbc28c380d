package elasticpool

import (
	"fmt"
	"slices"
	"time"
)

// queueNow is a queue during a decision.
type queueNow struct {
	Queue
	view   QueueView
	vms    []*VM           // bound to it and counted on: coming or serving
	needed map[string]bool // VMs with jobs, or on which its waiting jobs will run
	busy   map[string]bool // VMs with jobs
	lacks  []*lack
	jobs   int     // that wait, whether it has VMs for them or not, and that some class could serve
	waited float64 // hours that they have waited, summed
	over   []giveBack
	given  int       // VMs that it got in this decision
	made   int       // of them, VMs that were asked of a cloud
	use    Resources // of its needed VMs and those that it got
	idle   Resources // of VMs that serve it, or are about to, and that it does not need
}

// lack is a number of VMs that a queue needs beyond its own.
type lack struct {
	want    int
	options []*Class
	young   bool           // its jobs wait for less than a cycle: nothing is made for them yet
	granted map[string]int // by class: what of its share is to be tried in this decision
	due     map[string]int // by class: what of its share it has not got in this decision
	tried   []*Class       // that could not be had in this decision
}

// bin is a VM, or a number of equal VMs that are still to be made, with what is left of it.
type bin struct {
	vm    *VM
	class *Class
	free  Resources
	count int
}

// need finds out what the jobs of each queue need: which VMs of the queue have jobs or will have them, and what is
// lacking.
func (d *deciding) need() {
	d.survey()
	groups := d.groups()
	for _, q := range d.queues {
		bins := d.bins(q)
		started := d.started(q)
		var opened []*bin
		for _, g := range groups[q.Name] {
			waiting := max(g.Waiting()-started, 0)
			started -= g.Waiting() - waiting
			left, filled := place(bins, waiting, func(b *bin) int { return d.roomFor(b, g) }, g.Request)
			for _, vm := range filled {
				q.needed[vm.ID] = true
			}
			left, _ = place(opened, left, func(b *bin) int { return d.roomFor(b, g) }, g.Request)
			bins = slices.DeleteFunc(bins, func(b *bin) bool { return b.free[CPUs] <= 0 })
			if left > 0 {
				opened, left = d.lacking(q, g, left, opened)
			}
			q.jobs += waiting - left
			q.waited += float64(waiting-left) * d.age(g).Hours()
		}
		d.keepLower(q)
		q.view.Wanted = len(q.needed) + q.lacking()
	}
}

// queue returns a queue of the policy by its name, or nil.
func (d *deciding) queue(name string) *queueNow {
	for _, q := range d.queues {
		if q.Name == name {
			return q
		}
	}
	return nil
}

// started returns how many of a queue's jobs run on workers and still wait in the queues' eyes: the queues were asked
// before the workers, and jobs that have started meanwhile need no second VM.
func (d *deciding) started(q *queueNow) int {
	running := 0
	for _, vm := range q.vms {
		for _, job := range d.workers[vm.ID].Jobs {
			if job.Queue == q.Name {
				running++
			}
		}
	}
	return max(running-q.view.Running, 0)
}

// survey puts VMs to their queues and counts them.
func (d *deciding) survey() {
	for _, vm := range d.state.VMs {
		d.inCloud[vm.Cloud]++
		if flies(vm) {
			d.flying[vm.Class]++
		}
		q := d.queue(vm.Queue)
		if q == nil || !counts(vm) || d.quarantinedOnTheWay(vm) || d.evicted(vm) != "" {
			continue
		}
		q.vms = append(q.vms, vm)
		if w, reports := d.workers[vm.ID]; reports && len(w.Jobs) > 0 || vm.State == Joined && !vm.Missing.IsZero() {
			q.busy[vm.ID], q.needed[vm.ID] = true, true
		}
	}
}

// counts says whether a VM is, or will be, a place for its queue's jobs.
func counts(vm *VM) bool {
	switch vm.State {
	case Planned, Requested, Building, Booted, Warm, Joining, Joined, Starting:
		return true
	}
	return false
}

// flies says whether a VM is on its way and can be counted on only by hope.
func flies(vm *VM) bool {
	switch vm.State {
	case Planned, Requested, Building, Booted, Starting:
		return true
	}
	return false
}

func (d *deciding) quarantinedOnTheWay(vm *VM) bool { return flies(vm) && d.quarantined(vm) }

// groups returns the groups of each queue that wait, those that are hardest to place first, and counts all of them.
func (d *deciding) groups() map[string][]*JobGroup {
	biggest := d.biggest()
	found := map[string][]*JobGroup{}
	unknown := map[string]int{}
	for _, source := range sortedKeys(d.in.Jobs) {
		seen := d.in.Jobs[source]
		blind := seen.Age(d.now) > d.policy.Control.GrowBlind.D()
		if blind {
			d.out.Blind = append(d.out.Blind, "jobs of "+source+": "+ageText(seen.Age(d.now)))
		}
		for i := range seen.Value {
			g := &seen.Value[i]
			q := d.queue(g.Queue)
			if q == nil {
				unknown[g.Queue] += g.Waiting()
				continue
			}
			q.count(g, d.age(g))
			if g.Waiting() > 0 && !blind {
				found[g.Queue] = append(found[g.Queue], g)
			}
		}
	}
	for _, name := range sortedKeys(unknown) {
		if unknown[name] > 0 {
			d.out.Unmet = append(d.out.Unmet, Unmet{Queue: name, Jobs: unknown[name], Reason: "the policy has no such queue"})
		}
	}
	for _, groups := range found {
		sortGroups(groups, biggest)
	}
	return found
}

// biggest returns the most that any slot offers of each resource.
func (d *deciding) biggest() Resources {
	biggest := Resources{}
	for i := range d.policy.Classes {
		for resource, amount := range d.policy.Classes[i].Slot {
			biggest[resource] = max(biggest[resource], amount)
		}
	}
	return biggest
}

// count adds the jobs of a group to what is shown of its queue.
func (q *queueNow) count(g *JobGroup, age time.Duration) {
	q.view.Waiting += g.Waiting()
	q.view.Running += g.Running
	q.view.Held += g.Held
	if g.Waiting() > 0 {
		q.view.Oldest = max(q.view.Oldest, age.Seconds())
	}
}

// sortGroups puts the groups that are hardest to place first: those that want devices, then by the largest part that a job
// takes of the biggest slot, then the one that waits longest.
func sortGroups(groups []*JobGroup, biggest Resources) {
	size := make(map[*JobGroup]float64, len(groups))
	for _, g := range groups {
		for resource, amount := range g.Request {
			if most := biggest[resource]; most > 0 {
				size[g] = max(size[g], float64(amount)/float64(most))
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *JobGroup) int {
		return firstOf(compareBool(!wantsDevices(a), !wantsDevices(b)), compare(size[b], size[a]), a.Oldest.Compare(b.Oldest),
			compare(a.Source, b.Source))
	})
}

// bins returns the VMs of a queue with what is free on them, those first on which jobs start soonest.
func (d *deciding) bins(q *queueNow) []*bin {
	order := map[VMState]int{Joined: 0, Joining: 1, Warm: 2, Booted: 3, Starting: 4, Building: 5, Requested: 6, Planned: 7}
	vms := slices.Clone(q.vms)
	slices.SortStableFunc(vms, func(a, b *VM) int {
		return firstOf(compare(order[a.State], order[b.State]), compareBool(!q.busy[a.ID], !q.busy[b.ID]))
	})
	bins := make([]*bin, 0, len(vms))
	for _, vm := range vms {
		class := d.classes[vm.Class]
		if class == nil {
			continue
		}
		if free := d.freeOn(vm, class); free[CPUs] > 0 {
			bins = append(bins, &bin{vm: vm, class: class, free: free, count: 1})
		}
	}
	return bins
}

// freeOn returns what a VM offers to waiting jobs: what its worker says, or, while that is not known (the VM comes, its
// devices do not show yet, the batch system's directory is being filled), what its class will offer.
func (d *deciding) freeOn(vm *VM, class *Class) Resources {
	w, reports := d.workers[vm.ID]
	if vm.State != Joined || !reports || !w.Joined || (len(w.Jobs) == 0 && d.short(vm, w)) {
		return class.Slot.Clone()
	}
	if len(w.Jobs) == 0 && w.IdleSince.IsZero() {
		return w.Total.Clone() // its slots are claimed for a job that is about to begin, or has just ended
	}
	return w.Free.Clone()
}

// roomFor returns how many jobs of a group can still run in a bin of a VM.
func (d *deciding) roomFor(b *bin, g *JobGroup) int {
	n := fits(b.free, g.Request)
	switch {
	case n == 0,
		hasDevices(b.class) && !wantsDevices(g) && (b.vm == nil || !d.backfills(b.vm, b.class)),
		b.vm != nil && !d.outlives(b.vm, b.class, g),
		len(g.Require) > 0 && d.unfit(b.class, g) != "":
		return 0
	}
	return n
}

// place puts jobs into bins, first fit, and returns how many were left over and the VMs that got some.
func place(bins []*bin, jobs int, room func(*bin) int, request Resources) (left int, filled []*VM) {
	for _, b := range bins {
		if jobs == 0 {
			break
		}
		per := room(b)
		if per == 0 {
			continue
		}
		if b.vm != nil {
			n := min(per, jobs)
			b.free = b.free.Minus(request.Times(int64(n)))
			jobs -= n
			filled = append(filled, b.vm)
			continue
		}
		n := min(per*b.count, jobs) // a rest of the last VM is not told apart: bins of VMs to come are alike
		b.free = b.free.Minus(request.Times(int64((n + b.count - 1) / b.count)))
		jobs -= n
	}
	return jobs, filled
}

// lacking puts the jobs of a group that found no place on VMs that are to be had, or says why there can be none, and returns
// how many jobs can never be served.
func (d *deciding) lacking(q *queueNow, g *JobGroup, jobs int, opened []*bin) ([]*bin, int) {
	options, why := d.options(&q.Queue, g, jobs)
	if len(options) == 0 {
		unmet := Unmet{Queue: q.Name, Jobs: jobs, Reason: why}
		if len(g.Jobs) > 0 {
			unmet.Example = g.Jobs[0]
		}
		d.out.Unmet = append(d.out.Unmet, unmet)
		return opened, jobs
	}
	class := options[0]
	per := fits(class.Slot, g.Request)
	vms := (jobs + per - 1) / per
	q.lack(vms, options, !g.Oldest.IsZero() && d.age(g) < d.policy.Control.Cycle.D())
	full, rest := jobs/per, jobs%per
	if full > 0 {
		opened = append(opened, &bin{class: class, count: full, free: class.Slot.Minus(g.Request.Times(int64(per)))})
	}
	if rest > 0 {
		opened = append(opened, &bin{class: class, count: 1, free: class.Slot.Minus(g.Request.Times(int64(rest)))})
	}
	return slices.DeleteFunc(opened, func(b *bin) bool { return b.free[CPUs] <= 0 }), 0
}

// lack adds VMs to what a queue lacks.
func (q *queueNow) lack(vms int, options []*Class, young bool) {
	for _, l := range q.lacks {
		if l.young == young && slices.Equal(l.options, options) {
			l.want += vms
			return
		}
	}
	q.lacks = append(q.lacks, &lack{want: vms, options: options, young: young, granted: map[string]int{}})
}

// lacking returns how many VMs a queue needs beyond its own.
func (q *queueNow) lacking() int {
	n := 0
	for _, l := range q.lacks {
		n += l.want
	}
	return n
}

// keepLower lets a queue that keeps its floor need that many VMs whether it has jobs or not: those that it has, and only
// then others. What its jobs lack does not count as long as it has not come.
func (d *deciding) keepLower(q *queueNow) {
	if !q.KeepLower {
		return
	}
	for _, vm := range q.vms {
		if len(q.needed) < int(q.Lower) {
			q.needed[vm.ID] = true
		}
	}
	if missing := int(q.Lower) - len(q.needed) - q.lacking(); missing > 0 {
		if options, _ := d.options(&q.Queue, &JobGroup{Queue: q.Name, Request: Resources{CPUs: 1}}, missing); len(options) > 0 {
			q.lack(missing, options, false)
		}
	}
}

// waited tells how long something lasts, for people.
func waited(d time.Duration) string { return fmt.Sprint(d.Round(time.Second)) }
