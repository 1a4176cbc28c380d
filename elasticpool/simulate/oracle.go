package simulate

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// oracle knows all jobs and how long they run. It boots a VM for each job that will be there when the VM is, as far as
// there is room, gives idle VMs to whatever queue has work, and deletes the rest at once.
type oracle struct {
	crew
	ahead time.Duration
	trace []Job
}

func newOracle(facts Facts) *oracle {
	return &oracle{crew: newCrew(Oracle, facts), ahead: facts.Boot, trace: facts.Trace}
}

// Decide makes supply what demand will be.
func (p *oracle) Decide(in elasticpool.Input) elasticpool.Decision {
	s := p.look(in)
	need := p.need(s)
	d := p.decision(s, need)
	reap(&d, s, patience)
	total := 0
	spare := []*unit{}
	lack := map[string]int{}
	for _, q := range p.queues {
		l := s.queues[q.Name]
		total += len(l.units) + l.asked
		lack[q.Name] = need[q.Name] - len(l.units) - l.asked
		for _, u := range l.units {
			if lack[q.Name] < 0 && u.idle() {
				spare = append(spare, u)
				lack[q.Name]++
			}
		}
	}
	for _, q := range p.queues {
		for ; lack[q.Name] > 0 && len(spare) > 0; lack[q.Name]-- {
			spare[0].queue = q.Name
			act(&d, elasticpool.ActBind, spare[0], "another queue needs it")
			spare = spare[1:]
		}
		n := min(lack[q.Name], p.most-total)
		p.create(&d, q.Name, n, "there will be a job for it")
		total += max(0, n)
	}
	for _, u := range spare {
		act(&d, elasticpool.ActDrain, u, "there will be no job for it")
	}
	return d
}

// need returns how many VMs each queue's jobs will fill when a VM that is asked for now serves: its running jobs that
// will not have ended, and those that wait or come by then. When there are more than the pool can take, queues with few
// jobs go first, which makes the mean wait short.
func (p *oracle) need(s *survey) map[string]int {
	need, left := map[string]int{}, p.most
	then := s.now.Add(p.ahead)
	for i := range s.units {
		for _, j := range s.units[i].jobs {
			if n, ok := jobIndex(j.ID); ok && j.Since.Add(p.trace[n].Runtime).After(then) {
				need[j.Queue]++
				left--
			}
		}
	}
	coming := p.coming(s.now, then)
	wanted := func(q elasticpool.Queue) int { return s.queues[q.Name].waiting + coming[q.Name] }
	turn := slices.Clone(p.queues)
	slices.SortStableFunc(turn, func(a, b elasticpool.Queue) int { return cmp.Compare(wanted(a), wanted(b)) })
	for _, q := range turn {
		n := min(max(0, left), wanted(q))
		need[q.Name] += n
		left -= n
	}
	return need
}

// coming counts jobs that will be submitted from now up to then.
func (p *oracle) coming(now, then time.Time) map[string]int {
	count := map[string]int{}
	from := sort.Search(len(p.trace), func(i int) bool { return p.facts.Start.Add(p.trace[i].Submit).After(now) })
	for _, j := range p.trace[from:] {
		if p.facts.Start.Add(j.Submit).After(then) {
			break
		}
		count[j.Queue]++
	}
	return count
}
