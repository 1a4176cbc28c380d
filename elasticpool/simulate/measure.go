package simulate

import (
	"math"
	"slices"
	"time"
)

// result sums a run up.
func (w *world) result() Result {
	m := &w.meter
	hours := func(ms int64) float64 { return tidy(float64(ms) / float64(hour.Milliseconds())) }
	span := float64(max(1, w.now.Milliseconds()))
	r := Result{
		Policy: w.stage.config.Name, Seed: w.stage.config.Seed, Load: tidy(w.stage.load), Days: w.stage.config.Days,
		Length:  tidy(w.now.Hours()),
		VMs:     int(m.capacity),
		VMHours: hours(m.aliveTime), BusyHours: hours(m.busyTime), StoppedHours: hours(m.stoppedTime), BusyRatio: 1,
		OverHours: hours(m.overTime), UnderHours: hours(m.underTime),
		OverShare: tidy(float64(m.overFor) / span), UnderShare: tidy(float64(m.underFor) / span),
		Jitter: tidy(float64(m.adaptations) / max(w.now.Hours(), 1e-9)),
		Boots:  m.boots, Binds: m.binds, Drains: m.drains, Failures: m.failures,
		JobsKilled: m.killed, JobsLost: m.crashed, LostHours: tidy(m.lost.Hours()),
		Jain: 1, JainPlain: 1, Backlogged: hours(m.backlogFor),
		Series: w.series,
	}
	if m.aliveTime > 0 {
		r.BusyRatio = tidy(float64(m.busyTime) / float64(m.aliveTime))
	}
	if m.backlogFor > 0 {
		r.Jain, r.JainPlain = tidy(m.fairness.index()), tidy(m.fairness.plain())
	}
	w.measureJobs(&r)
	w.measureQueues(&r)
	return r
}

// measureJobs counts jobs and their waits.
func (w *world) measureJobs(r *Result) {
	var waits []float64
	first, last, slow := w.now, time.Duration(0), 0.0
	submit := w.now
	for i := range w.jobs {
		j := &w.jobs[i]
		if !w.counts(i) {
			r.Unfit++
			continue
		}
		submit = min(submit, w.stage.trace[i].Submit)
		if j.tries > 0 {
			first = min(first, j.first)
		}
		if j.done {
			r.Finished++
			last = max(last, j.ended)
		} else {
			last = w.now
		}
		wait := w.waitOf(i)
		waits = append(waits, wait.Minutes())
		runtime := w.stage.trace[i].Runtime
		slow += max(1, (wait+runtime).Seconds()/max(runtime, 10*time.Second).Seconds())
	}
	r.Jobs = len(waits)
	r.Unserved = r.Jobs - r.Finished
	if r.Jobs == 0 {
		return
	}
	r.MeanWait, r.MedianWait, r.P95Wait, r.MaxWait = summary(waits)
	r.Slowdown = tidy(slow / float64(r.Jobs))
	r.FirstJob = tidy((first - submit).Minutes())
	r.Makespan = tidy((last - submit).Hours())
	r.BootsPerJob = tidy(float64(r.Boots) / float64(r.Jobs))
}

// counts tells whether the i-th job was submitted and could be run by some class.
func (w *world) counts(i int) bool { return w.jobs[i].group != nil && w.jobs[i].group.fills > 0 }

// measureQueues does the same for each queue.
func (w *world) measureQueues(r *Result) {
	waits := make([][]float64, len(w.queues))
	r.Queues = make([]QueueResult, len(w.queues))
	for i := range w.jobs {
		if !w.counts(i) {
			continue
		}
		q := w.jobs[i].group.queue.index
		waits[q] = append(waits[q], w.waitOf(i).Minutes())
		if !w.jobs[i].done {
			r.Queues[q].Unserved++
		}
	}
	for i, q := range w.queues {
		out := &r.Queues[i]
		out.Name, out.Weight, out.Jobs = q.name, q.weight, len(waits[i])
		out.MeanWait, _, out.P95Wait, _ = summary(waits[i])
		out.VMHours = tidy(float64(w.meter.queueTime[i]) / 1000 / float64(hour.Milliseconds()))
		out.Share = tidy(w.meter.share[i] / float64(max(1, w.now.Milliseconds())))
	}
}

// summary returns the mean, the median, the 95th percentile (nearest rank) and the largest of values; zeros for none.
func summary(values []float64) (mean, median, p95, largest float64) {
	if len(values) == 0 {
		return 0, 0, 0, 0
	}
	slices.Sort(values)
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	rank := func(p float64) float64 {
		return tidy(values[max(0, int(math.Ceil(p*float64(len(values))))-1)])
	}
	return tidy(sum / float64(len(values))), rank(0.5), rank(0.95), rank(1)
}

// tidy rounds to a millionth: what is beyond is noise of floating point.
func tidy(x float64) float64 { return math.Round(x*million) / million }
