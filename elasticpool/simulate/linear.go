package simulate

import (
	"github.com/novacyborg/novacyborg/elasticpool"
)

// linear is COBalD's linear controller with one pool for each queue. It never looks at the queue: demand for VMs rises
// at a fixed rate while those that serve are allocated, and falls while they are not used. It needs at least one VM to
// learn that anything is wanted, and demand runs ahead of supply by no more than a tenth of the pool.
type linear struct {
	crew
	demand map[string]float64
	last   elasticpool.Input
}

const (
	linearLow     = 0.5      // utilisation below which demand falls
	linearHigh    = 0.9      // allocation above which it rises
	linearRate    = 1.0 / 30 // VMs a second, for a pool of 200
	linearPool    = 200.0
	linearBacklog = 0.1 // of the pool
)

func newLinear(facts Facts) *linear {
	p := &linear{crew: newCrew(Linear, facts), demand: map[string]float64{}}
	for _, q := range p.queues {
		p.demand[q.Name] = 1
	}
	return p
}

// Decide moves demand, and supply after it.
func (p *linear) Decide(in elasticpool.Input) elasticpool.Decision {
	s := p.look(in)
	interval := 0.0
	if !p.last.Now.IsZero() {
		interval = in.Now.Sub(p.last.Now).Seconds()
	}
	p.last.Now = in.Now
	step := linearRate * float64(p.most) / linearPool * interval
	target := map[string]int{}
	var d elasticpool.Decision
	reap(&d, s, patience)
	for _, q := range p.queues {
		l := s.queues[q.Name]
		p.move(q.Name, l.units, step)
		target[q.Name] = int(p.demand[q.Name])
		surplus := len(l.units) + l.asked - target[q.Name]
		p.create(&d, q.Name, -surplus, "demand is above supply")
		p.shrink(&d, l.units, surplus)
	}
	whole := p.decision(s, target)
	whole.Actions = d.Actions
	return whole
}

// move changes the demand of a queue by the state of its VMs.
func (p *linear) move(queue string, units []*unit, step float64) {
	serving, busy := 0, 0
	for _, u := range units {
		if u.joined {
			serving++
		}
		if len(u.jobs) > 0 {
			busy++
		}
	}
	used := float64(busy) / float64(max(1, serving))
	switch {
	case serving == 0:
	case used < linearLow:
		p.demand[queue] -= step
	case used > linearHigh:
		p.demand[queue] += step
	}
	ahead := float64(len(units)) + linearBacklog*float64(p.most)
	p.demand[queue] = max(1, min(p.demand[queue], ahead, float64(p.most)))
}

// shrink drains idle VMs first, as COBalD's drones with the least use are.
func (*linear) shrink(d *elasticpool.Decision, units []*unit, surplus int) {
	for _, u := range units {
		if surplus <= 0 {
			return
		}
		if u.idle() {
			act(d, elasticpool.ActDrain, u, "supply is above demand")
			surplus--
		}
	}
}
