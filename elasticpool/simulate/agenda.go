package simulate

import "time"

// agenda is what will happen, by time; things of the same time happen in the order in which they were noted.
type agenda struct {
	heap  []event
	count uint64
}

type event struct {
	at    time.Duration
	order uint64
	do    func()
}

func (e event) before(other event) bool {
	return e.at < other.at || e.at == other.at && e.order < other.order
}

// note adds something to be done.
func (a *agenda) note(at time.Duration, do func()) {
	a.count++
	a.heap = append(a.heap, event{at: at, order: a.count, do: do})
	for i := len(a.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.heap[i].before(a.heap[parent]) {
			return
		}
		a.heap[i], a.heap[parent] = a.heap[parent], a.heap[i]
		i = parent
	}
}

// next removes the first event; it is false when there is none up to that time.
func (a *agenda) next(until time.Duration) (event, bool) {
	if len(a.heap) == 0 || a.heap[0].at > until {
		return event{}, false
	}
	first, last := a.heap[0], len(a.heap)-1
	a.heap[0], a.heap[last] = a.heap[last], event{}
	a.heap = a.heap[:last]
	a.sink()
	return first, true
}

// sink moves the root down to its place.
func (a *agenda) sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(a.heap); child++ {
			if a.heap[child].before(a.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		a.heap[i], a.heap[least] = a.heap[least], a.heap[i]
		i = least
	}
}
