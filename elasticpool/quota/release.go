package quota

import (
	"slices"
	"time"
)

// Release ends a lease of the queue, whether all, some or none of its VMs were launched, and returns how many of them
// have not appeared yet. They are free after the next observation, which tells whether any was launched a moment ago.
func (l *Ledger) Release(now time.Time, queue, lease string) (int, error) {
	return l.release(now, queue, EventEnded, func(mine []Lease) (map[string]int, error) {
		i := slices.IndexFunc(mine, func(le Lease) bool { return le.ID == lease })
		if i < 0 {
			return nil, ErrUnknownLease
		}
		return map[string]int{lease: mine[i].Units}, nil
	})
}

// ReleaseUnits gives up to n VMs back that the queue has leased and not launched, and returns how many it were. They
// are free at once. Leases that would lapse first give first: whichever VMs the asker thinks he has given back, those
// he still launches are covered for their time.
func (l *Ledger) ReleaseUnits(now time.Time, queue string, n int) (int, error) {
	return l.release(now, queue, EventReleased, func(mine []Lease) (map[string]int, error) {
		slices.SortStableFunc(mine, func(a, b Lease) int { return a.Expires.Compare(b.Expires) })
		back := map[string]int{}
		for _, le := range mine {
			if units := min(n, le.Units); units > 0 {
				back[le.ID] = units
				n -= units
			}
		}
		return back, nil
	})
}

// release records what pick picks from the queue's leases whose time is not over.
func (l *Ledger) release(now time.Time, queue string, kind EventKind, pick func([]Lease) (map[string]int, error)) (int, error) {
	const op = "release VMs"
	l.mu.Lock()
	defer l.mu.Unlock()
	q, err := find(l.queues, queue)
	if err != nil {
		return 0, &Error{Op: op, Queue: queue, Err: err}
	}
	back, err := pick(slices.DeleteFunc(l.of(q.Name), lapsedBy(now)))
	if err != nil {
		return 0, &Error{Op: op, Queue: q.Name, Err: err}
	}
	sum := 0
	for _, units := range back {
		sum += units
	}
	if sum == 0 {
		return 0, nil
	}
	if err := l.commit(op, q.Name, Event{Kind: kind, At: now, Units: back}); err != nil {
		return 0, err
	}
	return sum, nil
}
