package simulate

import (
	"slices"
	"time"
)

// head is a group during a round of the matchmaker.
type head struct {
	group *group
	at    int // workers before this one have no room for a job of it any more
}

// negotiate is one round of the matchmaker. A worker takes jobs of its queue only, so each queue is served by itself:
// its jobs in the order in which they were submitted, each on the first worker that has room, and jobs for which there
// is none do not hold up those behind them.
func (w *world) negotiate() {
	free := w.freeWorkers()
	for _, q := range w.queues {
		if workers := free[q.index]; len(workers) > 0 {
			w.match(q, workers)
		}
	}
}

// freeWorkers returns, by queue, the workers that may have room.
func (w *world) freeWorkers() [][]*machine {
	free := make([][]*machine, len(w.queues))
	for _, m := range w.machines {
		if m.serves() && m.queue.groups != nil {
			free[m.queue.index] = append(free[m.queue.index], m)
		}
	}
	return free
}

// match serves one queue.
func (w *world) match(q *queue, workers []*machine) {
	heads := make([]head, 0, len(q.groups))
	for _, g := range q.groups {
		if g.waiting.len() > 0 {
			heads = append(heads, head{group: g})
		}
	}
	for {
		h := oldest(heads)
		if h == nil {
			return
		}
		for h.at < len(workers) && !workers[h.at].free.covers(h.group.vector) {
			h.at++
		}
		if h.at == len(workers) {
			h.group = nil // it waits for the next round
			continue
		}
		w.start(h.group.waiting.shift(), workers[h.at])
		if h.group.waiting.len() == 0 {
			h.group = nil
		}
	}
}

// oldest returns the group whose first job was submitted before those of the others, or nil.
func oldest(heads []head) *head {
	var best *head
	for i := range heads {
		h := &heads[i]
		if h.group != nil && (best == nil || h.group.waiting.first() < best.group.waiting.first()) {
			best = h
		}
	}
	return best
}

// start runs a job on a worker.
func (w *world) start(i int, m *machine) {
	j := &w.jobs[i]
	j.waited += w.now - j.queued
	j.worker, j.started = m, w.now
	if j.tries == 0 {
		j.first = w.now
	}
	j.tries++
	if len(m.jobs) == 0 {
		w.meter.busy++
	}
	m.free.add(j.group.vector, -1)
	m.jobs = append(m.jobs, i)
	m.stale = true
	q := j.group.queue
	q.waiting -= j.group.fills
	q.running += j.group.fills
	q.used.add(j.group.vector, 1)
	j.group.running++
	try, service := j.tries, m.service
	w.after(w.stage.trace[i].Runtime, func() {
		if j.worker == m && j.tries == try && m.service == service {
			w.finish(i, m)
		}
	})
}

// unload takes a job's use of a worker back.
func (w *world) unload(m *machine, i int) {
	g := w.jobs[i].group
	m.free.add(g.vector, 1)
	g.queue.running -= g.fills
	g.queue.used.add(g.vector, -1)
	w.meter.fairness.ended(&w.jobs[i])
}

// finish ends a job well.
func (w *world) finish(i int, m *machine) {
	j := &w.jobs[i]
	w.unload(m, i)
	j.group.running--
	j.worker, j.done, j.ended = nil, true, w.now
	w.left--
	at := slices.Index(m.jobs, i)
	m.jobs = slices.Delete(m.jobs, at, at+1)
	m.stale = true
	if len(m.jobs) > 0 {
		return
	}
	w.meter.busy--
	m.idle = w.now
	if m.drains {
		m.leave()
	}
}

// waitOf returns how long a job has waited up to now.
func (w *world) waitOf(i int) time.Duration {
	j := &w.jobs[i]
	if j.done || j.worker != nil {
		return j.waited
	}
	return j.waited + w.now - j.queued
}
