package simulate

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// world is a pool and all around it at one time.
type world struct {
	stage  *Stage
	timing Timing
	policy Policy
	joins  bool // VMs join by themselves

	now    time.Duration
	end    time.Duration // at the latest
	left   int           // jobs that could run and have not ended
	agenda agenda
	boots  *rand.Rand
	luck   *rand.Rand

	space    space
	queues   []*queue // in the order of the policy
	queueOf  map[string]*queue
	classes  map[string]*class
	clouds   []*cloud
	machines []*machine // in the order in which they were made
	byVM     map[string]*machine
	servers  int // made so far, for their ids
	jobs     []job
	nextJob  int // of jobs, that has not been submitted yet

	outcomes []elasticpool.Outcome
	underway []string // VMs with actions that have not ended
	seen     sensors
	meter    meter
	decision elasticpool.Decision // the last
	series   *Series
}

// class is a class of VMs with its vectors.
type class struct {
	elasticpool.Class
	cloud *cloud
	takes vector
	slot  vector
	alive int // servers
}

// cloud is a cloud with what is left of it.
type cloud struct {
	name     string
	capacity elasticpool.Resources
	limited  vector // 1 where capacity limits the resource
	free     vector
}

func newWorld(s *Stage, policy Policy) *world {
	w := &world{
		stage: s, timing: s.config.Timing, policy: policy, joins: joinsItself(policy),
		end:     s.config.Window() + s.config.Tail.D(),
		boots:   random(s.config.Seed, streamBoot),
		luck:    random(s.config.Seed, streamFaults),
		space:   spaceOf(s.pool, s.capacity, s.trace),
		queueOf: map[string]*queue{}, classes: map[string]*class{}, byVM: map[string]*machine{},
	}
	w.addClouds()
	w.addQueues()
	w.addJobs()
	w.meter.prepare(w)
	if s.config.Sample > 0 {
		w.series = w.newSeries()
	}
	return w
}

func (w *world) addClouds() {
	byName := map[string]*cloud{}
	for _, c := range w.stage.pool.Clouds {
		have := w.stage.capacity[c.Name]
		site := &cloud{name: c.Name, capacity: have, free: w.space.vector(have), limited: make(vector, len(w.space))}
		for i, name := range w.space {
			if _, ok := have[name]; ok {
				site.limited[i] = 1
			}
		}
		byName[c.Name] = site
		w.clouds = append(w.clouds, site)
	}
	for _, c := range w.stage.pool.Classes {
		if byName[c.Cloud] != nil {
			w.classes[c.Name] = &class{
				Class: c, cloud: byName[c.Cloud], takes: w.space.vector(takes(c)), slot: w.space.vector(c.Slot),
			}
		}
	}
}

// has tells whether the cloud has room for one more VM of the class.
func (c *cloud) has(class *class) bool {
	for i, n := range class.takes {
		if c.limited[i] == 1 && n > c.free[i] {
			return false
		}
	}
	return true
}

// run lets time pass up to the end of the window, and on until all jobs have ended.
func (w *world) run(ctx context.Context) error {
	w.schedule()
	for {
		e, ok := w.next()
		if !ok {
			w.pass(max(w.now, w.last()))
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pass(e.at)
		e.do()
	}
}

// next removes the next event that the run is still about.
func (w *world) next() (event, bool) { return w.agenda.next(w.last()) }

// last returns when the run ends at the latest, as far as it is known now.
func (w *world) last() time.Duration {
	if w.left == 0 {
		return max(w.now, w.stage.config.Window())
	}
	return w.end
}

// schedule notes all that happens by itself. The matchmaker works half a cycle after the controller: they know nothing
// of each other.
func (w *world) schedule() {
	w.submit()
	w.crashes()
	w.every(0, w.timing.Cycle.D(), w.cycle)
	w.every(w.timing.Cycle.D()/2, w.timing.Negotiation.D(), w.negotiate)
	if w.series != nil {
		w.every(w.timing.Cycle.D()/4, w.stage.config.Sample.D(), w.sample)
	}
}

// every does something at first and then again and again.
func (w *world) every(first, period time.Duration, do func()) {
	var again func()
	again = func() {
		do()
		w.agenda.note(w.now+period, again)
	}
	w.agenda.note(first, again)
}

// after does something after a while.
func (w *world) after(delay time.Duration, do func()) { w.agenda.note(w.now+delay, do) }

// pass moves the clock.
func (w *world) pass(to time.Duration) {
	if to > w.now {
		w.meter.pass(w, to-w.now)
		w.now = to
	}
}

// time returns the time of the clock.
func (w *world) time() time.Time { return epoch.Add(w.now) }

// cycle is one round of the controller.
func (w *world) cycle() {
	w.meter.adapt(w)
	w.decision = w.policy.Decide(w.input())
	for _, action := range w.decision.Actions {
		w.act(action)
	}
}
