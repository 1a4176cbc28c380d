package elasticpool

import (
	"fmt"
	"math"
	"time"
)

// urgency is how a queue's share departs from its weight because of how long its jobs have waited.
type urgency struct {
	keep  float64 // dominant share that it fills by its weight alone
	boost float64 // of its weight beyond that
}

const (
	alike      = 10 * time.Minute // waits that differ by less are hardly told apart
	usual      = time.Hour        // that jobs of which nothing is known are taken to run
	mostLent   = 1000.0           // how many times its weight the most urgent queue counts in what others leave
	sharpOwn   = 8                // how fast the boost falls with the age while all queues lack
	sharpLent  = 2                // and with the urgency while some do not
	ageByUsual = 4                // a wait counts by this power against the time that jobs run
)

// urgencies returns how each queue's share departs from its weight.
//
// While jobs wait in every queue though all its jobs would fill its whole part, a queue counts up to Control.AgeBound times
// its weight, the more the longer its jobs have waited. While some queue leaves some of its part, each queue whose jobs
// wait keeps Control.KeepPart of its own, and the rest goes first to the queues whose jobs have waited for longest, those with
// short jobs before those with long ones: it is the generalised c-mu rule for costs that grow steeply with the wait.
// Queues in which no job waits keep what they have by their weights.
func (d *deciding) urgencies() map[*queueNow]urgency {
	all := make(map[*queueNow]urgency, len(d.queues))
	for _, q := range d.queues {
		all[q] = urgency{boost: 1}
	}
	bound := d.policy.Control.AgeBound
	if bound <= 1 {
		return all
	}
	if d.allBacklogged() {
		d.byAge(all, bound)
		return all
	}
	d.byNeed(all)
	return all
}

// waits says whether jobs of a queue wait that can be served, be it on VMs that it has already: what is urgent must not hang
// on who has them, or they would change hands again and again.
func (q *queueNow) waits() bool { return q.jobs > 0 }

// allBacklogged says whether jobs wait in every queue and it wants at least the part of all that its weight gives it.
func (d *deciding) allBacklogged() bool {
	total, weights, fills := d.total(), d.weights(), d.fills()
	for _, q := range d.queues {
		if !q.waits() || part(fills[q.Name], total) < q.Weight/weights {
			return false
		}
	}
	return true
}

// weights returns the sum of the weights of all queues.
func (d *deciding) weights() float64 {
	sum := 0.0
	for _, q := range d.queues {
		sum += q.Weight
	}
	return sum
}

// fills returns what the VMs take that all jobs of each queue fill: those that they run on, whatever queue these are bound to by
// now, those that they will run on, and those that are lacking.
func (d *deciding) fills() map[string]Resources {
	fills := map[string]Resources{}
	for _, q := range d.queues {
		n := map[string]map[string]int{}
		for _, vm := range q.vms {
			if name := d.runsFor(vm); q.needed[vm.ID] {
				if n[name] == nil {
					n[name] = map[string]int{}
				}
				n[name][vm.Class]++
			}
		}
		for name, ofClass := range n {
			fills[name] = fills[name].Plus(take(d.ofClasses(ofClass)))
		}
		for _, l := range q.lacks {
			fills[q.Name] = fills[q.Name].Plus(l.options[0].Takes.Times(int64(d.useful(l))))
		}
	}
	return fills
}

// byAge lets queues count more than their weights, the longer their jobs have waited.
func (d *deciding) byAge(all map[*queueNow]urgency, bound float64) {
	most := 0.0
	for _, q := range d.queues {
		most = max(most, q.age())
	}
	for _, q := range d.queues {
		boost := 1 + (bound-1)*math.Pow(q.age()/most, sharpOwn)
		all[q] = urgency{boost: boost}
		q.view.Urgency = fmt.Sprintf("all queues lack VMs: by the age of its jobs it counts %.2f times its weight, at most %g times", boost, bound)
	}
}

// byNeed gives what others leave of the pool to the most urgent queues.
func (d *deciding) byNeed(all map[*queueNow]urgency) {
	keep := d.policy.Control.KeepPart
	weights, most := d.weights(), 0.0
	for _, q := range d.queues {
		if q.waits() {
			most = max(most, d.urgent(q))
		}
	}
	for _, q := range d.queues {
		boost := mostLent
		if q.waits() {
			boost = 1 + (mostLent-1)*math.Pow(d.urgent(q)/most, sharpLent)
			q.view.Urgency = fmt.Sprintf("it keeps %g of its part of the pool; of what is beyond the kept parts it counts %.3g times its weight, by how long its jobs have waited and run (at most %g times)",
				keep, boost, mostLent)
		}
		all[q] = urgency{keep: keep * q.Weight / weights, boost: boost}
	}
}

// age returns how many hours the jobs of a queue have waited.
func (q *queueNow) age() float64 { return alike.Hours() + q.waited/float64(max(q.jobs, 1)) }

// urgent returns how urgent the jobs of a queue are: the wait, by its power, against the time that they run.
func (d *deciding) urgent(q *queueNow) float64 {
	runs, known := typical(d.state.Queues[q.Name].Ran)
	if !known {
		runs = usual
	}
	return math.Pow(q.age(), ageByUsual) / max(runs, alike).Hours()
}
