package quota

import (
	"maps"
	"slices"
	"time"
)

// Usage is what the controller sees of one queue in a cycle.
type Usage struct {
	// Running is the number of VMs that the queue has in any state, from the create call to the confirmed deletion.
	Running int
	// Fair is the number of VMs that Share granted.
	Fair int
	// Appeared are the VMs by class that were not there in the last observation and come from leases ("" for an
	// unknown class). With nil, an increase of Running is taken for them.
	Appeared map[string]int
}

// Observe tells the ledger what there was at the time now: the capacity of the pool in VMs, with VMs that are not ours
// taken off, and the usage of every queue; a queue that is left out has neither VMs nor a target. VMs that appeared
// turn units of leases into running VMs: moved, never counted twice. Leases whose time is over then lapse. When that
// cannot be recorded, the error is ErrPersist, and the leases stay as they are, which promises too little rather than
// too much; the next observation tries again.
func (l *Ledger) Observe(now time.Time, capacity int, usage map[string]Usage) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.capacity, l.running, l.fair = capacity, make(map[string]int, len(usage)), make(map[string]int, len(usage))
	for name, u := range usage {
		l.fair[name] = u.Fair
		if u.Running > 0 {
			l.running[name] = u.Running
		}
	}
	moved := l.move(usage)
	if len(moved) == 0 && !slices.ContainsFunc(l.leases, lapsedBy(now)) && maps.Equal(l.running, l.counted) {
		return nil
	}
	return l.commit("observe the pool", "", Event{Kind: EventObserved, At: now, Running: maps.Clone(l.running), Units: moved})
}

// lapsedBy tells of a lease whether its time is over.
func lapsedBy(now time.Time) func(Lease) bool {
	return func(le Lease) bool { return !le.Expires.After(now) }
}

// move works out how many units of which leases the VMs that appeared use up. VMs of a known class choose first.
func (l *Ledger) move(usage map[string]Usage) map[string]int {
	moved := map[string]int{}
	for name, u := range usage {
		appeared := u.Appeared
		if appeared == nil {
			appeared = map[string]int{"": u.Running - l.counted[name]}
		}
		for _, class := range slices.Backward(slices.Sorted(maps.Keys(appeared))) { // "" comes last
			l.useUp(name, class, appeared[class], moved)
		}
	}
	return moved
}

// useUp adds to moved what n VMs of the class take of the queue's leases of their own and of any class; VMs of unknown
// class take any. Leases that lapse first are used first: whichever lease the VMs were launched of, the others are
// then covered for their time.
func (l *Ledger) useUp(queue, class string, n int, moved map[string]int) {
	leases := l.of(queue)
	slices.SortStableFunc(leases, func(a, b Lease) int { return a.Expires.Compare(b.Expires) })
	for _, le := range leases {
		if class != "" && le.Class != "" && le.Class != class {
			continue
		}
		if units := min(n, le.Units-moved[le.ID]); units > 0 {
			moved[le.ID] += units
			n -= units
		}
	}
}
