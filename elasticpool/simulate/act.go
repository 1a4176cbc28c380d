package simulate

import (
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// act begins an action. It takes effect, and its outcome is known, when the call has ended.
func (w *world) act(a elasticpool.Action) {
	w.underway = append(w.underway, a.VM)
	w.after(w.timing.Call.D(), func() {
		if at := slices.Index(w.underway, a.VM); at >= 0 {
			w.underway = slices.Delete(w.underway, at, at+1)
		}
		outcome := elasticpool.Outcome{Action: a}
		if err := w.perform(a, &outcome); err != nil {
			outcome.Error, outcome.Detail = elasticpool.ErrorWord(err), err.Error()
			w.meter.failures++
		}
		w.outcomes = append(w.outcomes, outcome)
	})
}

// perform does an action.
func (w *world) perform(a elasticpool.Action, outcome *elasticpool.Outcome) error {
	m := w.byVM[a.VM]
	switch a.Kind {
	case elasticpool.ActCreate:
		return w.create(a, outcome)
	case elasticpool.ActDelete, elasticpool.ActStop, elasticpool.ActStart:
		return w.switchServer(a, m)
	case elasticpool.ActFree:
		if m != nil && m.worker != joined {
			w.free(m)
		}
		return nil
	default:
		return w.tellWorker(a, m)
	}
}

// create makes a server, or fails as the cloud does.
func (w *world) create(a elasticpool.Action, outcome *elasticpool.Outcome) error {
	class, faults := w.classes[a.Class], w.stage.config.Faults
	fails := w.luck.Float64() < faults.CreateFails
	switch {
	case class == nil || w.byVM[a.VM] != nil:
		return fmt.Errorf("create %s: class %q: %w", a.VM, a.Class, elasticpool.ErrInvalid)
	case !class.cloud.has(class):
		return fmt.Errorf("create %s: %w", a.VM, elasticpool.ErrQuota)
	case faults.Shortage != nil && w.within(faults.Shortage.From, faults.Shortage.To):
		return fmt.Errorf("create %s: %w", a.VM, elasticpool.ErrCapacity)
	case fails:
		err := elasticpool.ErrorOfWord(orDefault(faults.CreateError, "capacity"))
		if err == elasticpool.ErrUnknownOutcome && w.luck.Float64() < 0.5 { //nolint:errorlint // the very value
			w.boot(a, class)
		}
		return fmt.Errorf("create %s: %w", a.VM, err)
	}
	outcome.Server = w.boot(a, class).server.ID
	return nil
}

// switchServer deletes, stops or starts a server. A server that is gone needs no deletion.
func (w *world) switchServer(a elasticpool.Action, m *machine) error {
	if m == nil || m.gone {
		if a.Kind == elasticpool.ActDelete {
			return nil
		}
		return fmt.Errorf("%s %s: no such server: %w", a.Kind, a.VM, elasticpool.ErrInvalid)
	}
	status := m.server.Status
	switch {
	case status == elasticpool.ServerDeleting:
		if a.Kind != elasticpool.ActDelete {
			return fmt.Errorf("%s %s: it is being deleted: %w", a.Kind, a.VM, elasticpool.ErrTransient)
		}
	case a.Kind == elasticpool.ActDelete:
		w.remove(m)
	case a.Kind == elasticpool.ActStop && status == elasticpool.ServerActive:
		w.sleep(m)
	case a.Kind == elasticpool.ActStart && status == elasticpool.ServerStopped:
		m.server.Status = elasticpool.ServerActive
		w.meter.alive++
		w.meter.stopped--
		w.meter.boots++
		w.awake(m, w.timing.Start.D())
	default:
		return fmt.Errorf("%s %s: it is %s: %w", a.Kind, a.VM, status, elasticpool.ErrTransient)
	}
	return nil
}

// sleep stops a server; what runs on it dies.
func (w *world) sleep(m *machine) {
	m.life++
	life := m.life
	w.die(m, &w.meter.killed)
	w.after(w.timing.Stop.D(), func() {
		if m.life == life && !m.gone {
			m.server.Status = elasticpool.ServerStopped
			w.meter.alive--
			w.meter.stopped++
		}
	})
}

// tellWorker joins, binds, drains or cancels a drain.
func (w *world) tellWorker(a elasticpool.Action, m *machine) error {
	queue := w.queueOf[a.Queue]
	if m == nil || m.gone || !m.can(a.Kind, queue) {
		return fmt.Errorf("%s %s: %w", a.Kind, a.VM, elasticpool.ErrNoWorker)
	}
	switch a.Kind {
	case elasticpool.ActJoin:
		w.join(m, queue)
	case elasticpool.ActBind:
		w.meter.binds++
		m.queue, m.stale = queue, true
	case elasticpool.ActCancelDrain:
		m.drains, m.stale = false, true
	case elasticpool.ActDrain:
		return w.drain(m, a.OnlyIdle)
	default:
		return fmt.Errorf("%s %s: %w", a.Kind, a.VM, elasticpool.ErrUnsupported)
	}
	return nil
}

// can tells whether the worker is in a state in which it can be told that.
func (m *machine) can(kind elasticpool.ActionKind, queue *queue) bool {
	switch kind {
	case elasticpool.ActJoin:
		return m.worker == warm && !m.joining && queue != nil
	case elasticpool.ActBind:
		return m.worker == joined && queue != nil
	default:
		return m.worker == joined
	}
}

// join lets a warm worker serve a queue in a moment.
func (w *world) join(m *machine, queue *queue) {
	m.joining = true
	life := m.life
	least, most := w.timing.JoinLeast.D(), w.timing.JoinMost.D()
	w.after(least+w.part(most-least), func() {
		if m.life == life && m.joining {
			w.serve(m, queue)
		}
	})
}

// drain lets a worker take no more jobs.
func (w *world) drain(m *machine, onlyIdle bool) error {
	if onlyIdle && len(m.jobs) > 0 {
		return fmt.Errorf("drain %s: %w", m.vm, elasticpool.ErrBusy)
	}
	w.meter.drains++
	m.drains, m.stale = true, true
	if len(m.jobs) == 0 {
		m.leave()
	}
	return nil
}
