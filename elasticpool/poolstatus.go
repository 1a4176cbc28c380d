package elasticpool

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// Status is what a pool is like at one time.
type Status struct {
	Now        time.Time       `json:"now"`
	Pool       string          `json:"pool"`
	Generation int64           `json:"generation"` // of this controller
	Started    time.Time       `json:"started"`
	DryRun     bool            `json:"dry_run,omitempty"`
	Cycles     int64           `json:"cycles"`
	CycleTime  float64         `json:"cycle_time_s"`    // of the last cycle, with waiting for sensors
	Error      string          `json:"error,omitempty"` // of the last cycle as a whole, or why the pool does nothing any more
	Decision   Decision        `json:"decision"`        // the last
	VMs        []VM            `json:"vms"`             // after it, by id
	Orders     []Command       `json:"orders,omitempty"`
	Pointless  []string        `json:"pointless,omitempty"` // orders for what is no more, and how they are taken back
	Sensors    []SensorStatus  `json:"sensors"`
	Breakers   []BreakerStatus `json:"breakers"` // of the clouds
	Running    []RunningAction `json:"running,omitempty"`
	Leases     []quota.Lease   `json:"leases,omitempty"`
}

// SensorStatus is how it is with one sensor.
type SensorStatus struct {
	Name    string    `json:"name"`            // jobs/SOURCE, workers, or cloud/CLOUD
	At      time.Time `json:"at,omitzero"`     // of the value that is decided on
	Age     float64   `json:"age_s"`           // of that value; -1: there has never been one
	Err     string    `json:"error,omitempty"` // of the last look
	Looking float64   `json:"looking_s"`       // for how long the look that is under way has lasted
}

// BreakerStatus is how it is with the circuit breaker of one cloud.
type BreakerStatus struct {
	Cloud    string    `json:"cloud"`
	State    string    `json:"state"`
	Failures int       `json:"failures,omitempty"` // in a row
	Until    time.Time `json:"until,omitzero"`     // nothing is asked before
	Reason   string    `json:"reason,omitempty"`   // the last failure
}

// RunningAction is an action that is under way.
type RunningAction struct {
	Action Action    `json:"action"`
	Since  time.Time `json:"since"`
}

// publish keeps what is told of the cycle that ends.
func (p *Pool) publish(decision Decision, took time.Duration, err error) {
	state := p.decider.State()
	vms := make([]VM, len(state.VMs))
	for i, vm := range state.VMs {
		vms[i] = *vm
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = poolCycle{
		count: p.last.count + 1, took: took, err: err, decision: decision, vms: vms, orders: slices.Clone(state.Orders),
	}
}

// Status returns what the pool is like now. Its slices are shared: they must not be changed.
func (p *Pool) Status() Status {
	now := p.clock.now()
	p.mu.Lock()
	s := Status{
		Now: now, Pool: p.config.Policy.Pool, Started: p.started, DryRun: p.options.dryRun,
		Cycles: p.last.count, CycleTime: p.last.took.Seconds(), Decision: p.last.decision, VMs: p.last.vms, Orders: p.last.orders,
	}
	if err := cmp.Or(p.lost, p.last.err); err != nil {
		s.Error = err.Error()
	}
	for _, action := range p.running {
		s.Running = append(s.Running, action)
	}
	p.mu.Unlock()
	slices.SortFunc(s.Running, func(a, b RunningAction) int { return cmp.Compare(a.Action.VM, b.Action.VM) })
	if p.leader != nil {
		s.Generation = p.leader.Generation()
	}
	for _, sensor := range p.sensors.all() {
		s.Sensors = append(s.Sensors, sensor.status(now))
	}
	for _, cloud := range p.config.Policy.Clouds {
		s.Breakers = append(s.Breakers, p.clouds[cloud.Name].status())
	}
	s.Leases = p.ledger.Leases()
	if s.Cycles > 0 { // else there are no VMs yet
		s.Pointless = p.pointless(s)
	}
	return s
}

// pointless tells the orders that name something that there is not.
func (p *Pool) pointless(s Status) []string {
	var lines []string
	tell := func(order Command, kind, name string, there bool) {
		if name == "" || there {
			return
		}
		back := fmt.Sprintf("elasticpool undrain %s %s", kind, name)
		if order.Kind == CmdSetQuota {
			back = fmt.Sprintf("elasticpool quota %s -reset", name)
		}
		lines = append(lines, fmt.Sprintf("%s: there is no %s %s any more; %s takes it back", order, kind, name, back))
	}
	policy := p.config.Policy
	for _, order := range s.Orders {
		tell(order, "vm", order.VM, slices.ContainsFunc(s.VMs, func(vm VM) bool { return vm.ID == order.VM }))
		tell(order, "class", order.Class, slices.ContainsFunc(policy.Classes, func(c Class) bool { return c.Name == order.Class }))
		tell(order, "queue", order.Queue, slices.ContainsFunc(policy.Queues, func(q Queue) bool { return q.Name == order.Queue }))
		tell(order, "cloud", order.Cloud, p.clouds[order.Cloud] != nil)
	}
	return lines
}
