package elasticpool

import (
	"maps"
	"slices"
	"time"
)

// Controller decides. It is pure: what it returns hangs on its policy, its state and its inputs alone. It is not safe
// for use from several goroutines.
type Controller struct {
	policy  Policy
	classes map[string]*Class
	state   State

	versions   map[string]string // of classes, by name
	conditions map[string]string // by class, resource and condition: why it is not met
}

// State is what a controller remembers from one decision to the next. All of it can be lost: the clouds and the journal
// tell it anew, and what they cannot tell (since when a VM is idle) begins from now.
type State struct {
	Generation int64 `json:"generation"` // of the controller; servers of a higher one belong to a newer controller
	Sequence   int64 `json:"sequence"`   // of VM ids
	VMs        []*VM `json:"vms"`        // by id

	Classes map[string]*ClassState `json:"classes,omitempty"`
	Queues  map[string]*QueueState `json:"queues,omitempty"`
	Hosts   map[string]int         `json:"hosts,omitempty"` // failures in a row, by cloud/host
	Left    []Leave                `json:"left,omitempty"`  // VMs that left or were taken back lately
	Orders  []Command              `json:"orders,omitempty"`
	Trusted bool                   `json:"trusted,omitempty"` // an operator said thaw: doubt about what vanished is over
	Last    time.Time              `json:"last,omitzero"`     // decision
}

// ClassState is what is remembered of a class.
type ClassState struct {
	Ramp     int             `json:"ramp"` // VMs in flight that it may have
	Failures int             `json:"failures,omitempty"`
	Until    time.Time       `json:"until,omitzero"` // it rests
	Off      string          `json:"off,omitempty"`  // why it rests
	Invalid  bool            `json:"invalid,omitempty"`
	Grew     time.Time       `json:"grew,omitzero"`
	Boots    []time.Duration `json:"boots,omitempty"`  // from plan to warm or joined, the last few
	Growth   []Growth        `json:"growth,omitempty"` // of the last hour
	// Took is how long the last VMs were in a state on their way to serving, or were given before they were given up.
	Took map[VMState][]time.Duration `json:"took,omitempty"`
}

// Growth is how many VMs of a class were asked for at a time.
type Growth struct {
	At time.Time `json:"at"`
	N  int       `json:"n"`
}

// QueueState is what is remembered of a queue.
type QueueState struct {
	Use float64 `json:"use,omitempty"` // of dominant share, in hours, halved each Control.AccountAge
	// Ran is how long the last jobs of the queue ran, as far as it was seen.
	Ran  []time.Duration `json:"ran,omitempty"`
	Over int             `json:"over,omitempty"` // decisions in a row in which it had more than its share
}

// Leave is a VM that left the pool, or that was taken from a queue.
type Leave struct {
	At    time.Time `json:"at"`
	Queue string    `json:"queue,omitempty"` // it was taken from while busy; empty: it left the pool
}

// NewController returns a controller of the policy that goes on from state, or an error that names each thing that is
// wrong with the policy and where. It keeps state as its own.
func NewController(policy Policy, state State) (*Controller, error) {
	policy = policy.withDefaults()
	if err := policy.Validate(); err != nil {
		return nil, err
	}
	c := &Controller{policy: policy, classes: map[string]*Class{}, state: state, versions: map[string]string{}, conditions: map[string]string{}}
	for i := range policy.Classes {
		c.classes[policy.Classes[i].Name] = &policy.Classes[i]
		c.versions[policy.Classes[i].Name] = policy.Classes[i].Version()
	}
	slices.SortFunc(c.state.VMs, func(a, b *VM) int { return compareID(a.ID, b.ID) })
	if c.state.Classes == nil {
		c.state.Classes = map[string]*ClassState{}
	}
	if c.state.Queues == nil {
		c.state.Queues = map[string]*QueueState{}
	}
	if c.state.Hosts == nil {
		c.state.Hosts = map[string]int{}
	}
	maps.DeleteFunc(c.state.Classes, func(name string, _ *ClassState) bool { return c.classes[name] == nil })
	for name := range c.classes {
		if c.state.Classes[name] == nil {
			c.state.Classes[name] = &ClassState{Ramp: policy.Control.Ramp}
		}
		c.state.Classes[name].Invalid = false // a new controller may have a new policy: it is tried again
	}
	for _, q := range policy.Queues {
		if c.state.Queues[q.Name] == nil {
			c.state.Queues[q.Name] = &QueueState{}
		}
	}
	return c, nil
}

// State returns what the controller remembers. It changes with the next decision.
func (c *Controller) State() State { return c.state }

// Policy returns the policy with its defaults filled in, without the orders of operators.
func (c *Controller) Policy() Policy { return c.policy }

// Decide returns what is to be done now, and remembers it.
func (c *Controller) Decide(in Input) Decision {
	d := newDeciding(c, in)
	d.obey()    // commands of operators
	d.settle()  // outcomes of actions
	d.doubt()   // may the sensors be believed?
	d.observe() // states of VMs follow clouds and workers
	d.need()    // what the jobs need beyond what is there
	d.share()   // what of it each queue may have
	if d.halted == "" {
		d.replenish() // cheapest first: undrain, bind, join, start, create
		d.reclaim()   // what is over its share goes to who lacks
		d.shrink()    // what nobody needs leaves
		d.clean()     // what is broken, lost or orphaned goes
	}
	return d.finish()
}
