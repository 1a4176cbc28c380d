package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestGrowsFromNothing: no VM is needed to see demand, as it is for controllers that look at what runs.
func TestGrowsFromNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
	w.step()
	assert.Equal(t, 3, w.actions(elasticpool.ActCreate))
	w.steps(5)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 3}, w.states())
}

// TestVMsOnTheirWayCount: one job and one VM that builds is enough, however long it builds within its time.
func TestVMsOnTheirWayCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(11)
	assert.Equal(t, 1, w.actions(elasticpool.ActCreate))
	assert.Zero(t, w.actions(elasticpool.ActDelete))
}

// TestIdleVMsLeave: after the idle time, drained first, and deleted until they are gone.
func TestIdleVMsLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 4)}
	w.steps(4)
	w.run()
	w.step()
	require.Equal(t, 4, w.states()[elasticpool.Joined])
	for _, vm := range sorted(w.workers)[:3] {
		w.finish(vm)
	}
	w.jobs[0].Running = 1
	w.steps(30)
	assert.Zero(t, w.actions(elasticpool.ActDrain), "not before the idle time")
	w.steps(30)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 1}, w.states())
	assert.Len(t, w.servers, 1)
	assert.NotEmpty(t, w.workers[sorted(w.workers)[0]].Jobs, "the one that works stays")
}

// TestIdleVMsServeOtherQueues: a VM that one queue needs no more is given to another, and none is made.
func TestIdleVMsServeOtherQueues(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 2)}
	w.steps(4)
	w.jobs = []elasticpool.JobGroup{waiting("juno", 2)}
	w.steps(2)
	assert.Equal(t, 2, w.actions(elasticpool.ActBind))
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
}

// TestBackoffHasDefaults: one of its two times may be left to its default.
func TestBackoffHasDefaults(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.Backoff.First = elasticpool.Duration(time.Second)
	require.NoError(t, p.Validate())
	p.Control.Backoff.First = elasticpool.Duration(time.Hour)
	require.ErrorContains(t, p.Validate(), "first <= most")
}

// TestClaimedVMsAreNotIdle: between two jobs a worker has none and nothing is free on it. In a cloud that is full it was
// taken for idle, drained and deleted, and made anew for the job that waited for it.
func TestClaimedVMsAreNotIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 10)}
	w.steps(6)
	require.Equal(t, 10, w.states()[elasticpool.Joined])
	for _, vm := range sorted(w.workers) {
		worker := w.workers[vm]
		worker.Free, worker.IdleSince = nil, time.Time{}
		w.workers[vm] = worker
	}
	w.step()
	assert.Zero(t, w.actions(elasticpool.ActDrain))
	assert.Equal(t, 10, queue(w.last, "lhaaso").Wanted)
}

// TestFairShareIsTakenBack: a queue that has all gives back without losing a job.
func TestFairShareIsTakenBack(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.ReclaimShare = 0.5
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100), waiting("juno", 0)}
	w.steps(6)
	w.run()
	w.steps(2)
	require.Equal(t, 10, w.states()[elasticpool.Joined])
	w.jobs[1].Idle = 100
	w.steps(200)
	assert.Equal(t, 5, queue(w.last, "juno").Serving)
	assert.Zero(t, w.actions(elasticpool.ActDrain))
	assert.Equal(t, 10, w.actions(elasticpool.ActCreate))
}

// TestShareInFact: a queue whose VMs still run another's long jobs gets that one's VMs as they become idle, and lends it those.
func TestShareInFact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100), waiting("juno", 0)}
	w.steps(6)
	w.run()
	w.steps(2)
	w.jobs[1].Idle = 100
	w.steps(4)
	require.Equal(t, 5, queue(w.last, "juno").Serving)
	bound := func(name string) (vms []string) {
		for _, vm := range sorted(w.workers) {
			if w.workers[vm].Queue == name {
				vms = append(vms, vm)
			}
		}
		return vms
	}
	long := bound("juno")
	for _, vm := range bound("lhaaso") {
		w.finish(vm)
	}
	w.step()
	for _, vm := range long {
		assert.Equal(t, "lhaaso", w.workers[vm].Queue, "it runs a job of lhaaso")
	}
	assert.Len(t, bound("juno"), 5)
	w.run()
	assert.Equal(t, 5, w.jobs[1].Running, "juno has its share in fact")
}

// TestCeilingIsEnforced: VCondor never takes back what a lowered upper threshold forbids.
func TestCeilingIsEnforced(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.ReclaimShare = 1
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100)}
	w.steps(6)
	w.run()
	w.step()
	upper := int64(4)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "lhaaso", Upper: &upper}}
	w.steps(4)
	assert.Equal(t, 6, w.actions(elasticpool.ActDrain))
	for vm, worker := range w.workers {
		if worker.Draining {
			w.finish(vm)
			worker.Joined, worker.Draining = false, false
		}
	}
	w.steps(10)
	assert.Len(t, w.servers, 4)
}

// TestFailureIsNotEmptiness: a schedd that does not answer, or workers that all vanish, shrink nothing.
func TestFailureIsNotEmptiness(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(*world){
		"the schedd fails":             func(w *world) { w.jobsErr = "communication error" }, // and nothing else is amiss
		"the directory is empty":       func(w *world) { w.mute = true },
		"the directory is young":       func(w *world) { w.mute, w.young = true, time.Second },
		"the cloud's list is cut":      func(w *world) { w.hide, w.short = true, true },
		"the cloud shows nothing":      func(w *world) { w.hide = true },
		"the queues show no more jobs": func(w *world) { w.jobs = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, policy())
			w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 8)}
			w.steps(4)
			w.run()
			w.steps(2)
			before := len(w.history)
			breaks(w)
			for range 200 {
				w.step()
				require.NotEmpty(t, w.last.Frozen)
			}
			assert.Empty(t, w.history[before:])
		})
	}
}

// TestJobsThatHaveStartedNeedNoSecondVM: the queues were asked before the workers, and say of jobs that run that they wait.
func TestJobsThatHaveStartedNeedNoSecondVM(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
	w.steps(4)
	w.run()
	w.jobs[0].Idle, w.jobs[0].Running = 3, 0
	w.steps(2)
	assert.Equal(t, 3, w.actions(elasticpool.ActCreate))
	w.jobs[0].Idle = 4
	w.step()
	assert.Equal(t, 4, w.actions(elasticpool.ActCreate))
}

// TestQuotaOrdersAddUp: an order that sets one threshold leaves the others as earlier orders set them.
func TestQuotaOrdersAddUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	weight, upper := 3.0, int64(7)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "juno", Weight: &weight}}
	w.step()
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "juno", Upper: &upper}}
	w.step()
	assert.InDelta(t, 3, queue(w.last, "juno").Weight, 0)
	assert.EqualValues(t, 7, queue(w.last, "juno").Upper)
}

// TestQuotaCanBeReset: the policy's values hold again.
func TestQuotaCanBeReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	upper := int64(7)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "juno", Upper: &upper}}
	w.step()
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdResetQuota, Queue: "juno"}}
	w.step()
	assert.EqualValues(t, -1, queue(w.last, "juno").Upper)
	assert.Empty(t, w.c.State().Orders)
}

// TestWorkersNeverSeenAreNotMissing: after a restart nobody is told that all of them are.
func TestWorkersNeverSeenAreNotMissing(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 8)
	in := w.input()
	in.Workers = elasticpool.Seen[elasticpool.Workers]{}
	assert.Equal(t, []string{"workers: never seen"}, w.c.Decide(in).Frozen)
}

// TestBoundsOnNothing: a bound on a resource that no class takes would bound nothing, and is refused.
func TestBoundsOnNothing(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Clouds[0].Max = elasticpool.Resources{"vm": 400}
	p.Queues[1].UpperOf = elasticpool.Resources{"gpu": 2}
	err := p.Validate()
	require.ErrorContains(t, err, "clouds[0].max.vm: no class takes vm: there are cpus, vms")
	require.ErrorContains(t, err, "queues[1].upper_of.gpu: no class takes gpu")
}

// TestLeasesAreKeptFree: what the quota service has promised to somebody is not booted by the pool itself.
func TestLeasesAreKeptFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100)}
	for range 6 {
		w.next.Leases = []elasticpool.Leased{{Queue: "juno", Units: 4}}
		w.step()
	}
	assert.Equal(t, 6, w.actions(elasticpool.ActCreate))
	w.steps(4)
	assert.Equal(t, 10, w.actions(elasticpool.ActCreate), "a lease that has ended keeps nothing")
}

func queue(d elasticpool.Decision, name string) elasticpool.QueueView {
	for _, q := range d.Queues {
		if q.Name == name {
			return q
		}
	}
	return elasticpool.QueueView{}
}
