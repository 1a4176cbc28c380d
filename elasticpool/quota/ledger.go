package quota

import (
	"fmt"
	"slices"
	"sync"
)

// Ledger keeps the leases. Between two observations it never promises more than what is free: a lock is held from
// the computation until the promise is recorded. Its methods may be called at the same time.
type Ledger struct {
	persist func(Event) error

	mu      sync.Mutex
	queues  []LedgerQueue
	seq     uint64
	unsure  bool           // the last record has failed
	leases  []Lease        // in the order in which they were granted
	counted map[string]int // VMs by queue of the last recorded observation: those above it have appeared since

	// The last observation, and what was asked for in vain since.
	capacity int
	running  map[string]int
	fair     map[string]int
	unmet    map[string]unmetAsk
}

// NewLedger returns a ledger without leases. Every change is given to persist before it takes effect and before
// anybody is answered; when persist returns an error, nothing has changed. persist may be nil. It is called under the
// ledger's lock, so it must not call the ledger. Until Observe is called the first time there is nothing to lease.
func NewLedger(queues []LedgerQueue, persist func(Event) error) (*Ledger, error) {
	l := &Ledger{persist: persist, unmet: map[string]unmetAsk{}}
	if l.persist == nil {
		l.persist = func(Event) error { return nil }
	}
	if err := l.SetQueues(queues); err != nil {
		return nil, err
	}
	return l, nil
}

// SetQueues replaces floors, ceilings and reservation times from now on. Leases in force stay; those of a queue that
// is no longer there count against the capacity until they lapse.
func (l *Ledger) SetQueues(queues []LedgerQueue) error {
	checked, err := checkQueues(queues)
	if err != nil {
		return &Error{Op: "set up the queues of the ledger", Err: err}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queues = checked
	return nil
}

// Queues returns the queues as they are configured.
func (l *Ledger) Queues() []LedgerQueue {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.queues)
}

// Leases returns the leases in force, oldest first.
func (l *Ledger) Leases() []Lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.leases)
}

// of returns the leases of one queue.
func (l *Ledger) of(queue string) []Lease {
	var mine []Lease
	for _, le := range l.leases {
		if le.Queue == queue {
			mine = append(mine, le)
		}
	}
	return mine
}

// commit records the event and applies it.
func (l *Ledger) commit(op, queue string, e Event) error {
	// A record that failed may be in the journal all the same. So its number is never used again, and the next one
	// tells what it starts from.
	l.seq++
	e.Seq = l.seq
	if l.unsure {
		before := l.snapshot()
		e.Before = &before
	}
	if err := l.persist(e); err != nil {
		l.unsure = true
		return &Error{Op: op, Queue: queue, Err: fmt.Errorf("%w: %w", ErrPersist, err)}
	}
	running := l.running
	l.apply(e)
	l.running, l.unsure = running, false
	return nil
}
