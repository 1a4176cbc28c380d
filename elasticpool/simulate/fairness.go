package simulate

import "time"

// fairness compares what the queues have, while all of them are backlogged, with what they are due.
//
// A queue is due its part by weight of all that is in use. But jobs that ran already when the backlog began may end:
// where they hold more than their queue's part, the others are due less, in proportion to their weights.
type fairness struct {
	since   time.Duration // when the backlog began
	on      bool
	weights []float64 // of the queues, in parts of all
	before  []vector  // use of each queue by jobs that ran when the backlog began

	had, due []float64 // by queue: dominant shares times milliseconds
	all      float64   // of both

	nowHad, nowBefore, nowDue []float64
}

func (f *fairness) prepare(w *world) {
	n, sum := len(w.queues), 0.0
	for _, q := range w.queues {
		sum += q.weight
	}
	for _, q := range w.queues {
		f.weights = append(f.weights, q.weight/sum)
		f.before = append(f.before, make(vector, len(w.space)))
	}
	f.had, f.due = make([]float64, n), make([]float64, n)
	f.nowHad, f.nowBefore, f.nowDue = make([]float64, n), make([]float64, n), make([]float64, n)
}

// backlogged tells whether all queues are, and notes what runs when that begins. A queue is backlogged while jobs of it
// wait though all its jobs would fill its part of the pool.
func (f *fairness) backlogged(w *world) bool {
	all := len(w.queues) > 0
	for i, q := range w.queues {
		part := f.weights[i] * float64(w.meter.capacity) * million
		all = all && q.waiting > 0 && float64(q.waiting+q.running) >= part
	}
	if all && !f.on {
		f.since = w.now
		for i, q := range w.queues {
			copy(f.before[i], q.used)
		}
	}
	f.on = all
	return all
}

// ended is told of each job that is no more on a worker.
func (f *fairness) ended(j *job) {
	if f.on && j.started <= f.since {
		f.before[j.group.queue.index].add(j.group.vector, -1)
	}
}

// pass counts a time in which all queues are backlogged.
func (f *fairness) pass(w *world, ms int64) {
	used := 0.0
	for i, q := range w.queues {
		f.nowHad[i] = w.meter.part(q.used)
		f.nowBefore[i] = w.meter.part(f.before[i])
		used += f.nowHad[i]
	}
	share(f.nowDue, used, f.weights, f.nowBefore)
	for i := range f.had {
		f.had[i] += f.nowHad[i] * float64(ms)
		f.due[i] += f.nowDue[i] * float64(ms)
	}
	f.all += used * float64(ms)
}

// share divides an amount by weights, so that nobody gets less than what he holds already; all hold no more than the
// amount.
func share(due []float64, amount float64, weights, holds []float64) {
	settled := make([]bool, len(due))
	for again := true; again; {
		left, weight := amount, 0.0
		for i := range due {
			if settled[i] {
				left -= holds[i]
			} else {
				weight += weights[i]
			}
		}
		again = false
		for i := range due {
			if settled[i] {
				due[i] = holds[i]
				continue
			}
			due[i] = max(0, left) * weights[i] / weight
			if due[i] < holds[i] {
				settled[i], again = true, true
			}
		}
	}
}

// index returns Jain's index of the queues' shares by weight, of which what they had beyond or below their due counts.
// Without jobs that ran before it is just that of their shares by weight.
func (f *fairness) index() float64 {
	x := make([]float64, len(f.had))
	for i := range x {
		part := f.weights[i] * f.all
		x[i] = 1
		if part > 0 {
			x[i] = max(0, (part+f.had[i]-f.due[i])/part)
		}
	}
	return jain(x)
}

// plain returns Jain's index of the queues' shares by weight, whatever ran before.
func (f *fairness) plain() float64 {
	x := make([]float64, len(f.had))
	for i := range x {
		x[i] = f.had[i] / f.weights[i]
	}
	return jain(x)
}

// jain returns Jain's index of fairness: (Σx)² / (n·Σx²); when nobody has anything it is 1.
func jain(x []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 1
	}
	return sum * sum / (float64(len(x)) * squares)
}
