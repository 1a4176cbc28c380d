package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// Result is what a successful operation did.
type Result struct {
	// Record is the instance's record afterwards; a Manager without a [Store] leaves it to the caller to keep it.
	Record Record
	// Request is the merged request, where one was made; its Query is what Placement was asked.
	Request *requestspec.Request
	// Candidate is the claimed one, with the provider of each group.
	Candidate placement.Candidate
	// ARQs are the bound ARQs, those of ports included, where the operation looked at them.
	ARQs []cyborgclient.ARQ
	// Composition is the domain XML with the devices; nil where none was composed.
	Composition *virtdriver.Composition
}

// run is one run of an operation on one instance: its record as it changes, and what the steps found out.
type run struct {
	*Manager
	record      Record
	step        Step
	host        string // where the instance was in the beginning
	keep        int    // how many tasks of the undo are older than the operation
	rebinds     bool   // the operation does what is pending that needs devices
	uncertain   bool   // the commit may be stored although its saving failed
	stale       bool   // the stored record is newer
	fresh       bool   // the operation began here, and is no interrupted one
	saves       int    // how often the record was saved
	unsaved     bool
	left        error // what undoing could not do
	request     *requestspec.Request
	candidate   placement.Candidate
	bound       []cyborgclient.ARQ
	composition *virtdriver.Composition
}

// operate runs an operation: no other one of the instance runs meanwhile, what is pending is done first, and whatever
// way body ends, the record says what is so. An operation that did not commit is taken back.
func (m *Manager) operate(ctx context.Context, op Op, record Record, body func(context.Context, *run) error) (*Result, error) {
	r := m.newRun(op, record)
	if err := r.record.check(); err != nil {
		return nil, r.failure(err, nil)
	}
	ctx, leave, err := m.instances.enter(ctx, record.Instance())
	if err != nil {
		return nil, r.failure(err, nil)
	}
	defer func() { leave(r.remains()) }()
	if err := r.checkStart(); err != nil {
		return nil, r.failure(err, nil)
	}
	return r.all(ctx, body)
}

// remains is the record for a deletion that ended the operation. A creation that left nothing tells nothing: it may have
// been a second one of the instance.
func (r *run) remains() Record {
	if r.step.Op == OpCreate && !r.record.Holds() {
		return Record{}
	}
	return r.record.clone()
}

func (m *Manager) newRun(op Op, record Record) *run {
	host := record.Now.Host
	return &run{Manager: m, record: record.clone(), host: host, step: Step{Op: op, Instance: record.Instance(), Host: host}}
}

// checkStart refuses what must not begin.
func (r *run) checkStart() error {
	if o := r.record.Operation; o != nil {
		return fmt.Errorf("%w: %s, begun %s: Resume finishes it or takes it back", ErrInterrupted, o.Op, o.Started.Format(time.RFC3339))
	}
	return r.step.Op.check(r.record.State)
}

func (r *run) all(ctx context.Context, body func(context.Context, *run) error) (*Result, error) {
	if err := r.open(ctx); err != nil {
		return nil, r.failure(err, nil)
	}
	err := body(ctx, r)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrDeleted) {
		err = fmt.Errorf("%w: %w", ErrDeleted, err)
	}
	undo := r.end(ctx)
	if err != nil || undo != nil {
		return nil, r.failure(err, undo)
	}
	return r.result(), nil
}

// open does what is pending. The operation comes on record with the first step that changes something. A deletion does
// all that itself, in one write.
func (r *run) open(ctx context.Context) error {
	if r.step.Op == OpDelete || r.step.Op == OpLocalDelete {
		r.begin()
		return nil
	}
	aside := r.setAside()
	if err := r.settle(ctx); err != nil {
		r.record.Pending = append(aside, r.record.Pending...)
		return fmt.Errorf("finish what is pending: %w", err)
	}
	r.begin()
	r.fresh = true
	r.record.Operation.Undo, r.keep = reversed(aside), len(aside)
	return nil
}

func (r *run) begin() {
	r.record.Operation = &Operation{Op: r.step.Op, Started: time.Now().UTC()}
}

// end takes back what did not commit, finishes what did, and closes the operation on record.
func (r *run) end(ctx context.Context) error {
	o := r.record.Operation
	if o.Committed {
		r.left = r.drain(ctx)
	} else {
		_ = r.unwind(ctx) // its error is in r.left, with those of earlier attempts
		r.record.Pending = append(reversed(o.Undo), r.record.Pending...)
	}
	r.record.Operation = nil
	if r.fresh && (r.saves == 0 || r.stale) { // nothing was begun, and the stored record is as it was
		return r.left
	}
	return errors.Join(r.left, r.save(ctx))
}

func (r *run) result() *Result {
	return &Result{
		Record: r.record, Request: r.request, Candidate: r.candidate, ARQs: r.bound, Composition: r.composition,
	}
}

// do runs one step, saves what it changed on record, tells the observer, and names the step in its error.
func (r *run) do(ctx context.Context, id StepID, step func(context.Context) error) error {
	r.step.ID, r.step.Started = id, time.Now()
	r.record.Operation.Step = id
	err := step(ctx)
	if r.unsaved {
		err = errors.Join(err, r.save(ctx))
	}
	r.tell(ctx, err)
	if err != nil {
		return &stepError{step: r.step, err: err}
	}
	return nil
}

func (r *run) tell(ctx context.Context, err error) {
	r.step.Duration, r.step.Err = time.Since(r.step.Started), err
	r.step.ARQs = r.record.ARQs()
	if o := r.record.Operation; o != nil && o.Next != nil {
		r.step.ARQs = uuids(o.Next.Sets)
	}
	r.observe(ctx, r.step)
}

// save stores the record, also when the operation's context has ended: what happened must not be forgotten.
func (r *run) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.undoTimeout)
	defer cancel()
	r.unsaved = false
	if _, none := r.store.(forgetful); !none {
		r.record.Revision++
	}
	if r.saves++; r.stale {
		return nil // it was told; another try could take the place of a record that is only a little newer
	}
	if err := r.store.Save(ctx, r.record.clone()); err != nil {
		if r.record.Revision == 1 {
			r.record.Revision = 0 // nothing was stored ever
		}
		r.stale = errors.Is(err, ErrStale) || errors.Is(err, ErrExists)
		return fmt.Errorf("save the record: %w", err)
	}
	if !r.record.Holds() {
		r.record.Revision = 0 // nothing is stored any more
	}
	return nil
}
