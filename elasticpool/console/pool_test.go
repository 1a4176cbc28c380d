package console_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const vmID = "01JDAAAAAAAAAAAAAAAAAAAAAA"

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// pool is a pool that says what it is told and remembers what it is told to do.
type pool struct {
	mu       sync.Mutex
	status   elasticpool.Status
	commands []elasticpool.Command
	refuses  error
}

func (p *pool) Status() elasticpool.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

func (p *pool) Do(command elasticpool.Command) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuses != nil {
		return p.refuses
	}
	p.commands = append(p.commands, command)
	return nil
}

func (p *pool) done() []elasticpool.Command {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.commands)
}

func policy() elasticpool.Policy {
	return elasticpool.Policy{
		Pool: "physics", Queues: []elasticpool.Queue{{Name: "lhaaso"}, {Name: "juno"}},
		Classes: []elasticpool.Class{{Name: "small", Cloud: "main", Slot: elasticpool.Resources{"cpus": 1, "memory_mb": 2048}, Takes: elasticpool.Resources{"cpus": 1}}},
		Clouds:  []elasticpool.Cloud{{Name: "main"}},
	}
}

// input and decision are a cycle in which something of everything happens.
func input() elasticpool.Input {
	limits := elasticpool.Limits{Total: elasticpool.Resources{"vms": 10}, Free: elasticpool.Resources{"vms": 8}}
	return elasticpool.Input{
		Now: noon,
		Jobs: map[string]elasticpool.Seen[[]elasticpool.JobGroup]{"schedd": {At: noon, Value: []elasticpool.JobGroup{
			{Queue: "lhaaso", Request: elasticpool.Resources{"cpus": 1}, Idle: 3, Oldest: noon.Add(-time.Minute), Jobs: []string{"17.0"}},
		}}},
		Clouds: map[string]elasticpool.Seen[elasticpool.CloudView]{"main": {At: noon, Value: elasticpool.CloudView{Complete: true, Limits: limits}}},
		Outcomes: []elasticpool.Outcome{
			{Action: elasticpool.Action{Kind: elasticpool.ActCreate, Cloud: "main"}},
			{Action: elasticpool.Action{Kind: elasticpool.ActCreate, Cloud: "main"}, Error: "quota"},
		},
	}
}

func decision() elasticpool.Decision {
	return elasticpool.Decision{
		At: noon,
		Queues: []elasticpool.QueueView{
			{Name: "lhaaso", Waiting: 3, Running: 1, Held: 2, Oldest: 60, Serving: 1, Busy: 1, Coming: 1, Wanted: 4, Target: 2, Share: 0.75, Lower: 1, Upper: -1, Weight: 1, Why: "VMs are on their way"},
			{Name: "juno", Share: 0.25, Upper: 5, Weight: 1, Why: "it needs nothing"},
		},
		Classes: []elasticpool.ClassView{{Name: "small", Cloud: "main", States: map[elasticpool.VMState]int{elasticpool.Joined: 1, elasticpool.Building: 1}, InFlight: 1, Ramp: 8, Buffer: 2}},
		Unmet:   []elasticpool.Unmet{{Queue: "juno", Jobs: 7, Example: "18.0", Reason: "small offers 0 gpus, the job asks for 1"}},
		Actions: []elasticpool.Action{
			{Kind: elasticpool.ActCreate, VM: "01JDBB", Cloud: "main", Queue: "lhaaso", Reason: "its jobs need it"},
			{Kind: elasticpool.ActBind, VM: "01JDCC", Cloud: "main", Queue: "juno", Reclaims: "lhaaso", Reason: "lhaaso has more than its share"},
		},
		Events: []elasticpool.Event{
			{VM: vmID, Class: "small", From: elasticpool.Joining, To: elasticpool.Joined, After: 2},
			{VM: vmID, Class: "small", To: elasticpool.Requested, What: "adopted"},
		},
	}
}

func status() elasticpool.Status {
	return elasticpool.Status{
		Now: noon, Pool: "physics", Generation: 3, Cycles: 7, CycleTime: 0.25, Decision: decision(),
		VMs: []elasticpool.VM{{
			ID: vmID, Class: "small", Cloud: "main", Queue: "lhaaso", State: elasticpool.Joined, Since: noon.Add(-time.Hour), Host: "h-1",
			Jobs: []elasticpool.Job{{ID: "16.0", Queue: "lhaaso"}}, Why: "it serves",
		}},
		Orders:   []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "juno", By: "ann", Why: "a rush"}},
		Sensors:  []elasticpool.SensorStatus{{Name: "cloud/main", At: noon, Age: 1}, {Name: "jobs/schedd", At: noon, Age: 2, Err: "no answer"}, {Name: "workers", Age: -1}},
		Breakers: []elasticpool.BreakerStatus{{Cloud: "main", State: elasticpool.BreakerHalfOpen, Failures: 5, Reason: "502 Bad Gateway"}},
		Running:  []elasticpool.RunningAction{{Action: elasticpool.Action{Kind: elasticpool.ActCreate, VM: "01JDBB"}, Since: noon}},
		Leases:   []quota.Lease{{ID: "a", Queue: "juno", Units: 2}, {ID: "b", Queue: "juno", Units: 3}},
	}
}

// shown is a console that shows a pool after a cycle.
func shown(t *testing.T, opts ...console.Option) (*console.Console, *pool) {
	t.Helper()
	c, err := console.New(policy(), opts...)
	require.NoError(t, err)
	p := &pool{status: status()}
	c.Show(p)
	c.Observe(input(), decision())
	return c, p
}
