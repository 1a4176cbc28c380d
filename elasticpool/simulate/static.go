package simulate

import (
	"math"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// static gives each queue its weighted part of the pool for ever.
type static struct{ crew }

func newStatic(facts Facts) *static { return &static{newCrew(Static, facts)} }

// patience is how long baselines wait for a VM to serve.
const patience = 20 * time.Minute

// Decide makes the VMs that are missing.
func (p *static) Decide(in elasticpool.Input) elasticpool.Decision {
	s := p.look(in)
	target := p.targets()
	d := p.decision(s, target)
	reap(&d, s, patience)
	for _, q := range p.queues {
		l := s.queues[q.Name]
		p.create(&d, q.Name, target[q.Name]-len(l.units)-l.asked, "its part of the pool")
	}
	return d
}

// targets are the queues' parts in whole VMs; what rounding leaves over goes to those that lost most by it.
func (p *static) targets() map[string]int {
	target, left := map[string]int{}, p.most
	for _, q := range p.queues {
		target[q.Name] = int(p.part(q))
		left -= target[q.Name]
	}
	for ; left > 0; left-- {
		best, most := "", -math.MaxFloat64
		for _, q := range p.queues {
			if lost := p.part(q) - float64(target[q.Name]); lost > most {
				best, most = q.Name, lost
			}
		}
		target[best]++
	}
	return target
}
