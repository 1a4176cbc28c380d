package simulate

import "github.com/novacyborg/novacyborg/elasticpool"

// States of VMs in a Series, from the end of their life to its beginning, as they are stacked in plots.
const (
	stateBusy = iota
	stateIdle
	stateDraining
	stateWarm
	stateBooting
	stateBroken
	stateDeleting
	stateStopped
	stateCount
)

func stateNames() []string {
	return []string{"busy", "idle", "draining", "warm", "booting", "broken", "deleting", "stopped"}
}

func (w *world) newSeries() *Series {
	s := &Series{States: stateNames()}
	for _, q := range w.queues {
		s.Queues = append(s.Queues, q.name)
	}
	return s
}

// sample adds a point.
func (w *world) sample() {
	point := Point{Hours: tidy(w.now.Hours()), Queues: make([]QueuePoint, len(w.queues)), VMs: make([]int, stateCount)}
	for i, q := range w.queues {
		for _, g := range q.groups {
			point.Queues[i].Waiting += g.waiting.len()
			point.Queues[i].Running += g.running
		}
	}
	for _, view := range w.decision.Queues {
		if q := w.queueOf[view.Name]; q != nil {
			point.Queues[q.index].Target = view.Target
		}
	}
	for _, m := range w.machines {
		if m.gone {
			continue
		}
		point.VMs[m.state()]++
		if m.worker == joined {
			point.Queues[m.queue.index].VMs++
		}
	}
	w.series.Points = append(w.series.Points, point)
}

// state returns which of the states of a Series the VM is in.
func (m *machine) state() int {
	switch {
	case m.server.Status == elasticpool.ServerDeleting:
		return stateDeleting
	case m.server.Status == elasticpool.ServerStopped:
		return stateStopped
	case m.server.Status == elasticpool.ServerError || m.worker == dead:
		return stateBroken
	case m.worker == absent:
		return stateBooting
	case m.worker == warm:
		return stateWarm
	case m.drains:
		return stateDraining
	case len(m.jobs) == 0:
		return stateIdle
	default:
		return stateBusy
	}
}
