package simulate

import (
	"errors"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// sensors are what was seen last.
type sensors struct {
	jobs    elasticpool.Seen[[]elasticpool.JobGroup]
	workers elasticpool.Seen[elasticpool.Workers]
	clouds  map[string]elasticpool.Seen[elasticpool.CloudView]
	// Lists are made in turn in the memory of the last but one: 14 days have 20,000 of them.
	lists   [2][]elasticpool.Worker
	servers map[string]*[2][]elasticpool.Server
	turn    int
}

// source is the name of the batch system's only source of jobs.
const source = "schedd"

var errBlind = errors.New("communication error")

// input looks at everything, in a time that grows with the number of VMs and groups only.
func (w *world) input() elasticpool.Input {
	now := w.time()
	w.seen.turn = 1 - w.seen.turn
	w.seen.jobs = look(w, SensorJobs, w.seen.jobs, w.groupsSeen)
	w.seen.workers = look(w, SensorWorkers, w.seen.workers, w.workersSeen)
	in := elasticpool.Input{
		Now:      now,
		Jobs:     map[string]elasticpool.Seen[[]elasticpool.JobGroup]{source: w.seen.jobs},
		Workers:  w.seen.workers,
		Clouds:   make(map[string]elasticpool.Seen[elasticpool.CloudView], len(w.clouds)),
		Outcomes: w.outcomes,
		Running:  slices.Clone(w.underway),
	}
	if w.seen.clouds == nil {
		w.seen.clouds = map[string]elasticpool.Seen[elasticpool.CloudView]{}
		w.seen.servers = map[string]*[2][]elasticpool.Server{}
	}
	for _, c := range w.clouds {
		if w.seen.servers[c.name] == nil {
			w.seen.servers[c.name] = &[2][]elasticpool.Server{}
		}
		w.seen.clouds[c.name] = look(w, SensorClouds, w.seen.clouds[c.name], func(empty bool) elasticpool.CloudView {
			return w.cloudSeen(c, empty)
		})
		in.Clouds[c.name] = w.seen.clouds[c.name]
	}
	w.outcomes = nil
	return in
}

// look asks a sensor, or finds it blind.
func look[T any](w *world, sensor string, last elasticpool.Seen[T], see func(empty bool) T) elasticpool.Seen[T] {
	for _, b := range w.stage.config.Faults.Blind {
		if b.Sensor != sensor || !w.within(b.From, b.To) {
			continue
		}
		if b.Empty {
			return last.Saw(see(true), w.time())
		}
		return last.Failed(errBlind, w.time())
	}
	return last.Saw(see(false), w.time())
}

// groupsSeen is what a schedd tells of its queues.
func (w *world) groupsSeen(empty bool) []elasticpool.JobGroup {
	var list []elasticpool.JobGroup
	for _, q := range w.queues {
		for _, g := range q.groups {
			if waiting := g.waiting.len(); !empty && waiting+g.running > 0 {
				list = append(list, w.groupSeen(g, waiting))
			}
		}
	}
	return list
}

func (w *world) groupSeen(g *group, waiting int) elasticpool.JobGroup {
	seen := elasticpool.JobGroup{
		Queue: g.queue.name, Request: g.request, Idle: waiting, Running: g.running, Source: source,
	}
	if waiting > 0 {
		first := g.waiting.first()
		if first != g.viewOf {
			g.view, g.viewOf = []string{jobID(first)}, first
		}
		seen.Jobs = g.view
		seen.Oldest = epoch.Add(w.stage.trace[first].Submit)
	}
	return seen
}

// workersSeen is what a collector tells. One that was restarted a moment ago knows nothing, and is as old as that.
func (w *world) workersSeen(empty bool) elasticpool.Workers {
	seen := elasticpool.Workers{Since: 365*24*hour + w.now, Interval: w.timing.Cycle.D()}
	for _, b := range w.stage.config.Faults.Blind {
		if b.Sensor == SensorWorkers && b.Empty && w.now >= b.From.D() {
			seen.Since = min(seen.Since, w.now-b.From.D())
		}
	}
	if empty {
		return seen
	}
	seen.List = w.seen.lists[w.seen.turn][:0]
	for _, m := range w.machines {
		if m.worker != absent {
			seen.List = append(seen.List, w.workerSeen(m))
		}
	}
	w.seen.lists[w.seen.turn] = seen.List
	return seen
}

func (w *world) workerSeen(m *machine) elasticpool.Worker {
	if m.stale {
		m.view, m.stale = w.look(m), false
	}
	m.view.Heard = w.time()
	if m.worker == dead {
		m.view.Heard = epoch.Add(m.heard)
	}
	return m.view
}

// look makes the view of a worker anew.
func (w *world) look(m *machine) elasticpool.Worker {
	seen := elasticpool.Worker{VM: m.vm, Name: m.vm, Total: m.class.Slot, Free: m.class.Slot}
	if m.worker != warm {
		seen.Joined, seen.Draining = true, m.drains
	}
	if m.queue != nil {
		seen.Queue = m.queue.name
	}
	if len(m.jobs) == 0 {
		seen.IdleSince = epoch.Add(m.idle)
		return seen
	}
	if m.worker != dead {
		seen.Free = w.space.resources(m.free, m.class.Slot)
	}
	seen.Jobs = make([]elasticpool.Job, len(m.jobs))
	for n, i := range m.jobs {
		seen.Jobs[n] = elasticpool.Job{
			ID: jobID(i), Queue: w.jobs[i].group.queue.name, Source: source, Since: epoch.Add(w.jobs[i].started),
			Runtime: w.stage.trace[i].Limit,
		}
	}
	return seen
}

// cloudSeen is what a cloud tells. A list that is cut short says so.
func (w *world) cloudSeen(c *cloud, empty bool) elasticpool.CloudView {
	seen := elasticpool.CloudView{Complete: !empty}
	seen.Limits.Total = c.capacity
	seen.Limits.Free = w.space.resources(c.free, c.capacity)
	if empty {
		return seen
	}
	lists := w.seen.servers[c.name]
	seen.Servers = lists[w.seen.turn][:0]
	for _, m := range w.machines {
		if m.class.cloud == c && !m.gone {
			seen.Servers = append(seen.Servers, m.server)
		}
	}
	lists[w.seen.turn] = seen.Servers
	return seen
}

// within tells whether now is in a time.
func (w *world) within(from, to Duration) bool { return w.now >= from.D() && w.now < to.D() }

// crashes notes the deaths of VMs that the faults ask for.
func (w *world) crashes() {
	for _, c := range w.stage.config.Faults.Crashes {
		w.agenda.note(c.At.D(), func() { w.crash(c) })
	}
}

func (w *world) crash(c Crash) {
	for _, m := range slices.Clone(w.machines) {
		if m.gone || w.luck.Float64() >= c.Share {
			continue
		}
		m.life++
		w.die(m, &w.meter.crashed)
		if !c.KeepServer {
			w.vanish(m)
		}
	}
}
