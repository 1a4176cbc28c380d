package simulate

import (
	"fmt"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// survey is what a baseline makes of an input: its VMs, and the jobs of each queue. It holds until the next one.
type survey struct {
	now    time.Time
	units  []unit // in the order of the clouds' lists
	queues map[string]*load
}

// load is the jobs and VMs of a queue.
type load struct {
	waiting, running int
	units            []*unit // that do not drain
	asked            int     // VMs whose creation has not ended
}

// unit is a VM.
type unit struct {
	server *elasticpool.Server
	queue  string // it serves, or was made for
	joined bool   // serves or drains
	left   bool   // has drained: its worker reports and serves no more
	drains bool
	jobs   []elasticpool.Job
	busy   bool // an action on it is under way
}

// idle tells whether the VM serves and has nothing to do.
func (u *unit) idle() bool { return u.joined && !u.drains && len(u.jobs) == 0 && !u.busy }

// crew is what baselines have in common: one class of VMs for each queue, which join by themselves.
type crew struct {
	name   string
	facts  Facts
	queues []elasticpool.Queue
	class  map[string]elasticpool.Class // by queue
	most   int                          // VMs that there is room for
	weight float64                      // of all queues
	made   int
	asked  map[string]string // VMs whose creation has not ended, with their queue

	survey  survey
	workers map[string]*elasticpool.Worker
}

func newCrew(name string, facts Facts) crew {
	c := crew{
		name: name, facts: facts, queues: facts.Pool.Queues,
		class: map[string]elasticpool.Class{}, asked: map[string]string{},
		workers: map[string]*elasticpool.Worker{},
		survey:  survey{queues: map[string]*load{}},
	}
	for _, n := range room(facts.Pool, facts.Capacity) {
		c.most += n
	}
	for _, q := range c.queues {
		c.survey.queues[q.Name] = &load{}
		c.weight += orDefault(q.Weight, 1)
		first := slices.IndexFunc(facts.Pool.Classes, func(class elasticpool.Class) bool { return allows(q, class.Name) })
		if first >= 0 {
			c.class[q.Name] = facts.Pool.Classes[first]
		}
	}
	return c
}

func (*crew) joinsItself() bool { return true }

// part returns a queue's weighted part of all VMs.
func (c *crew) part(q elasticpool.Queue) float64 {
	return float64(c.most) * orDefault(q.Weight, 1) / c.weight
}

// look makes a survey, and notes how creations have ended.
func (c *crew) look(in elasticpool.Input) *survey {
	for _, outcome := range in.Outcomes {
		delete(c.asked, outcome.Action.VM)
	}
	s := &c.survey
	s.now, s.units = in.Now, s.units[:0]
	for _, l := range s.queues {
		l.waiting, l.running, l.units, l.asked = 0, 0, l.units[:0], 0
	}
	for _, jobs := range in.Jobs {
		for _, g := range jobs.Value {
			if q := s.queues[g.Queue]; q != nil {
				q.waiting += g.Waiting()
				q.running += g.Running
			}
		}
	}
	c.addUnits(in)
	for i := range s.units {
		u := &s.units[i]
		delete(c.asked, u.server.VM) // the cloud shows it already
		if l := s.queues[u.queue]; l != nil && !u.drains {
			l.units = append(l.units, u)
		}
	}
	for _, queue := range c.asked {
		s.queues[queue].asked++
	}
	return s
}

// addUnits brings servers and workers together.
func (c *crew) addUnits(in elasticpool.Input) {
	clear(c.workers)
	for i := range in.Workers.Value.List {
		c.workers[in.Workers.Value.List[i].VM] = &in.Workers.Value.List[i]
	}
	for _, cloud := range c.facts.Pool.Clouds {
		servers := in.Clouds[cloud.Name].Value.Servers
		for i := range servers {
			if servers[i].Status == elasticpool.ServerDeleting {
				continue
			}
			u := unit{server: &servers[i], queue: servers[i].Queue, busy: slices.Contains(in.Running, servers[i].VM)}
			if w := c.workers[servers[i].VM]; w != nil {
				u.joined, u.left, u.drains, u.jobs = w.Joined, !w.Joined, w.Draining, w.Jobs
				u.queue = orDefault(w.Queue, u.queue)
			}
			c.survey.units = append(c.survey.units, u)
		}
	}
}

// create asks for n VMs for a queue.
func (c *crew) create(d *elasticpool.Decision, queue string, n int, why string) {
	class, ok := c.class[queue]
	for i := 0; ok && i < n; i++ {
		c.made++
		vm := fmt.Sprintf("%s-%06d", c.name, c.made)
		c.asked[vm] = queue
		d.Actions = append(d.Actions, elasticpool.Action{
			Kind: elasticpool.ActCreate, VM: vm, Cloud: class.Cloud, Class: class.Name, Queue: queue, Reason: why,
		})
	}
}

// act appends an action on a VM that exists.
func act(d *elasticpool.Decision, kind elasticpool.ActionKind, u *unit, why string) {
	d.Actions = append(d.Actions, elasticpool.Action{
		Kind: kind, VM: u.server.VM, Class: u.server.Class, Queue: u.queue, Server: u.server.ID,
		OnlyIdle: kind == elasticpool.ActDrain, Reason: why,
	})
}

// reap deletes VMs that have failed, have left, or have not come up within a time.
func reap(d *elasticpool.Decision, s *survey, patience time.Duration) {
	for i := range s.units {
		u := &s.units[i]
		late := !u.joined && s.now.Sub(u.server.Created) > patience
		if !u.busy && (late || u.left || u.server.Status == elasticpool.ServerError) {
			act(d, elasticpool.ActDelete, u, "it serves no queue")
		}
	}
}

// decision begins a decision with what is known of the queues.
func (c *crew) decision(s *survey, target map[string]int) elasticpool.Decision {
	d := elasticpool.Decision{At: s.now}
	for _, q := range c.queues {
		l := s.queues[q.Name]
		d.Queues = append(d.Queues, elasticpool.QueueView{
			Name: q.Name, Waiting: l.waiting, Running: l.running, Target: target[q.Name], Weight: q.Weight,
		})
	}
	return d
}
