package elasticpool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// Kinds of entries in the journal of a pool.
const (
	entrySnapshot = "snapshot" // poolRecord: all that was before
	entryCycle    = "cycle"    // cycleEntry: before the actions of a cycle begin
	entryEnd      = "end"      // endEntry: an action has ended
	entryCommand  = "command"  // commandEntry: an operator was obeyed
	entryLease    = "lease"    // quota.Event
)

// poolRecord is what the journal says: a controller's state, actions whose end has not been decided on yet, and commands
// that have not been decided on. The live pool keeps one that follows each entry, so that a snapshot of it says what
// the entries said.
type poolRecord struct {
	Now      time.Time                  `json:"now"`
	State    json.RawMessage            `json:"state,omitempty"` // without its VMs
	VMs      map[string]json.RawMessage `json:"vms"`
	Begun    map[int64]Action           `json:"begun"`
	Ended    map[int64]Outcome          `json:"ended"` // of actions in Begun
	Commands map[int64]Command          `json:"commands"`
	Workers  map[string]string          `json:"workers"` // names in the batch system by VM: a lost worker must be freed by it
	Next     int64                      `json:"next"`    // number of an action or command
	Leases   quota.Snapshot             `json:"leases"`
	Leasing  []quota.Event              `json:"leasing,omitempty"` // after that
}

// cycleEntry is what a cycle changed and is about to do. It is one entry, so that all of it is in the journal or nothing.
type cycleEntry struct {
	Now     time.Time                  `json:"now"`
	State   json.RawMessage            `json:"state,omitempty"` // if it changed
	VMs     map[string]json.RawMessage `json:"vms,omitempty"`   // those that changed
	Gone    []string                   `json:"gone,omitempty"`
	Decided []int64                    `json:"decided,omitempty"` // outcomes and commands that are in the state now
	Begun   map[int64]Action           `json:"begun,omitempty"`
	Workers map[string]string          `json:"workers,omitempty"`
}

type endEntry struct {
	Number  int64   `json:"number"`
	Outcome Outcome `json:"outcome"`
}

type commandEntry struct {
	Number  int64   `json:"number"`
	Command Command `json:"command"`
}

func newPoolRecord() poolRecord {
	return poolRecord{
		VMs: map[string]json.RawMessage{}, Begun: map[int64]Action{}, Ended: map[int64]Outcome{},
		Commands: map[int64]Command{}, Workers: map[string]string{}, Next: 1,
	}
}

// apply takes in an entry.
func (r *poolRecord) apply(kind string, data []byte) error {
	switch kind {
	case entrySnapshot:
		*r = newPoolRecord()
		return json.Unmarshal(data, r)
	case entryCycle:
		return applyAs(data, r.cycle)
	case entryEnd:
		return applyAs(data, func(e endEntry) {
			if _, open := r.Begun[e.Number]; open {
				r.Ended[e.Number] = e.Outcome
			}
		})
	case entryCommand:
		return applyAs(data, func(e commandEntry) {
			r.Commands[e.Number] = e.Command
			r.Next = max(r.Next, e.Number+1)
		})
	case entryLease:
		return applyAs(data, func(e quota.Event) { r.Leasing = append(r.Leasing, e) })
	default:
		return fmt.Errorf("entry of kind %q: written by another version of this program", kind)
	}
}

func applyAs[T any](data []byte, apply func(T)) error {
	var entry T
	if err := json.Unmarshal(data, &entry); err != nil {
		return err
	}
	apply(entry)
	return nil
}

func (r *poolRecord) cycle(e cycleEntry) {
	r.Now = e.Now
	if e.State != nil {
		r.State = e.State
	}
	maps.Copy(r.VMs, e.VMs)
	maps.Copy(r.Workers, e.Workers)
	for _, id := range e.Gone {
		delete(r.VMs, id)
		delete(r.Workers, id)
	}
	for _, number := range e.Decided {
		delete(r.Begun, number)
		delete(r.Ended, number)
		delete(r.Commands, number)
	}
	maps.Copy(r.Begun, e.Begun)
	for number := range e.Begun {
		r.Next = max(r.Next, number+1)
	}
}

// change returns the entry that makes the record say what state says.
func (r *poolRecord) change(state State, names map[string]string) (cycleEntry, error) {
	entry := cycleEntry{VMs: map[string]json.RawMessage{}, Workers: map[string]string{}}
	there := make(map[string]bool, len(state.VMs))
	for _, vm := range state.VMs {
		there[vm.ID] = true
		text, err := json.Marshal(vm)
		if err != nil {
			return entry, err
		}
		if !bytes.Equal(text, r.VMs[vm.ID]) {
			entry.VMs[vm.ID] = text
		}
		if name := names[vm.ID]; name != "" && name != r.Workers[vm.ID] {
			entry.Workers[vm.ID] = name
		}
	}
	for id := range r.VMs {
		if !there[id] {
			entry.Gone = append(entry.Gone, id)
		}
	}
	slices.Sort(entry.Gone)
	state.VMs = nil
	text, err := json.Marshal(state)
	if !bytes.Equal(text, r.State) {
		entry.State = text
	}
	return entry, err
}

// state returns the controller's state. Times that lie ahead of now, because the clock was wrong then, become now.
func (r *poolRecord) state(now time.Time) (State, error) {
	var state State
	if r.State != nil {
		if err := json.Unmarshal(r.State, &state); err != nil {
			return state, err
		}
	}
	for id, text := range r.VMs {
		vm := new(VM)
		if err := json.Unmarshal(text, vm); err != nil {
			return state, fmt.Errorf("vm %s: %w", id, err)
		}
		for _, at := range []*time.Time{&vm.Since, &vm.Created, &vm.IdleSince, &vm.Missing, &vm.Gone, &vm.Bound} {
			if at.After(now) {
				*at = now
			}
		}
		state.VMs = append(state.VMs, vm)
	}
	slices.SortFunc(state.VMs, func(a, b *VM) int { return strings.Compare(a.ID, b.ID) })
	if state.Last.After(now) {
		state.Last = now
	}
	return state, nil
}

// unresolved returns the outcomes that have not been decided on, by their number. How an action ended that a crash cut off
// nobody knows.
func (r *poolRecord) unresolved() map[int64]Outcome {
	outcomes := maps.Clone(r.Ended)
	for number, action := range r.Begun {
		if _, ended := outcomes[number]; !ended {
			outcomes[number] = Outcome{
				Action: action, Error: ErrorWord(ErrUnknownOutcome), Detail: "the controller ended while it was under way",
			}
		}
	}
	return outcomes
}
