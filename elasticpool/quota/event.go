package quota

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// EventKind says what an Event changed.
type EventKind string

// The kinds of events.
const (
	EventGranted  EventKind = "granted"  // Lease was given
	EventReleased EventKind = "released" // Units were given back
	EventEnded    EventKind = "ended"    // the leases in Units are over at At
	EventObserved EventKind = "observed" // Running was seen, Units of leases became running VMs, and what had run out at At lapsed
)

// Event is one change of the ledger, to be kept in a journal and replayed after a crash.
type Event struct {
	// Seq counts the events of a ledger and its successors; numbers may be left out but not come twice.
	Seq  uint64    `json:"seq"`
	Kind EventKind `json:"kind"`
	At   time.Time `json:"at"`
	// Lease is the lease given.
	Lease *Lease `json:"lease,omitempty"`
	// Units are VMs of leases, by the lease's ID.
	Units map[string]int `json:"units,omitempty"`
	// Running are the VMs by queue.
	Running map[string]int `json:"running,omitempty"`
	// Before is the state that the event changes. It is there when the record of an event before has failed, since
	// that may be in the journal or not.
	Before *Snapshot `json:"before,omitempty"`
}

// Snapshot is all that has to outlive a ledger. Capacity and fair targets are not in it, the next observation tells.
type Snapshot struct {
	// Seq is the number of the last event that is contained.
	Seq     uint64         `json:"seq"`
	Leases  []Lease        `json:"leases"`
	Running map[string]int `json:"running"`
}

// Snapshot returns the present state. Events with a higher Seq come after it.
func (l *Ledger) Snapshot() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.snapshot()
}

// Checkpoint gives the present state to save while no event can come between, so that a journal can be cut down to it.
func (l *Ledger) Checkpoint(save func(Snapshot) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := save(l.snapshot()); err != nil {
		return &Error{Op: "save a snapshot of the leases", Err: fmt.Errorf("%w: %w", ErrPersist, err)}
	}
	return nil
}

func (l *Ledger) snapshot() Snapshot {
	return Snapshot{Seq: l.seq, Leases: slices.Clone(l.leases), Running: maps.Clone(l.counted)}
}

// Restore takes the state of a snapshot over, unless the ledger knows it already. It is for a ledger that nobody uses
// yet.
func (l *Ledger) Restore(s Snapshot) error {
	if err := s.check(); err != nil {
		return &Error{Op: "restore the leases", Err: err}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.Seq >= l.seq {
		l.seq = s.Seq
		l.take(s)
	}
	return nil
}

// take replaces what the ledger knows.
func (l *Ledger) take(s Snapshot) {
	l.leases, l.counted, l.running = slices.Clone(s.Leases), maps.Clone(s.Running), maps.Clone(s.Running)
}

// check tells whether the snapshot is one that a ledger makes.
func (s Snapshot) check() error {
	for i, le := range s.Leases {
		if le.ID == "" || le.Units <= 0 {
			return fmt.Errorf("%w: lease %d of queue %q has no id or no units", ErrReplay, i, le.Queue)
		}
	}
	return nil
}

// Replay applies an event of the journal. One whose Seq is not above all before has been applied already and is left
// out, so a journal may be replayed from any point before the last snapshot. It is for a ledger that nobody uses yet.
func (l *Ledger) Replay(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Seq <= l.seq {
		return nil
	}
	if err := e.check(); err != nil {
		return &Error{Op: "replay the journal of leases", Err: err}
	}
	l.seq = e.Seq
	l.apply(e)
	return nil
}

// check tells whether the event is one that a ledger writes.
func (e Event) check() error {
	switch {
	case e.Kind == EventGranted && (e.Lease == nil || e.Lease.ID == "" || e.Lease.Units <= 0):
		return fmt.Errorf("%w: event %d gives no lease", ErrReplay, e.Seq)
	case !slices.Contains([]EventKind{EventGranted, EventReleased, EventEnded, EventObserved}, e.Kind):
		return fmt.Errorf("%w: event %d is of kind %q", ErrReplay, e.Seq, e.Kind)
	case e.Before != nil:
		return e.Before.check()
	}
	return nil
}

// apply makes the change; it is all that ever changes leases, so a replay ends where the ledger was.
func (l *Ledger) apply(e Event) {
	if e.Before != nil {
		l.take(*e.Before)
	}
	if e.Kind == EventGranted {
		l.leases = append(l.leases, *e.Lease)
	}
	if e.Kind == EventObserved {
		l.counted, l.running = maps.Clone(e.Running), maps.Clone(e.Running)
	}
	for i := range l.leases {
		le := &l.leases[i]
		if units, named := e.Units[le.ID]; named && e.Kind == EventEnded {
			le.Expires = e.At
		} else {
			le.Units -= units
		}
	}
	l.leases = slices.DeleteFunc(l.leases, func(le Lease) bool {
		return le.Units <= 0 || e.Kind == EventObserved && lapsedBy(e.At)(le)
	})
}
