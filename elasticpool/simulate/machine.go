package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// machine is a VM: a server in its cloud, and a worker when it has booted.
type machine struct {
	vm      string
	class   *class
	server  elasticpool.Server // as its cloud shows it
	gone    bool               // the server is no more
	worker  workerState
	queue   *queue // of a worker that serves or drains
	joining bool   // on its way from warm to serving
	drains  bool
	free    vector
	jobs    []int         // that run on it
	idle    time.Duration // since when none has
	heard   time.Duration // of a dead worker: its last report
	life    int           // counts boots and ends of the server, so that what was noted for an earlier life is left out
	service int           // counts those of the worker

	view  elasticpool.Worker // as the batch system shows it
	stale bool               // view is not up to date
}

// workerState is how far a worker has come.
type workerState int

const (
	absent workerState = iota // has not reported, or has ended
	warm                      // reports, without slots
	joined                    // has slots
	dead                      // was joined or warm when its VM died; still listed
)

// alive tells whether the server takes room in its cloud and runs, or is about to.
func (m *machine) alive() bool { return !m.gone && m.server.Status != elasticpool.ServerStopped }

// serves tells whether the worker takes jobs.
func (m *machine) serves() bool { return m.worker == joined && !m.drains }

// boot makes the server that an action asks for; it takes its room from now on.
func (w *world) boot(a elasticpool.Action, class *class) *machine {
	w.servers++
	m := &machine{
		vm: a.VM, class: class, free: append(vector(nil), class.slot...),
		server: elasticpool.Server{
			ID: fmt.Sprintf("server-%06d", w.servers), VM: a.VM, Pool: w.stage.pool.Pool, Class: class.Name, Queue: a.Queue,
			Generation: 1, Status: elasticpool.ServerBuilding, Created: w.time(),
		},
	}
	class.cloud.free.add(class.takes, -1)
	class.alive++
	w.machines = append(w.machines, m)
	w.byVM[m.vm] = m
	w.meter.alive++
	w.meter.boots++
	w.awake(m, w.bootTime())
	return m
}

// bootTime draws how long a boot takes, less the call that began it.
func (w *world) bootTime() time.Duration {
	spread := w.timing.BootSpread.D().Seconds() * (w.boots.Float64() - 0.5)
	boot := w.timing.Boot.D() - w.timing.Call.D() + time.Duration(spread*float64(time.Second))
	return max(0, boot.Truncate(time.Millisecond))
}

// awake brings a server up: it is active after two fifths of the time, and its worker reports at the end.
func (w *world) awake(m *machine, takes time.Duration) {
	m.life++
	life, faults := m.life, w.stage.config.Faults
	broken := w.luck.Float64() < faults.ErrorServer
	mute := w.luck.Float64() < faults.NeverJoins
	w.after(takes*2/5, func() {
		switch {
		case m.life != life:
		case broken:
			m.server.Status, m.server.Fault = elasticpool.ServerError, "no valid host was found"
		default:
			m.server.Status = elasticpool.ServerActive
		}
	})
	w.after(takes, func() {
		if m.life == life && !broken && !mute {
			w.report(m)
		}
	})
}

// report is a worker's first sign of life. If it is not its first life, the batch system learns how the last one ended.
func (w *world) report(m *machine) {
	w.release(m)
	m.service++
	m.worker, m.idle, m.stale = warm, w.now, true
	if queue := w.queueOf[m.server.Queue]; w.joins && queue != nil {
		w.serve(m, queue)
	}
}

// serve lets a worker take jobs of a queue.
func (w *world) serve(m *machine, queue *queue) {
	m.worker, m.queue, m.joining, m.drains, m.idle, m.stale = joined, queue, false, false, w.now, true
}

// leave ends the service of a worker without jobs: it is warm.
func (m *machine) leave() {
	m.worker, m.queue, m.drains, m.joining, m.stale = warm, nil, false, false, true
}

// remove begins the end of a server, whatever runs on it.
func (w *world) remove(m *machine) {
	m.life++
	w.die(m, &w.meter.killed)
	if !m.alive() {
		w.meter.alive++
		w.meter.stopped--
	}
	m.server.Status = elasticpool.ServerDeleting
	w.after(w.timing.Delete.D(), func() { w.vanish(m) })
}

// vanish is the end of a server.
func (w *world) vanish(m *machine) {
	if m.gone {
		return
	}
	if m.alive() {
		w.meter.alive--
	} else {
		w.meter.stopped--
	}
	m.gone = true
	m.class.cloud.free.add(m.class.takes, 1)
	m.class.alive--
	w.forget(m)
}

// die ends a worker that serves: its jobs are over, and count counts them. The batch system does not know: it lists the
// worker for a while, and takes the jobs for running for longer.
func (w *world) die(m *machine, count *int) {
	m.joining = false
	if m.worker == warm {
		m.worker = absent
	}
	if m.worker != joined {
		return
	}
	if len(m.jobs) > 0 {
		*count += len(m.jobs)
		w.meter.busy--
	}
	for _, i := range m.jobs {
		w.meter.lost += w.now - w.jobs[i].started
		w.unload(m, i)
	}
	m.worker, m.heard, m.stale = dead, w.now, true
	m.service++
	service := m.service
	w.after(w.timing.AdLifetime.D(), func() {
		if m.service == service && m.worker == dead {
			m.worker = absent
			w.forget(m)
		}
	})
	w.after(w.timing.JobLease.D(), func() {
		if m.service == service {
			w.release(m)
		}
	})
}

// release gives the jobs of a dead worker back to their queues.
func (w *world) release(m *machine) {
	for _, i := range slices.Backward(m.jobs) {
		w.jobs[i].worker = nil
		w.jobs[i].group.running--
		w.requeue(i)
	}
	m.jobs, m.stale = nil, true
	w.forget(m)
}

// free lets the batch system know that a worker is dead.
func (w *world) free(m *machine) {
	if m.worker == dead {
		m.worker = absent
	}
	w.release(m)
}

// forget drops a machine of which nothing is left.
func (w *world) forget(m *machine) {
	if !m.gone || m.worker == dead || len(m.jobs) > 0 || w.byVM[m.vm] != m {
		return
	}
	delete(w.byVM, m.vm)
	at := slices.Index(w.machines, m)
	w.machines = slices.Delete(w.machines, at, at+1)
}

// part draws a part of a time.
func (w *world) part(of time.Duration) time.Duration {
	return time.Duration(of.Seconds() * w.boots.Float64() * float64(time.Second)).Truncate(time.Millisecond)
}
