package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// serving returns a world in which so many VMs serve lhaaso, each with a job.
func serving(t *testing.T, p elasticpool.Policy, vms int) *world {
	t.Helper()
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", vms)}
	w.steps(5)
	w.run()
	w.step()
	require.Equal(t, vms, w.states()[elasticpool.Joined])
	require.Equal(t, vms, w.jobs[0].Running)
	return w
}

// TestLostReplyOfCreate: a create whose reply is lost is looked for by its VM id; it is not made twice.
func TestLostReplyOfCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.fail[elasticpool.ActCreate], w.ghosts = "unknown_outcome", true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 2)}
	w.steps(10)
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 2}, w.states())
}

// TestCreateThatNeverHappened: after its time it is given up and made anew.
func TestCreateThatNeverHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.fail[elasticpool.ActCreate] = "unknown_outcome"
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(3)
	require.Equal(t, 1, w.actions(elasticpool.ActCreate))
	delete(w.fail, elasticpool.ActCreate)
	w.steps(20)
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 1}, w.states())
}

// TestFailuresBackOff: a class that cannot be made is asked for less and less often; quota is asked for each minute; an
// invalid class not again.
func TestFailuresBackOff(t *testing.T) {
	t.Parallel()
	for word, creates := range map[string][2]int{"capacity": {6, 9}, "quota": {45, 65}, "invalid": {1, 1}, "transient": {6, 9}} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, policy())
			w.fail[elasticpool.ActCreate] = word
			w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
			w.steps(4 * 60)
			assert.GreaterOrEqual(t, w.actions(elasticpool.ActCreate), creates[0])
			assert.LessOrEqual(t, w.actions(elasticpool.ActCreate), creates[1])
			assert.Empty(t, w.states())
			assert.Contains(t, queue(w.last, "lhaaso").Why, word)
		})
	}
}

// TestOtherClassesStandIn: what one class cannot give because its cloud fails, another does.
func TestOtherClassesStandIn(t *testing.T) {
	t.Parallel()
	p := policy()
	second := p.Classes[0]
	second.Name, second.Price = "second", 2
	p.Classes = append(p.Classes, second)
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 4)}
	w.fail[elasticpool.ActCreate] = "capacity"
	w.step()
	delete(w.fail, elasticpool.ActCreate)
	w.steps(5)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 4}, w.states())
	made := map[string]int{}
	for _, a := range w.history {
		if a.Kind == elasticpool.ActCreate {
			made[a.Class]++
		}
	}
	assert.Equal(t, map[string]int{"small": 4, "second": 4}, made)
}

// TestCloudsByPriority: the cloud that is to be used first is, whatever its classes are called and cost.
func TestCloudsByPriority(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Clouds = []elasticpool.Cloud{{Name: "dear", Priority: 2}, {Name: "main", Priority: 1}}
	dear := p.Classes[0]
	dear.Name, dear.Cloud, dear.Price = "a", "dear", 0.1
	p.Classes = append([]elasticpool.Class{dear}, p.Classes...)
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
	in := w.input()
	in.Clouds["dear"] = in.Clouds["main"]
	d := w.c.Decide(in)
	require.Len(t, d.Actions, 3)
	for _, a := range d.Actions {
		assert.Equal(t, "main", a.Cloud)
	}
}

// TestRamp: a class starts slowly and grows with each VM that came to life.
func TestRamp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.total = elasticpool.Resources{"vms": 1000}
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1000)}
	w.step()
	assert.Equal(t, 8, w.actions(elasticpool.ActCreate))
	w.steps(3)
	assert.Equal(t, 8+16, w.actions(elasticpool.ActCreate))
}

// TestServerErrors: servers that end in error, vanish or never boot are deleted and made anew elsewhere in time.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 2)}
	w.steps(2)
	for _, s := range w.servers {
		s.Status, s.Fault = elasticpool.ServerError, "No valid host was found."
	}
	w.steps(2)
	assert.Equal(t, 2, w.actions(elasticpool.ActDelete))
	assert.Contains(t, w.last.Classes[0].Off, "No valid host")
	w.slow = false
	w.steps(30)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 2}, w.states())
}

// TestBuildTimeout: ten minutes are no reason to give up; after the limit the VM is deleted and counted as a failure.
func TestBuildTimeout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(4 * 10)
	assert.Zero(t, w.actions(elasticpool.ActDelete))
	w.steps(4 * 6)
	assert.Equal(t, 1, w.actions(elasticpool.ActDelete))
	assert.Contains(t, w.last.Classes[0].Off, "still building")
}

// TestLostVM: a server that is gone is lost at the second look; its jobs are given back at once, and it is not deleted.
func TestLostVM(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 4)
	lost := sorted(w.servers)[0]
	delete(w.servers, lost)
	w.steps(4)
	assert.Equal(t, 1, w.actions(elasticpool.ActFree))
	assert.Zero(t, w.actions(elasticpool.ActDelete))
	assert.Equal(t, 3, w.states()[elasticpool.Joined])
}

// TestWorkerThatIsSilent: its cloud says it runs and it does not report: three reports long nothing is done, then its jobs
// are given back and it is deleted; so it is after a restart.
func TestWorkerThatIsSilent(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		w := serving(t, policy(), 4)
		silent := sorted(w.servers)[0]
		w.servers[silent].Status = elasticpool.ServerUnknown // keeps it in the cloud and takes its worker away
		w.steps(2)
		if restart {
			c, err := elasticpool.NewController(policy(), w.c.State())
			require.NoError(t, err)
			w.c = c
		}
		assert.Zero(t, w.actions(elasticpool.ActFree))
		w.steps(6)
		assert.Equal(t, 1, w.actions(elasticpool.ActFree))
		assert.Equal(t, 1, w.actions(elasticpool.ActDelete))
	}
}

// TestStartdThatStays away: seen at work once and then only its master: the VM goes back to the buffer and is of use again.
func TestStartdThatStaysAway(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 1)
	for _, worker := range w.workers {
		*worker = elasticpool.Worker{VM: worker.VM, Name: worker.Name}
	}
	w.jobs[0].Idle, w.jobs[0].Running = 1, 0
	w.steps(10)
	assert.Equal(t, 2, w.actions(elasticpool.ActJoin))
	assert.Equal(t, 1, w.actions(elasticpool.ActCreate))
}

// TestOrphans: a server with our tag that is in no books is adopted if its class is known, and deleted after a time of
// grace otherwise.
func TestOrphans(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	for vm, class := range map[string]string{"01ADOPTED": "small", "01UNKNOWN": "old"} {
		w.servers[vm] = &elasticpool.Server{ID: "s-" + vm, VM: vm, Pool: "physics", Class: class, Queue: "lhaaso", Status: elasticpool.ServerActive, Created: dawn}
	}
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(5)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 1, elasticpool.Orphaned: 1}, w.states())
	assert.Zero(t, w.actions(elasticpool.ActCreate))
	w.steps(4 * 31)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 1}, w.states())
	assert.NotContains(t, w.servers, "01UNKNOWN")
}

// TestTwins: two servers of one VM: one is kept.
func TestTwins(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 1)
	in := w.input()
	w.now = w.now.Add(step)
	in.Now = w.now
	seen := in.Clouds["main"]
	twin := seen.Value.Servers[0]
	twin.ID = "second"
	seen.Value.Servers = append(seen.Value.Servers, twin)
	seen.At = w.now
	in.Clouds["main"] = seen
	d := w.c.Decide(in)
	require.Len(t, d.Actions, 1)
	assert.Equal(t, elasticpool.ActDelete, d.Actions[0].Kind)
	assert.Equal(t, "second", d.Actions[0].Server)
}

// TestNewerController: a server of a higher generation says that another controller leads: nothing is touched.
func TestNewerController(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 1)
	w.servers["01OTHER"] = &elasticpool.Server{ID: "x", VM: "01OTHER", Class: "small", Generation: 2, Status: elasticpool.ServerActive}
	w.jobs = append(w.jobs, waiting("juno", 5))
	before := len(w.history)
	w.steps(10)
	assert.Empty(t, w.history[before:])
	assert.Contains(t, w.last.Frozen[0], "newer controller")
}

// TestDeleteIsRepeated until the server is gone, and not in each cycle.
func TestDeleteIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
	w.steps(5)
	w.jobs[0].Idle = 0
	w.fail[elasticpool.ActDelete] = "transient"
	w.steps(4 * 20)
	assert.Equal(t, 3, w.states()[elasticpool.Deleting])
	tried := w.actions(elasticpool.ActDelete)
	assert.Greater(t, tried, 9)
	assert.Less(t, tried, 60)
	delete(w.fail, elasticpool.ActDelete)
	w.steps(30)
	assert.Empty(t, w.servers)
	assert.Empty(t, w.states())
}

// TestUnsatisfiableJobs never grow the pool, and the reason is told.
func TestUnsatisfiableJobs(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes = append(p.Classes, elasticpool.Class{
		Name: "gpu", Cloud: "main", Takes: elasticpool.Resources{"cpus": 8, "gpus": 1}, Slot: elasticpool.Resources{"cpus": 8, "memory_mb": 8192, "gpus": 1},
		Devices: map[string]map[string]any{"gpus": {"Capability": 7.5}},
	})
	for name, test := range map[string]struct {
		job  elasticpool.JobGroup
		want string
	}{
		"too many GPUs":    {elasticpool.JobGroup{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "gpus": 8}, Idle: 3}, "gpu offers 1 gpus, the job asks for 8"},
		"too much memory":  {elasticpool.JobGroup{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 1 << 20}, Idle: 3}, "offers 2048 memory_mb"},
		"a newer GPU":      {elasticpool.JobGroup{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "gpus": 1}, Require: map[string]string{"gpus": "Capability >= 8.0"}, Idle: 3}, "do not meet Capability >= 8.0"},
		"an unknown queue": {elasticpool.JobGroup{Queue: "junorun", Request: elasticpool.Resources{"cpus": 1}, Idle: 3}, "no such queue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, p)
			w.jobs = []elasticpool.JobGroup{test.job}
			w.steps(3)
			assert.Empty(t, w.history)
			require.Len(t, w.last.Unmet, 1)
			assert.Contains(t, w.last.Unmet[0].Reason, test.want)
			assert.Equal(t, 3, w.last.Unmet[0].Jobs)
		})
	}
	w := newWorld(t, p)
	w.total["gpus"] = 4
	w.jobs = []elasticpool.JobGroup{
		{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "gpus": 1}, Require: map[string]string{"gpus": "Capability >= 7.0"}, Idle: 2},
		waiting("juno", 1),
	}
	w.step()
	made := map[string]int{}
	for _, a := range w.history {
		made[a.Class]++
	}
	assert.Equal(t, map[string]int{"gpu": 2, "small": 1}, made, "jobs without GPUs do not take VMs with GPUs")
}

// TestDegradedVM: a VM that shows fewer GPUs than its class is not doubled while its GPUs may still come, and then replaced.
func TestDegradedVM(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes[0].Slot["gpus"] = 1
	w := newWorld(t, p)
	g := waiting("lhaaso", 1)
	g.Request["gpus"] = 1
	w.jobs = []elasticpool.JobGroup{g}
	w.steps(4)
	for _, worker := range w.workers {
		worker.Total, worker.Free = elasticpool.Resources{"cpus": 1, "memory_mb": 2048}, elasticpool.Resources{"cpus": 1, "memory_mb": 2048}
	}
	w.steps(7)
	assert.Equal(t, 1, w.actions(elasticpool.ActCreate), "its GPU may still come")
	w.steps(8)
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
	assert.Equal(t, 1, w.actions(elasticpool.ActDrain))
}

// TestLevelOneBuffer: idle VMs go to the buffer while it has room, and join again without a boot.
func TestLevelOneBuffer(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes[0].Buffer = elasticpool.Buffer{Min: 1, Max: 2}
	w := newWorld(t, p)
	w.steps(5)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Warm: 1}, w.states(), "the buffer is filled without jobs")
	w.jobs = []elasticpool.JobGroup{waiting("juno", 1)}
	w.steps(2)
	assert.Equal(t, 1, w.states()[elasticpool.Joined])
	w.jobs = nil
	w.steps(4 * 60)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Warm: 1}, w.states())
}

// TestStoppedVMsWakeUp before others are made.
func TestStoppedVMsWakeUp(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes[0].Stops, p.Classes[0].Buffer.Stopped = true, 2
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
	w.steps(5)
	w.jobs = nil
	w.steps(4 * 40)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Stopped: 2}, w.states())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 2)}
	w.steps(5)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 2}, w.states())
	assert.Equal(t, 3, w.actions(elasticpool.ActCreate))
	assert.Equal(t, 2, w.actions(elasticpool.ActStart))
}

// TestDrainIsCancelled before anything is made.
func TestDrainIsCancelled(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 2)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdDrain, Queue: "lhaaso", By: "anna"}}
	w.step()
	require.Equal(t, 2, w.states()[elasticpool.Draining])
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdUndrain, Queue: "lhaaso"}}
	w.jobs[0].Idle = 1
	w.steps(2)
	assert.Equal(t, 2, w.actions(elasticpool.ActCancelDrain))
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
}

// TestLifetime: a VM whose life ends before a job would is not counted for it, and leaves when its life is over.
func TestLifetime(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes[0].Lifetime = elasticpool.Duration(time.Hour)
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(4 * 5)
	w.jobs[0].Runtime = 58 * time.Minute
	w.steps(2)
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate))
	w.jobs = nil
	w.steps(4 * 70)
	assert.Empty(t, w.servers)
}

// TestNoJobIsEndedUnlessAllowed: a drain that lasts too long ends jobs only where the queue says so.
func TestNoJobIsEndedUnlessAllowed(t *testing.T) {
	t.Parallel()
	for _, preempt := range []bool{false, true} {
		p := policy()
		p.Queues[0].Preempt = preempt
		p.Control.Timeouts.Drain = elasticpool.Duration(5 * time.Minute)
		w := serving(t, p, 1)
		w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdDrain, Queue: "lhaaso"}}
		w.steps(4 * 20)
		assert.Equal(t, preempt, w.actions(elasticpool.ActDelete) > 0)
	}
}

// TestWarmBeforeComing: a job that waits takes the VM that is ready, not the one that boots.
func TestWarmBeforeComing(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Classes[0].Buffer = elasticpool.Buffer{Min: 2, Max: 2}
	w := newWorld(t, p)
	w.steps(3)
	require.Equal(t, 2, w.states()[elasticpool.Warm])
	w.slow = true
	w.servers[sorted(w.servers)[1]].Status = elasticpool.ServerError
	w.steps(8)
	require.Equal(t, 1, w.states()[elasticpool.Warm])
	require.Equal(t, 1, w.states()[elasticpool.Building])
	w.jobs = []elasticpool.JobGroup{waiting("juno", 1)}
	w.steps(2)
	assert.Equal(t, 1, w.states()[elasticpool.Joined])
}

// TestReadyVMOfAnotherClass: a warm VM of a dearer class that will do is taken before a cheaper one is made.
func TestReadyVMOfAnotherClass(t *testing.T) {
	t.Parallel()
	p := policy()
	big := p.Classes[0]
	big.Name, big.Price, big.Buffer = "big", 10, elasticpool.Buffer{Min: 1, Max: 1}
	p.Classes = append(p.Classes, big)
	w := newWorld(t, p)
	w.steps(4)
	require.Equal(t, 1, w.states()[elasticpool.Warm])
	w.jobs = []elasticpool.JobGroup{waiting("juno", 1)}
	w.step()
	for _, a := range w.last.Actions {
		assert.NotEqual(t, "small", a.Class, "%s: %s", a.Kind, a.Reason)
	}
	assert.Equal(t, 1, w.actions(elasticpool.ActJoin))
}

// TestDrainIsCancelledAtTheCeiling: a draining VM counts against the upper threshold, and not twice when it is taken back.
func TestDrainIsCancelledAtTheCeiling(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.ReclaimShare = 1
	w := serving(t, p, 3)
	for _, upper := range []int64{2, 3} {
		if upper == 3 {
			require.Equal(t, 1, w.states()[elasticpool.Draining])
			w.jobs[0].Idle = 1
		}
		w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "lhaaso", Upper: &upper}}
		w.steps(4)
	}
	assert.Equal(t, 1, w.actions(elasticpool.ActCancelDrain))
	assert.Equal(t, 3, w.actions(elasticpool.ActCreate))
}

// TestNoGrowthOnOldDemand: what was last seen is grown on for a time, and no longer.
func TestNoGrowthOnOldDemand(t *testing.T) {
	t.Parallel()
	for age, grows := range map[time.Duration]bool{5 * time.Minute: true, 11 * time.Minute: false} {
		w := newWorld(t, policy())
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
		in := w.input()
		jobs := in.Jobs["schedd"]
		jobs.At, jobs.Err = w.now.Add(-age), "no answer"
		in.Jobs["schedd"] = jobs
		d := w.c.Decide(in)
		assert.Equal(t, grows, len(d.Actions) == 1, age)
		assert.Equal(t, []string{"jobs of schedd: no answer"}, d.Frozen)
	}
}

// TestIdleVMsAboveTheCeilingLeaveAtOnce.
func TestIdleVMsAboveTheCeilingLeaveAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 8)}
	w.steps(5)
	w.jobs[0].Idle = 0
	upper := int64(2)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdSetQuota, Queue: "lhaaso", Upper: &upper}}
	w.steps(12)
	assert.Equal(t, 2, w.states()[elasticpool.Joined])
}

// TestFreeze: an operator's freeze stops everything until thaw.
func TestFreeze(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdFreeze, By: "anna", Why: "upgrade"}}
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	w.steps(5)
	assert.Empty(t, w.history)
	assert.Equal(t, []string{"frozen by anna: upgrade"}, w.last.Frozen)
	w.next.Commands = []elasticpool.Command{{Kind: elasticpool.CmdThaw}}
	w.step()
	assert.Len(t, w.history, 1)
}

// TestKeepLower keeps VMs without jobs; without it the floor is for demand only.
func TestKeepLower(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Queues[0].Lower = 3
	w := newWorld(t, p)
	w.steps(5)
	assert.Empty(t, w.history)
	p.Queues[0].KeepLower = true
	w = newWorld(t, p)
	w.steps(100)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 3}, w.states())
}

// TestFloorComesFirst: a queue below its lower threshold is served before the others.
func TestFloorComesFirst(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Queues[0].Weight = 100
	p.Queues[1].Lower = 4
	w := newWorld(t, p)
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 100), waiting("juno", 100)}
	w.steps(10)
	assert.Equal(t, 4, queue(w.last, "juno").Serving)
	assert.Equal(t, 6, queue(w.last, "lhaaso").Serving)
}
