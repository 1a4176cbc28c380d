package simulate

import "time"

// meter adds up what happens. Sums of time are whole milliseconds times whole VMs, so that they do not depend on the
// order of the machine's floating point.
type meter struct {
	alive, busy, stopped int // VMs now

	aliveTime, busyTime, stoppedTime int64     // VM-milliseconds
	overTime, underTime              int64     // millionths of VM-milliseconds, in VMs
	overFor, underFor, backlogFor    int64     // milliseconds
	queueTime                        []int64   // by queue: thousandths of VM-milliseconds
	share                            []float64 // by queue: dominant share times milliseconds
	fairness                         fairness

	boots, binds, drains, failures int
	killed, crashed                int
	lost                           time.Duration
	supply, demand                 int64 // of the last cycle
	adaptations                    int
	capacity                       int64  // VMs
	slots                          vector // of all of them
}

// prepare tells the meter what there is room for.
func (m *meter) prepare(w *world) {
	counts := room(w.stage.pool, w.stage.capacity)
	for _, n := range counts {
		m.capacity += int64(n)
	}
	m.slots = w.space.vector(slots(w.stage.pool, counts))
	m.queueTime = make([]int64, len(w.queues))
	m.share = make([]float64, len(w.queues))
	m.fairness.prepare(w)
}

// pass counts a time in which nothing has changed.
func (m *meter) pass(w *world, d time.Duration) {
	ms := d.Milliseconds()
	m.aliveTime += int64(m.alive) * ms
	m.busyTime += int64(m.busy) * ms
	m.stoppedTime += int64(m.stopped) * ms
	demand := m.demanded(w)
	switch surplus := int64(m.alive) - demand; {
	case surplus > 0:
		m.overTime += surplus * ms
		m.overFor += ms
	case surplus < 0:
		m.underTime -= surplus * ms
		m.underFor += ms
	}
	m.shares(w, ms)
}

// demanded returns how many VMs the jobs of the moment would fill: at least those that are busy, at most what there is
// room for.
func (m *meter) demanded(w *world) int64 {
	fill := int64(0)
	for _, q := range w.queues {
		fill += q.waiting
	}
	return min(m.capacity, int64(m.busy)+(fill+million-1)/million)
}

// shares counts what each queue has of the pool.
func (m *meter) shares(w *world, ms int64) {
	for i, q := range w.queues {
		m.queueTime[i] += q.running / 1000 * ms // the sum would not hold millionths
		m.share[i] += m.part(q.used) * float64(ms)
	}
	if m.fairness.backlogged(w) {
		m.backlogFor += ms
		m.fairness.pass(w, ms)
	}
}

// part returns what part of all slots a use is: its dominant share.
func (m *meter) part(used vector) float64 { return float64(used.part(m.slots)) / million }

// adapt compares supply and demand with those of the last cycle.
func (m *meter) adapt(w *world) {
	supply, demand := int64(m.alive), m.demanded(w)
	if supply != m.supply {
		m.adaptations++
	}
	if demand != m.demand {
		m.adaptations--
	}
	m.supply, m.demand = supply, demand
}
