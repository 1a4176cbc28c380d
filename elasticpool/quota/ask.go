package quota

import "time"

// Query tells how the queue stands and reserves nothing. It returns ErrUnknownQueue or ErrAmbiguousQueue together
// with an Answer full of zeros.
func (l *Ledger) Query(queue string) (Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, err := find(l.queues, queue)
	if err != nil {
		return Answer{Queue: queue}, &Error{Op: "query the quota", Queue: queue, Err: err}
	}
	return l.answer(q), nil
}

// Ask leases up to want VMs beyond those that run or are leased to the queue already, for ttl but not longer than the
// queue's reservation time; a ttl of 0 asks for all of it. class is "" or the class the VMs will be of. When nothing
// is free, or want is not positive, the Lease has no ID and nothing is reserved.
func (l *Ledger) Ask(now time.Time, queue, class string, want int, ttl time.Duration) (Lease, Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, err := find(l.queues, queue)
	if err != nil {
		return Lease{}, Answer{Queue: queue}, &Error{Op: "ask for VMs", Queue: queue, Err: err}
	}
	n := max(0, min(want, l.room(q)))
	l.unmet[q.Name] = unmetAsk{vms: max(0, want-n), until: now.Add(q.Reserve)}
	if n == 0 {
		a := l.answer(q)
		a.Available = 0
		return Lease{Queue: q.Name, Class: class}, a, nil
	}
	if ttl <= 0 || ttl > q.Reserve {
		ttl = q.Reserve
	}
	lease := Lease{ID: newLeaseID(), Queue: q.Name, Class: class, Units: n, Granted: now, Expires: now.Add(ttl)}
	if err := l.commit("ask for VMs", q.Name, Event{Kind: EventGranted, At: now, Lease: &lease}); err != nil {
		a := l.answer(q)
		a.Available = 0
		return Lease{}, a, err
	}
	a := l.answer(q)
	a.Available = n
	return lease, a, nil
}

// unmetAsk is what a queue was not given when it asked last.
type unmetAsk struct {
	vms   int
	until time.Time
}

// Unmet returns, by queue, the VMs that were asked for last within the queue's reservation time and not leased. The
// controller adds them to the demand it sees, else a queue whose jobs only its asker knows would never be due any.
func (l *Ledger) Unmet(now time.Time) map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	needs := map[string]int{}
	for queue, ask := range l.unmet {
		if ask.vms > 0 && ask.until.After(now) {
			needs[queue] = ask.vms
		}
	}
	return needs
}
