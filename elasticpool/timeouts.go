package elasticpool

import (
	"slices"
	"time"
)

// tookKept is of how many VMs of a class it is remembered how long they were in a state, and tookEnough how many of them
// tell what is to be expected.
const (
	tookKept   = 20
	tookEnough = 5
)

// way is how far a VM in a state is on its way to serving.
var way = map[VMState]int{Planned: 1, Requested: 1, Building: 2, Starting: 2, Booted: 3, Warm: 4, Joining: 5, Joined: 6}

// timeout returns how long a VM of a class may be in a state; 0: for ever.
func (d *deciding) timeout(class string, state VMState) time.Duration {
	if learned, known := d.learned(class, state); known {
		return learned
	}
	return d.fixed(state)
}

// fixed returns the policy's time-out of a state.
func (d *deciding) fixed(state VMState) time.Duration {
	t := d.policy.Control.Timeouts
	switch state {
	case Planned, Requested:
		return t.Request.D()
	case Building, Starting, Stopping:
		return t.Build.D()
	case Booted:
		return t.Boot.D()
	case Joining:
		return t.Join.D()
	}
	return 0
}

// learned returns twice the time within which 19 of 20 of the last VMs of a class got over a state, within the policy's
// bounds, and whether enough of them have.
func (d *deciding) learned(class string, state VMState) (time.Duration, bool) {
	s := d.state.Classes[class]
	if s == nil || len(s.Took[state]) < tookEnough {
		return 0, false
	}
	times, fixed := slices.Sorted(slices.Values(s.Took[state])), float64(d.fixed(state))
	t := d.policy.Control.Timeouts
	return min(max(2*times[len(times)*19/20], time.Duration(t.Least*fixed)), time.Duration(t.Most*fixed)), true
}

// passed takes in that a VM leaves its state for another, if that is nearer to serving.
func (d *deciding) passed(vm *VM, to VMState) {
	if way[vm.State] > 0 && way[to] > way[vm.State] && d.fixed(vm.State) > 0 {
		d.took(vm.Class, vm.State, d.now.Sub(vm.Since))
	}
}

// took remembers how long a VM of a class was in a state.
func (d *deciding) took(class string, state VMState, lasted time.Duration) {
	s := d.state.Classes[class]
	if s == nil {
		return
	}
	if s.Took == nil {
		s.Took = map[VMState][]time.Duration{}
	}
	times := append(s.Took[state], lasted)
	s.Took[state] = times[max(len(times)-tookKept, 0):]
}

// limitsOf returns the learned time-outs of a class in seconds.
func (d *deciding) limitsOf(class string) map[VMState]float64 {
	var limits map[VMState]float64
	for state := range d.state.Classes[class].Took {
		if learned, known := d.learned(class, state); known {
			if limits == nil {
				limits = map[VMState]float64{}
			}
			limits[state] = learned.Seconds()
		}
	}
	return limits
}
