package elasticpool

import (
	"slices"
	"time"
)

// jobsKept is of how many jobs of a queue the time that they ran is remembered. It is small, so that a burst of short
// jobs is soon known for what it is.
const jobsKept = 30

// learn remembers how long the jobs ran that a worker had when it was last looked at and has no more.
func (d *deciding) learn(vm *VM, w Worker) {
	if slices.EqualFunc(vm.Jobs, w.Jobs, func(a, b Job) bool { return a.ID == b.ID }) {
		return
	}
	for _, job := range vm.Jobs {
		ended := !slices.ContainsFunc(w.Jobs, func(other Job) bool { return other.ID == job.ID })
		if q := d.state.Queues[job.Queue]; ended && q != nil && !job.Since.IsZero() {
			if q.Ran = append(q.Ran, d.now.Sub(job.Since)); len(q.Ran) > jobsKept {
				q.Ran = q.Ran[1:]
			}
		}
	}
	vm.Jobs = slices.Clone(w.Jobs)
	for i := range vm.Jobs {
		if since := vm.Jobs[i].Since; since.After(d.now) || since.Year() < 1970 {
			vm.Jobs[i].Since = time.Time{} // what nobody can believe, and what JSON could not even say
		}
	}
}

// typical returns the median of times, and whether enough are known.
func typical(times []time.Duration) (time.Duration, bool) {
	if len(times) < 5 {
		return 0, false
	}
	return slices.Sorted(slices.Values(times))[len(times)/2], true
}

// worth returns how many VMs of a class may be on their way to a queue: as many as its waiting jobs keep busy for twice
// the time that a boot takes. Short jobs are done by VMs that are there before new ones would have booted.
func (d *deciding) worth(q *queueNow, class *Class) int {
	runtime, known := typical(d.state.Queues[q.Name].Ran)
	boots := d.state.Classes[class.Name].Boots
	boot, booted := typical(boots)
	if !known || !booted || boot <= 0 {
		return d.policy.Control.MaxInFlight
	}
	return max(int(float64(q.view.Waiting)*runtime.Hours()/(2*boot.Hours())), 1)
}
