package elasticpool_test

import (
	"flag"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// rest is so many steps without an action that nothing can come any more by itself: longer than any idle time.
const rest = 4 * 40

// restless is a pool whose demand does not change.
type restless struct {
	policy elasticpool.Policy
	total  elasticpool.Resources
	jobs   []elasticpool.JobGroup
	runs   bool // jobs start
}

var settleSeeds = flag.Int("settles.seeds", 100, "how many pools TestSettles draws")

// TestSettles: when the demand does not change a pool comes to rest, however its queues, classes, ceilings, buffers and the
// ages of its jobs compete, whether jobs start or not; and it never has more VMs than it may. Binding, or draining and making,
// the same VM again and again was how pools spent their days in which an odd VM went to whoever had used less so far. The same
// pools are drawn each time, and those that once failed.
func TestSettles(t *testing.T) {
	t.Parallel()
	drawn := rapid.Custom(func(r *rapid.T) restless {
		p := restlessPolicy(r)
		total := elasticpool.Resources{
			"vms": rapid.Int64Range(5, 19).Draw(r, "vms"), "cpus": rapid.Int64Range(10, 49).Draw(r, "cpus"), "gpus": rapid.Int64Range(0, 2).Draw(r, "gpus"),
		}
		pool := restless{p, total, restlessJobs(r, p.Queues), rapid.Bool().Draw(r, "jobs start")}
		for i := range pool.jobs {
			pool.jobs[i].Oldest = dawn.Add(-time.Duration(rapid.IntRange(0, 40).Draw(r, "age")) * time.Hour)
		}
		return pool
	})
	seeds := []int{568, 599} // an urgent queue that had got its VMs was urgent no more, and lost them
	for seed := range *settleSeeds {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		pool := drawn.Example(seed)
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			pool.settles(t)
		})
	}
}

// TestIdleVMsCountBelowTheCeiling: a queue that is at its upper threshold and lacks VMs of another class gets them one by one,
// when its idle ones, which are of no use to it, have left: those go at once, and not after an idle time.
func TestIdleVMsCountBelowTheCeiling(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes = append(p.Classes, elasticpool.Class{
		Name: "big", Cloud: "main", Takes: elasticpool.Resources{"cpus": 4}, Slot: elasticpool.Resources{"cpus": 4, "memory_mb": 8192},
	})
	p.Queues = []elasticpool.Queue{{Name: "lhaaso", Upper: 2}}
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 2)}
	w.steps(6)
	w.run()
	require.Equal(t, 2, w.states()[elasticpool.Joined])
	for vm := range w.workers {
		w.finish(vm)
	}
	w.jobs = []elasticpool.JobGroup{{Queue: "lhaaso", Request: elasticpool.Resources{"cpus": 4}, Idle: 5, Oldest: w.now}}
	for range 4 * 5 {
		w.step()
		keepsCeilings(t, w)
	}
	classes := map[string]int{}
	for _, vm := range w.c.State().VMs {
		classes[vm.Class]++
	}
	assert.Equal(t, map[string]int{"big": 2}, classes)
}

// TestSatisfiedQueuesStayUrgent: a queue of old jobs keeps the VMs that it got for them until these have begun. It was urgent
// as long as it lacked VMs only, so they went back to a queue of younger jobs and were taken again.
func TestSatisfiedQueuesStayUrgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, threeQueues())
	w.total = elasticpool.Resources{"vms": 12, "cpus": 12}
	w.jobs = []elasticpool.JobGroup{since("lhaaso", 8, 50*time.Hour), since("juno", 100, time.Hour)}
	w.steps(4 * 60)
	assert.Equal(t, 8, queue(w.last, "lhaaso").Target)
	assert.Zero(t, w.actions(elasticpool.ActBind))
}

// The age of jobs must not decide about floors that no job waits for: juno's third VM was urgent while it lacked it and no
// longer when it was there, and then cepc's floor took it back, for ever.
func TestFloorsThatNobodyWaitsForAreNotUrgent(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes = []elasticpool.Class{
		{Name: "small", Cloud: "main", Takes: elasticpool.Resources{"cpus": 1}, Slot: elasticpool.Resources{"cpus": 1, "memory_mb": 2048}},
		{Name: "big", Cloud: "main", Takes: elasticpool.Resources{"cpus": 4}, Slot: elasticpool.Resources{"cpus": 4, "memory_mb": 8192}},
	}
	p.Queues = []elasticpool.Queue{
		{Name: "lhaaso", Weight: 1}, {Name: "juno", Weight: 1, Lower: 3}, {Name: "cepc", Weight: 1, Lower: 4, KeepLower: true, Upper: 7},
	}
	jobs := waiting("juno", 3)
	jobs.Request = elasticpool.Resources{"cpus": 4, "memory_mb": 512}
	restless{p, elasticpool.Resources{"vms": 5, "cpus": 17, "gpus": 1}, []elasticpool.JobGroup{jobs}, false}.settles(t)
}

func (pool restless) settles(t *testing.T) {
	t.Helper()
	w := newWorld(t, pool.policy)
	w.total, w.jobs = pool.total, pool.jobs
	quiet := 0
	for i := 0; i < 4*60*8 && quiet < rest; i++ {
		quiet++
		if len(w.step().Actions) > 0 {
			quiet = 0
		}
		if pool.runs {
			w.run()
		}
		require.LessOrEqual(t, int64(len(w.servers)), w.total["vms"])
		keepsCeilings(t, w)
	}
	require.Equal(t, rest, quiet, "no rest in 8 hours; the last decision: %+v", w.last)
}

// restlessPolicy draws classes that take from each other, and queues that want the same.
func restlessPolicy(r *rapid.T) elasticpool.Policy {
	p := policy()
	p.Classes = nil
	for i, name := range []string{"small", "big", "gpu"} {
		cpus := int64(1) << (2 * i)
		class := elasticpool.Class{
			Name: name, Cloud: "main", Takes: elasticpool.Resources{"cpus": cpus}, Slot: elasticpool.Resources{"cpus": cpus, "memory_mb": 2048 * cpus},
			Max: rapid.SampledFrom([]int{0, 0, 1, 2, 4}).Draw(r, name+" max"), Stops: rapid.Bool().Draw(r, name+" stops"),
		}
		if name == "gpu" {
			class.Slot["gpus"], class.Takes["gpus"] = 1, 1
			class.Backfill = elasticpool.Duration(rapid.Int64Range(0, 15).Draw(r, "backfill") * int64(time.Minute))
		}
		if rapid.Bool().Draw(r, name+" buffer") {
			class.Buffer = elasticpool.Buffer{Min: rapid.IntRange(0, 2).Draw(r, "min"), Max: 3, Stopped: rapid.IntRange(0, 2).Draw(r, "stopped")}
		}
		p.Classes = append(p.Classes, class)
	}
	p.Queues = nil
	for _, name := range []string{"lhaaso", "juno", "cepc"} {
		q := elasticpool.Queue{Name: name, Weight: float64(rapid.IntRange(1, 3).Draw(r, name+" weight"))}
		if rapid.Bool().Draw(r, name+" floor") {
			q.Lower, q.KeepLower = rapid.Int64Range(0, 4).Draw(r, "lower"), rapid.Bool().Draw(r, "keep")
		}
		if rapid.Bool().Draw(r, name+" ceiling") {
			q.Upper = q.Lower + rapid.Int64Range(1, 6).Draw(r, "upper")
		}
		p.Queues = append(p.Queues, q)
	}
	return p
}

// restlessJobs draws up to two groups of jobs for each queue; some ask for no CPU.
func restlessJobs(r *rapid.T, queues []elasticpool.Queue) []elasticpool.JobGroup {
	var jobs []elasticpool.JobGroup
	for _, q := range queues {
		for range rapid.IntRange(0, 2).Draw(r, "groups") {
			g := waiting(q.Name, rapid.IntRange(0, 11).Draw(r, "jobs"))
			g.Request = elasticpool.Resources{"cpus": rapid.Int64Range(0, 4).Draw(r, "of cpus"), "memory_mb": 512}
			if rapid.IntRange(0, 3).Draw(r, "of gpus") == 0 {
				g.Request["gpus"] = 1
			}
			jobs = append(jobs, g)
		}
	}
	return jobs
}

// keepsCeilings looks whether a queue has more VMs than its upper threshold allows, those that leave not counted.
func keepsCeilings(t *testing.T, w *world) {
	t.Helper()
	n := map[string]int64{}
	for _, vm := range w.c.State().VMs {
		switch vm.State {
		case elasticpool.Draining, elasticpool.Deleting, elasticpool.Stopping, elasticpool.Stopped:
		default:
			n[vm.Queue]++
		}
	}
	for _, q := range w.c.Policy().Queues {
		if q.Upper > 0 {
			require.LessOrEqual(t, n[q.Name], q.Upper, "VMs of %s", q.Name)
		}
	}
}

// TestOddVMTakesTurns: one VM for two queues that are due the same goes to each in turn, and each turn is longer than the one
// before: it neither stays with one for ever nor changes hands all the time.
func TestOddVMTakesTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.total["vms"] = 1
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100), waiting("juno", 100)}
	w.steps(4 * 60)
	first := w.actions(elasticpool.ActBind)
	assert.Positive(t, first)
	assert.LessOrEqual(t, first, 10, "in the first hour")
	w.steps(4 * 60 * 3)
	assert.LessOrEqual(t, w.actions(elasticpool.ActBind)-first, 3, "in the next three")
	w.steps(4 * 60 * 20)
	assert.Greater(t, w.actions(elasticpool.ActBind), first, "nobody waits for ever")
	assert.Equal(t, 1, w.actions(elasticpool.ActCreate))
}

// TestOnlyTheCloudThatIsOverShrinks: of a queue that has more than its share in two clouds, one VM has to go whoever wants it
// in the cloud that has less than the pool takes of it, whichever class comes first; the other one is only promised to
// somebody, and stays until that one comes.
func TestOnlyTheCloudThatIsOverShrinks(t *testing.T) {
	t.Parallel()
	for lowered, promised := range map[string]string{"main": "other", "second": "small"} {
		p := policy()
		p.Control.ReclaimShare = 1
		other := p.Classes[0]
		other.Name, other.Cloud = "other", "second"
		p.Classes = append(p.Classes, other)
		p.Clouds = append(p.Clouds, elasticpool.Cloud{Name: "second"})
		w := newWorld(t, p)
		total := map[string]int64{"main": 3, "second": 3}
		w.bend = func(in *elasticpool.Input) { splitClouds(w, in, total) }
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100)}
		w.steps(6)
		w.run()
		w.steps(2)
		require.Equal(t, 6, w.states()[elasticpool.Joined])
		total[lowered] = 2
		for range 8 {
			w.next.Leases = []elasticpool.Leased{{Queue: "juno", Class: promised, Units: 1}}
			w.step()
		}
		drained := map[string]int{}
		for _, a := range w.history {
			if a.Kind == elasticpool.ActDrain {
				drained[a.Cloud]++
			}
		}
		assert.Equal(t, map[string]int{lowered: 1}, drained)
	}
}

// splitClouds shows the world's servers in the clouds of their classes, with so many VMs allowed in each.
func splitClouds(w *world, in *elasticpool.Input, total map[string]int64) {
	all := in.Clouds["main"]
	for cloud, most := range total {
		seen := all
		seen.Value.Servers = nil
		for _, server := range all.Value.Servers {
			if w.class(server.Class).Cloud == cloud {
				seen.Value.Servers = append(seen.Value.Servers, server)
			}
		}
		free := max(most-int64(len(seen.Value.Servers)), 0)
		seen.Value.Limits = elasticpool.Limits{Total: elasticpool.Resources{"vms": most}, Free: elasticpool.Resources{"vms": free}}
		in.Clouds[cloud] = seen
	}
}
