package simulate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// exact is a timing without any chance in it.
func exact() Timing {
	return Timing{
		Boot: Duration(3 * time.Minute), BootSpread: 1, JoinLeast: Duration(4 * time.Second), JoinMost: Duration(4 * time.Second),
		Delete: Duration(10 * time.Second), Call: Duration(2 * time.Second),
	}
}

// TestOneVMByHand follows one VM and three jobs of an hour, and checks each number against a calculation by hand.
func TestOneVMByHand(t *testing.T) {
	t.Parallel()
	jobs := make([]Job, 3)
	for i := range jobs {
		jobs[i] = Job{Queue: "a", Submit: 10 * time.Minute, Runtime: time.Hour, Request: request(2, 1000)}
	}
	s := stageOf(t, Config{Policy: twoQueues(), Days: 0.5, Jobs: jobs, Timing: exact(), Sample: Duration(time.Hour)})
	policy := scripted(func(in elasticpool.Input) []elasticpool.Action {
		a := elasticpool.Action{VM: "vm", Cloud: "cloud", Class: "worker", Queue: "a"}
		switch in.Now.Sub(epoch) {
		case 15 * time.Minute:
			a.Kind = elasticpool.ActCreate
		case 18 * time.Minute: // warm since 18:00
			a.Kind = elasticpool.ActJoin
		case 4 * time.Hour:
			a.Kind = elasticpool.ActDrain
		case 4*time.Hour + time.Minute:
			a.Kind = elasticpool.ActDelete
		default:
			return nil
		}
		return []elasticpool.Action{a}
	})
	r, err := s.Run(t.Context(), policy)
	require.NoError(t, err)
	assert.Equal(t, 0, r.Failures)
	// Joined at 18:06; the matchmaker comes at half past each minute: two jobs start at 18:30, the third at 78:30.
	assert.InDelta(t, 8.5, r.MedianWait, 1e-6)
	assert.InDelta(t, (8.5+8.5+68.5)/3, r.MeanWait, 1e-6)
	assert.InDelta(t, 68.5, r.P95Wait, 1e-6)
	assert.InDelta(t, (2*68.5/60+128.5/60)/3, r.Slowdown, 1e-6)
	assert.InDelta(t, 8.5, r.FirstJob, 1e-6)
	assert.InDelta(t, 128.5/60, r.Makespan, 1e-6)
	// Alive from 15:02 to 4:01:12; busy for two hours; of those hours the second has half a VM's demand.
	assert.InDelta(t, (4*60+1+12.0/60-15-2.0/60)/60, r.VMHours, 1e-6)
	assert.InDelta(t, 2.0, r.BusyHours, 1e-6)
	assert.InDelta(t, r.BusyHours/r.VMHours, r.BusyRatio, 1e-6)
	// Demand: 2 VMs from 10:00, of which one runs from 18:30, and 1 VM from 78:30 to 138:30.
	assert.InDelta(t, (2*(5+2.0/60)+1*(63.5-2.0/60))/60, r.UnderHours, 1e-6)
	assert.InDelta(t, (4*60+1+12.0/60-138.5)/60, r.OverHours, 1e-6)
	assert.Equal(t, []int{1, 0, 1, 0, 3, 3, 0, 0}, []int{r.Boots, r.Binds, r.Drains, r.JobsKilled, r.Jobs, r.Finished, r.Unserved, r.Unfit})
	assert.InDelta(t, 1, r.Jain, 0)
	assert.InDelta(t, 3*0.5, r.Queues[0].VMHours, 1e-6)
	assert.InDelta(t, 3*2/(24.0*12), r.Queues[0].Share, 1e-6)
	require.Len(t, r.Series.Points, 12)
	assert.Equal(t, QueuePoint{Waiting: 1, Running: 2, VMs: 1}, r.Series.Points[1].Queues[0])
}

// TestJobsThatAreNotServedCount: jobs that wait at the end count with what they have waited.
func TestJobsThatAreNotServedCount(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Policy: twoQueues(), Days: 1, Tail: 1, Jobs: []Job{
		{Queue: "a", Submit: 0, Runtime: time.Hour, Request: request(1, 1)},
		{Queue: "b", Submit: 23 * time.Hour, Runtime: time.Hour, Request: request(1, 1)},
	}})
	r, err := s.Run(t.Context(), nothing())
	require.NoError(t, err)
	assert.Equal(t, 2, r.Unserved)
	assert.InDelta(t, 60*(24+1)/2.0, r.MeanWait, 1e-6)
	assert.InDelta(t, 24, r.Makespan, 1e-6)
	assert.InDelta(t, 24, r.UnderHours, 1e-6, "one VM would do for both")
	assert.InDelta(t, 1, r.BusyRatio, 0)
}

// TestDeletionOfABusyVMKills: the job is lost, and waits again when the batch system finds out.
func TestDeletionOfABusyVMKills(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		free  bool
		again time.Duration // when it has been given back
	}{
		{"after the lease", false, 30*time.Minute + 2*time.Second + 40*time.Minute},
		{"freed", true, 35*time.Minute + 2*time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := stageOf(t, Config{Policy: twoQueues(), Days: 0.25, Tail: 1, Timing: exact(), Jobs: []Job{
				{Queue: "a", Runtime: time.Hour, Request: request(4, 1)},
			}})
			policy := scripted(func(in elasticpool.Input) []elasticpool.Action {
				a := elasticpool.Action{VM: "vm", Cloud: "cloud", Class: "worker", Queue: "a"}
				switch at := in.Now.Sub(epoch); {
				case at == 0:
					a.Kind = elasticpool.ActCreate
				case at == 3*time.Minute:
					a.Kind = elasticpool.ActJoin
				case at == 30*time.Minute:
					a.Kind = elasticpool.ActDelete
				case at == 35*time.Minute && tt.free:
					a.Kind = elasticpool.ActFree
				default:
					return nil
				}
				return []elasticpool.Action{a}
			})
			r, err := s.Run(t.Context(), policy)
			require.NoError(t, err)
			assert.Equal(t, 1, r.JobsKilled)
			assert.Equal(t, 1, r.Unserved)
			started := 3*time.Minute + 30*time.Second
			assert.InDelta(t, (30*time.Minute + 2*time.Second - started).Hours(), r.LostHours, 1e-6)
			assert.InDelta(t, (started + 6*time.Hour - tt.again).Minutes(), r.MeanWait, 1e-6)
		})
	}
}

// TestStoppedServersSleep: a stopped server is not alive, keeps its room, and comes back warm.
func TestStoppedServersSleep(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Policy: twoQueues(), Days: 0.25, Timing: exact()})
	var seen []elasticpool.ServerStatus
	var warmAgain bool
	policy := scripted(func(in elasticpool.Input) []elasticpool.Action {
		a := elasticpool.Action{VM: "vm", Cloud: "cloud", Class: "worker"}
		if list := in.Clouds["cloud"].Value.Servers; len(list) > 0 {
			seen = append(seen, list[0].Status)
			assert.Equal(t, int64(5), in.Clouds["cloud"].Value.Limits.Free["vms"])
		}
		switch in.Now.Sub(epoch) {
		case 0:
			a.Kind = elasticpool.ActCreate
		case 10 * time.Minute:
			a.Kind = elasticpool.ActStop
		case 70 * time.Minute:
			a.Kind = elasticpool.ActStart
		case 80 * time.Minute:
			warmAgain = len(in.Workers.Value.List) == 1
			a.Kind = elasticpool.ActStop
		case 100 * time.Minute:
			a.Kind = elasticpool.ActDelete
		default:
			return nil
		}
		return []elasticpool.Action{a}
	})
	w := newWorld(s, policy)
	require.NoError(t, w.run(t.Context()))
	r := w.result()
	assert.Zero(t, r.Failures)
	assert.True(t, warmAgain)
	assert.Contains(t, seen, elasticpool.ServerBuilding)
	assert.Contains(t, seen, elasticpool.ServerStopped)
	assert.InDelta(t, (59*60+45+19*60+45)/3600.0, r.StoppedHours, 1e-6)
	assert.Equal(t, 2, r.Boots)
	assert.Empty(t, w.machines)
	assert.Equal(t, []int{0, 0, 0}, []int{w.meter.alive, w.meter.stopped, w.meter.busy})
}

// TestActionsThatCannotBe: what makes no sense fails with a class, and changes nothing.
func TestActionsThatCannotBe(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Policy: twoQueues(), Days: 1})
	w := newWorld(s, nothing())
	m := w.boot(elasticpool.Action{VM: "vm"}, w.classes["worker"])
	asleep := w.boot(elasticpool.Action{VM: "asleep"}, w.classes["worker"])
	asleep.server.Status = elasticpool.ServerStopped
	going := w.boot(elasticpool.Action{VM: "going"}, w.classes["worker"])
	going.server.Status = elasticpool.ServerDeleting
	for _, tt := range []struct {
		kind      elasticpool.ActionKind
		vm, class string
		queue     string
		want      error
	}{
		{elasticpool.ActCreate, "vm", "worker", "", elasticpool.ErrInvalid},
		{elasticpool.ActCreate, "new", "unknown", "", elasticpool.ErrInvalid},
		{elasticpool.ActJoin, "vm", "", "a", elasticpool.ErrNoWorker},
		{elasticpool.ActJoin, "unknown", "", "a", elasticpool.ErrNoWorker},
		{elasticpool.ActBind, "vm", "", "a", elasticpool.ErrNoWorker},
		{elasticpool.ActDrain, "vm", "", "", elasticpool.ErrNoWorker},
		{elasticpool.ActCancelDrain, "vm", "", "", elasticpool.ErrNoWorker},
		{elasticpool.ActStop, "asleep", "", "", elasticpool.ErrTransient},
		{elasticpool.ActStart, "vm", "", "", elasticpool.ErrTransient},
		{elasticpool.ActStop, "unknown", "", "", elasticpool.ErrInvalid},
		{elasticpool.ActStop, "going", "", "", elasticpool.ErrTransient},
		{elasticpool.ActDelete, "unknown", "", "", nil},
		{elasticpool.ActDelete, "going", "", "", nil},
		{elasticpool.ActFree, "unknown", "", "", nil},
		{"dance", "vm", "", "", elasticpool.ErrNoWorker},
	} {
		var outcome elasticpool.Outcome
		err := w.perform(elasticpool.Action{Kind: tt.kind, VM: tt.vm, Class: tt.class, Queue: tt.queue}, &outcome)
		require.ErrorIs(t, err, tt.want, "%s %s", tt.kind, tt.vm)
	}
	w.serve(m, w.queueOf["a"])
	require.ErrorIs(t, w.perform(elasticpool.Action{Kind: "dance", VM: "vm"}, nil), elasticpool.ErrUnsupported)
	require.ErrorIs(t, w.perform(elasticpool.Action{Kind: elasticpool.ActBind, VM: "vm", Queue: "z"}, nil), elasticpool.ErrNoWorker)
	m.jobs = []int{0}
	require.ErrorIs(t, w.drain(m, true), elasticpool.ErrBusy)
	assert.False(t, m.drains)
	require.NoError(t, w.drain(m, false))
	require.NoError(t, w.tellWorker(elasticpool.Action{Kind: elasticpool.ActCancelDrain}, m))
	assert.True(t, m.serves())
}

// chaos is a policy that does anything to anything.
func chaos(t *rapid.T) Policy {
	made := 0
	kinds := []elasticpool.ActionKind{
		elasticpool.ActCreate, elasticpool.ActCreate, elasticpool.ActCreate, elasticpool.ActJoin, elasticpool.ActJoin,
		elasticpool.ActBind, elasticpool.ActDrain, elasticpool.ActCancelDrain, elasticpool.ActStop, elasticpool.ActStart,
		elasticpool.ActDelete, elasticpool.ActFree,
	}
	return scripted(func(elasticpool.Input) []elasticpool.Action {
		var actions []elasticpool.Action
		for range rapid.IntRange(0, 4).Draw(t, "actions") {
			a := elasticpool.Action{
				Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Class: "worker", Cloud: "cloud",
				Queue: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "queue"), OnlyIdle: rapid.Bool().Draw(t, "only idle"),
			}
			if a.Kind == elasticpool.ActCreate {
				made++
			}
			a.VM = fmt.Sprint("vm-", rapid.IntRange(max(0, made-8), made).Draw(t, "vm"))
			actions = append(actions, a)
		}
		return actions
	})
}

// TestNothingIsLostOrDoubled checks, whatever a policy does and whatever fails, after each event: every job is in one
// place, no resource is given twice, no cloud is above its capacity, and the meter's counts are those of the machines.
func TestNothingIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Config{Seed: rapid.Uint64().Draw(t, "seed"), Policy: twoQueues(), Days: 0.08, Tail: Duration(20 * time.Minute)}
		c.Faults = Faults{
			CreateFails: 0.2, CreateError: rapid.SampledFrom([]string{"quota", "unknown_outcome"}).Draw(t, "error"),
			ErrorServer: 0.1, NeverJoins: 0.1,
			Crashes: []Crash{{At: Duration(time.Hour), Share: 0.5, KeepServer: rapid.Bool().Draw(t, "keep")}},
			Blind:   []Blind{{Sensor: SensorWorkers, From: Duration(20 * time.Minute), To: Duration(40 * time.Minute), Empty: true}},
		}
		for i := range rapid.IntRange(0, 30).Draw(t, "jobs") {
			c.Jobs = append(c.Jobs, Job{
				Queue: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "of"), Submit: time.Duration(i) * 3 * time.Minute,
				Runtime: time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute / 3,
				Request: request(rapid.Int64Range(1, 4).Draw(t, "cores"), 1000),
			})
		}
		c.Jobs = append(c.Jobs, Job{Queue: "a", Submit: 90 * time.Minute, Runtime: time.Minute, Request: request(1, 1)})
		w := newWorld(stageOf(t, c), chaos(t))
		w.schedule()
		for {
			e, ok := w.next()
			if !ok {
				break
			}
			w.pass(e.at)
			e.do()
			conserved(t, w)
		}
		r := w.result()
		assert.Equal(t, len(c.Jobs), r.Finished+r.Unserved)
		assert.LessOrEqual(t, r.BusyHours, r.VMHours)
		assert.InDelta(t, r.OverHours, max(0, r.OverHours), 0)
	})
}

func conserved(t require.TestingT, w *world) {
	places := make([]int, len(w.jobs))
	alive, busy, stopped := 0, 0, 0
	for _, m := range w.machines {
		used := make(vector, len(w.space))
		for _, i := range m.jobs {
			places[i]++
			require.Same(t, m, w.jobs[i].worker)
			used.add(w.jobs[i].group.vector, 1)
		}
		if m.worker == joined && len(m.jobs) > 0 {
			busy++
			require.False(t, m.gone)
			used.add(m.free, 1)
			require.Equal(t, m.class.slot, used)
		}
		for _, n := range m.free {
			require.GreaterOrEqual(t, n, int64(0))
		}
		switch {
		case m.alive():
			alive++
		case !m.gone:
			stopped++
		}
	}
	require.Equal(t, []int{alive, busy, stopped}, []int{w.meter.alive, w.meter.busy, w.meter.stopped})
	require.LessOrEqual(t, alive+stopped, 6)
	require.Equal(t, int64(6-alive-stopped), w.clouds[0].free[len(w.space)-1], "vms, the last resource")
	waiting, running := 0, 0
	for _, q := range w.queues {
		for _, g := range q.groups {
			for _, i := range g.waiting.jobs[g.waiting.from:] {
				places[i]++
			}
			waiting, running = waiting+g.waiting.len(), running+g.running
		}
	}
	for i, n := range places {
		want := 1
		if w.jobs[i].done || i >= w.nextJob {
			want = 0
		}
		require.Equal(t, want, n, "places of job %d", i)
	}
	require.LessOrEqual(t, waiting+running, len(w.jobs))
}
