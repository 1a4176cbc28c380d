package simulate

import (
	"math/rand/v2"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// vcondor is VCondor as it was meant: its growth and shrinking rules and its quota service's reservations, without the
// faults that kept its published code from running.
//
// The threads of its queues wake up in no order, so each round takes the queues in random order. Its round waits until
// all VMs that it asked for have joined or ten minutes have passed; here it just takes no time.
type vcondor struct {
	crew
	rng   *rand.Rand
	next  time.Time
	quota vmquota
	wants map[string]int
}

const (
	vcondorRound   = 10 * time.Minute
	vcondorTimeout = 10 * time.Minute // for a VM to appear in the pool
)

func newVCondor(facts Facts) *vcondor {
	p := &vcondor{crew: newCrew(VCondor, facts), rng: random(facts.Seed, streamPolicy), wants: map[string]int{}}
	p.quota = vmquota{total: p.most, limit: vcondorRound, limits: map[string]threshold{}, state: map[string]*account{}}
	for _, q := range p.queues {
		p.quota.limits[q.Name] = threshold{
			least: int(vcondorFloor * float64(p.most)), most: int(vcondorTop * float64(p.most)),
		}
		p.quota.state[q.Name] = &account{}
	}
	return p
}

// Decide does a round when one is due.
func (p *vcondor) Decide(in elasticpool.Input) elasticpool.Decision {
	s := p.look(in)
	if in.Now.Before(p.next) {
		return p.decision(s, p.wants)
	}
	p.next = in.Now.Add(vcondorRound)
	var d elasticpool.Decision
	counts := map[string]int{}
	for i := range s.units {
		counts[s.units[i].queue]++
	}
	for _, i := range p.rng.Perm(len(p.queues)) {
		p.round(&d, s, p.queues[i].Name, counts)
	}
	reap(&d, s, vcondorTimeout)
	whole := p.decision(s, p.wants)
	whole.Actions = d.Actions
	return whole
}

// round is one queue's turn: it asks the quota service, and grows or shrinks by its rules.
func (p *vcondor) round(d *elasticpool.Decision, s *survey, queue string, counts map[string]int) {
	var idle []*unit
	busy := 0
	for _, u := range s.queues[queue].units {
		switch {
		case u.joined && len(u.jobs) == 0:
			idle = append(idle, u)
		case u.joined:
			busy++
		}
	}
	available := p.quota.ask(queue, counts, s.now)
	launch, destroy := vcondorRules(s.queues[queue].waiting, busy, len(idle), p.quota.limits[queue], available)
	counts[queue] += launch - destroy
	p.wants[queue] = busy + len(idle) + launch - destroy
	p.create(d, queue, launch, "jobs wait, or the lower threshold is not reached")
	p.rng.Shuffle(len(idle), func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
	for _, u := range idle[:destroy] {
		act(d, elasticpool.ActDelete, u, "idle above the lower threshold")
	}
}

// vcondorRules returns how many VMs are launched and destroyed for a queue with so many waiting jobs, busy and idle VMs.
func vcondorRules(waiting, busy, idle int, limits threshold, available int) (launch, destroy int) {
	absorbed := min(waiting, idle)
	jobs, free, working := waiting-absorbed, idle-absorbed, busy+absorbed
	have := working + free
	most := available + have
	switch {
	case have < limits.least && have+jobs >= most:
		launch = most - have
	case have < limits.least && have+jobs >= limits.least:
		launch = jobs
	case have < limits.least:
		launch = limits.least - have
	case have > limits.most:
		destroy = min(free, have-limits.most)
	default:
		launch = min(jobs, most-have)
		destroy = free
		if working < limits.least {
			destroy = have - limits.least
		}
	}
	launch = min(launch, available)
	both := min(launch, destroy)
	return launch - both, destroy - both
}

// vmquota is VCondor's quota service. A question reserves all that the queue could ever take, whatever it needs, for
// the time of a reservation; and what has been started out of a reservation counts twice until that has lapsed.
type vmquota struct {
	total  int
	limit  time.Duration
	limits map[string]threshold
	state  map[string]*account
}

// threshold is the lower and the upper threshold of a queue, in VMs.
type threshold struct{ least, most int }

// account is what a queue has reserved.
type account struct {
	available int
	at        time.Time
}

// ask returns how many VMs the queue may launch.
func (v *vmquota) ask(queue string, running map[string]int, now time.Time) int {
	occupied := 0
	for name, a := range v.state {
		occupied += running[name]
		if name != queue && now.Sub(a.at) < v.limit {
			occupied += a.available
		}
	}
	mine := v.state[queue]
	mine.available = max(0, min(v.limits[queue].most-running[queue], v.total-occupied))
	mine.at = now
	return mine.available
}
