package elasticpool_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// bigPool is a pool of 10,000 VMs in 3 clouds and 50 queues, with a million jobs in 2,000 groups; half of the VMs work.
func bigPool(tb testing.TB) (*elasticpool.Controller, elasticpool.Input) {
	tb.Helper()
	const queues, vms, groups, jobs = 50, 10_000, 2_000, 1_000_000
	p := elasticpool.Policy{Pool: "big", Control: elasticpool.Control{MaxCreates: 1000, MaxInFlight: 1000}}
	for i := range queues {
		p.Queues = append(p.Queues, elasticpool.Queue{Name: fmt.Sprintf("q%02d", i), Weight: float64(1 + i%4), Upper: 1000})
	}
	in := elasticpool.Input{Now: dawn, Jobs: map[string]elasticpool.Seen[[]elasticpool.JobGroup]{}, Clouds: map[string]elasticpool.Seen[elasticpool.CloudView]{}}
	for i := range 3 {
		cloud := fmt.Sprintf("cloud%d", i)
		p.Clouds = append(p.Clouds, elasticpool.Cloud{Name: cloud, Priority: i})
		for _, cpus := range []int64{1, 4, 8} {
			p.Classes = append(p.Classes, elasticpool.Class{
				Name: fmt.Sprintf("%s-cpu%d", cloud, cpus), Cloud: cloud,
				Takes: elasticpool.Resources{"cpus": cpus, "memory_mb": 2048 * cpus}, Slot: elasticpool.Resources{"cpus": cpus, "memory_mb": 2000 * cpus},
			})
		}
		total := elasticpool.Resources{"vms": 5000, "cpus": 20_000, "memory_mb": 40_000_000}
		in.Clouds[cloud] = elasticpool.Seen[elasticpool.CloudView]{At: dawn, Value: elasticpool.CloudView{Complete: true, Limits: elasticpool.Limits{Total: total, Free: total}}}
	}
	var state elasticpool.State
	var workers elasticpool.Workers
	for i := range vms {
		class := p.Classes[i%len(p.Classes)]
		vm := &elasticpool.VM{ID: fmt.Sprintf("VM%06d", i), Class: class.Name, Cloud: class.Cloud, Queue: p.Queues[i%queues].Name, Server: strconv.Itoa(i), State: elasticpool.Joined, Since: dawn.Add(-time.Hour), Created: dawn.Add(-time.Hour), IdleSince: dawn.Add(-time.Hour)}
		state.VMs = append(state.VMs, vm)
		worker := elasticpool.Worker{VM: vm.ID, Name: vm.ID, Queue: vm.Queue, Joined: true, Total: class.Slot, Free: class.Slot.Clone(), Heard: dawn}
		if i%2 == 0 {
			worker.Jobs, worker.Free = []elasticpool.Job{{ID: strconv.Itoa(i), Since: dawn}}, worker.Free.Minus(elasticpool.Resources{"cpus": 1})
		}
		workers.List = append(workers.List, worker)
		seen := in.Clouds[class.Cloud]
		seen.Value.Servers = append(seen.Value.Servers, elasticpool.Server{ID: vm.Server, VM: vm.ID, Pool: "big", Class: class.Name, Status: elasticpool.ServerActive})
		in.Clouds[class.Cloud] = seen
	}
	var all []elasticpool.JobGroup
	for i := range groups {
		all = append(all, elasticpool.JobGroup{
			Queue: p.Queues[i%queues].Name, Idle: jobs / groups, Oldest: dawn.Add(-time.Hour),
			Request: elasticpool.Resources{"cpus": int64(1 + i%8), "memory_mb": int64(500 + i)},
		})
	}
	in.Jobs["schedd"] = elasticpool.Seen[[]elasticpool.JobGroup]{Value: all, At: dawn}
	in.Workers = elasticpool.Seen[elasticpool.Workers]{Value: workers, At: dawn}
	c, err := elasticpool.NewController(p, state)
	require.NoError(tb, err)
	return c, in
}

func BenchmarkDecideBig(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		c, in := bigPool(b)
		b.StartTimer()
		if d := c.Decide(in); len(d.Frozen) > 0 {
			b.Fatal(d.Frozen)
		}
	}
}
