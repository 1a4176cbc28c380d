package lifecycle_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// outcome is what a case came to.
type outcome struct {
	calls []call
	// uncommitted is how many of them the undisturbed operation makes before it commits.
	uncommitted int
	// resumed are the calls of the Resume after a kill.
	resumed []call
	faults  []string
}

func (o *outcome) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Sprintf(format, args...))
}

// state is what the instance is by its record on disk.
func (b *batch) state(instance string) lifecycle.State {
	if record, found := b.world.disk.load(instance); found {
		return record.State
	}
	return lifecycle.StateNone
}

// play runs a case.
func (b *batch) play(c trial, o *outcome) {
	w := b.world
	w.steady.listen()
	instance, operation := b.scenario.prepare(w)
	before := b.state(instance)
	p := w.start()
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Minute)
	defer cancel()
	s := &strike{world: w, process: p, instance: instance, cancel: cancel, ahead: c.ofOperation(), outcome: o}
	p.gate.meddle = s.meddle
	err, dead := p.run(func() error { return operation(ctx, p.Manager) })
	o.calls, o.uncommitted = p.gate.log(), s.uncommitted
	s.end()
	switch {
	case dead:
		b.afterKill(c, before, instance, o)
	case s.beside != nil:
		b.afterDeletion(instance, o)
	case err != nil && s.met == 0:
		o.fault("%v", err)
	case err != nil:
		b.afterFailure(before, err, s, c, o)
	default:
		b.afterSuccess(instance, o)
	}
	if b.scenario.again() && len(o.faults) == 0 {
		if err := operation(b.t.Context(), w.steady.Manager); err != nil {
			o.fault("again: %v", err)
		}
	}
	o.faults = append(o.faults, w.violations()...)
	if len(o.faults) == 0 {
		b.clean(o)
	} else if err != nil {
		o.fault("the operation's error: %v", err)
	}
}

func jsonOf(record lifecycle.Record) string {
	text, err := json.Marshal(record)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (b *batch) afterSuccess(instance string, o *outcome) {
	if state := b.state(instance); state != b.scenario.want {
		o.fault("the instance is %s after a success, not %s", state, b.scenario.want)
	}
	if pending := b.world.record(instance).Pending; len(pending) > 0 {
		o.fault("%v is pending after a success", pending)
	}
}

// afterDeletion checks that a deletion that came between left nothing but strays.
func (b *batch) afterDeletion(instance string, o *outcome) {
	if state := b.state(instance); state != lifecycle.StateNone {
		o.fault("the instance is %s after its deletion", state)
	}
}

// afterKill resumes from the disk, in a new process, which the second mishap may be for.
func (b *batch) afterKill(c trial, before lifecycle.State, instance string, o *outcome) {
	record, found := b.world.disk.load(instance)
	if !found {
		if before != lifecycle.StateNone && b.scenario.want != lifecycle.StateNone {
			o.fault("the record is gone")
		}
		return
	}
	p := b.world.start()
	s := &strike{world: b.world, process: p, instance: instance, cancel: func() {}, ahead: c.ofResume(), outcome: o}
	p.gate.meddle = s.meddle
	err, _ := p.run(func() error {
		_, err := p.Resume(b.t.Context(), record)
		return err
	})
	o.resumed = p.gate.log()
	s.end()
	saved, found := b.world.disk.load(instance)
	switch {
	case s.met == 0:
		b.resumedWell(err, o)
	case found:
		b.resume(saved, o)
	}
	if after := b.state(instance); len(o.faults) == 0 && after != record.State {
		o.fault("the instance was %s on disk and is %s after Resume", record.State, after)
	}
}

// resume resumes in a new process, which may leave nothing but strays.
func (b *batch) resume(record lifecycle.Record, o *outcome) {
	_, err := b.world.steady.Resume(b.t.Context(), record)
	b.resumedWell(err, o)
}

func (*batch) resumedWell(err error, o *outcome) {
	if failed, ok := errors.AsType[*lifecycle.Error](err); err != nil && (!ok || !onlyStrays(failed.Record)) {
		o.fault("resume: %v", err)
	}
}

func onlyStrays(record lifecycle.Record) bool {
	return len(record.Pending) > 0 && !slices.ContainsFunc(record.Pending, notStray)
}

func notStray(t lifecycle.Task) bool { return t.Kind != lifecycle.TaskStrays }

// afterFailure checks that what the error says is true, and resumes what could not be taken back.
func (b *batch) afterFailure(before lifecycle.State, err error, s *strike, c trial, o *outcome) {
	failed, ok := errors.AsType[*lifecycle.Error](err)
	if !ok {
		o.fault("%T is no *lifecycle.Error", err)
		return
	}
	record, m := failed.Record, c.mishap
	if c.then != nil {
		m = c.then.mishap
	}
	saving := m.fits(call{"store", "save"}) && !m.fits(call{"guest", "spawn"})
	left := slices.ContainsFunc(record.Pending, notStray)
	if left && !s.committed && m.span == once && c.then == nil {
		o.fault("%v is pending although only one call failed", record.Pending)
	}
	if len(record.Pending) > 0 && failed.Undo == nil && !s.committed {
		o.fault("%v is pending, and the error says nothing of it", record.Pending)
	}
	if !s.committed && record.State != before && !saving {
		o.fault("the instance was %s and is %s after the failure", before, record.State)
	}
	if record.Operation != nil {
		o.fault("the error's record is in operation %q", record.Operation.Op)
	}
	stored := b.world.record(failed.Instance)
	if !saving && record.Holds() {
		if given, saved := jsonOf(record), jsonOf(stored); given != saved {
			o.fault("the record of the error is not what was saved: %s", cmp.Diff(given, saved))
		}
	}
	if saving && strings.HasSuffix(m.name, inHand) {
		stored = record
	}
	if stored.Version != 0 && (stored.Operation != nil || slices.ContainsFunc(stored.Pending, notStray) || saving) {
		b.resume(stored, o)
	}
}

// clean deletes everything, which has to work, and leaves the world as it was.
func (b *batch) clean(o *outcome) {
	w := b.world
	for _, host := range w.hypervisor.failed() {
		boot := slices.ContainsFunc(w.disk.all(), func(r lifecycle.Record) bool { return r.Now.Host == host || slices.Contains(r.Left, host) })
		if !boot {
			w.hypervisor.wipe(host)
			continue
		}
		w.hypervisor.setDown(host, false)
		for _, outcome := range w.steady.HostBoot(b.t.Context(), host, w.disk.all()) {
			if outcome.Err != nil {
				o.fault("boot of %s: %v", host, outcome.Err)
			}
		}
		o.faults = append(o.faults, w.violations()...)
	}
	if err := w.deleteStrays(); err != nil {
		o.fault("delete strays: %v", err)
	}
	for _, record := range w.disk.all() {
		if err := w.steady.Delete(b.t.Context(), record); err != nil {
			o.fault("delete: %v", err)
		}
	}
	o.faults = append(o.faults, w.violations()...)
	if records := w.disk.all(); len(records) > 0 {
		o.fault("records are left: %v", records)
	}
	if len(w.given) > 0 {
		if _, err := w.cyborg.DeleteARQs(b.t.Context(), w.given...); err != nil {
			o.fault("delete the given ARQs: %v", err)
		}
		w.given = nil
	}
}
