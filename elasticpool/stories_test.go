package elasticpool_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestRandomStories: whatever jobs come and whatever fails, in whatever order, the pool stays within its cloud, makes each
// VM once and deletes no VM with a job on it; when the failures end it serves every job, and when there are no more jobs
// nothing is left, neither in the cloud nor in its books.
func TestRandomStories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := policy()
		if rapid.Bool().Draw(r, "buffer") {
			p.Classes[0].Buffer = elasticpool.Buffer{Max: 3, Stopped: 2}
			p.Classes[0].Stops = true
		}
		p.Queues[0].Upper = rapid.SampledFrom([]int64{0, 3, 8}).Draw(r, "upper")
		w := newWorld(t, p)
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 0), waiting("juno", 0)}
		for range rapid.IntRange(10, 120).Draw(r, "steps") {
			mishap(r, w)
			tell(r, w)
		}
		w.calm()
		for i := range 400 {
			if i%5 == 0 {
				w.endJobs()
			}
			tell(r, w)
		}
		for _, g := range w.jobs {
			require.Zero(r, g.Idle, "every job is served; the queue says: %s", queue(w.last, g.Queue).Why)
		}
		for range 200 {
			w.endJobs()
			tell(r, w)
		}
		w.c = restarted(r, w, elasticpool.Policy{
			Pool: p.Pool, Queues: p.Queues, Clouds: p.Clouds, Control: p.Control,
			Classes: []elasticpool.Class{{Name: "small", Cloud: "main", Slot: p.Classes[0].Slot, Takes: p.Classes[0].Takes}},
		})
		for range 200 {
			w.endJobs()
			tell(r, w)
		}
		require.Empty(r, w.c.State().VMs, "the last decision: %+v", w.last)
		require.Empty(r, w.servers)
	})
}

// tell takes a step and looks whether what must always be true is.
func tell(r *rapid.T, w *world) {
	before := map[string]int{}
	for vm, worker := range w.workers {
		before[vm] = len(worker.Jobs)
	}
	w.step()
	for _, a := range w.last.Actions {
		if a.Kind == elasticpool.ActDelete || a.Kind == elasticpool.ActStop {
			s := w.servers[a.VM]
			active := s != nil && s.Status == elasticpool.ServerActive
			require.False(r, active && before[a.VM] > 0, "%s of VM %s with jobs: %s", a.Kind, a.VM, a.Reason)
		}
	}
	require.LessOrEqual(r, len(w.servers), int(w.total["vms"]))
	w.run()
}

// mishap lets something happen: jobs come or end, something fails or is well again, the controller is killed.
func mishap(r *rapid.T, w *world) {
	some := func(servers map[string]*elasticpool.Server) *elasticpool.Server {
		if len(servers) == 0 {
			return nil
		}
		return servers[rapid.SampledFrom(sorted(servers)).Draw(r, "server")]
	}
	switch rapid.SampledFrom([]string{"jobs", "jobs", "end", "end", "fail", "well", "error", "gone", "blind", "mute", "kill", "quota", "slow"}).Draw(r, "what") {
	case "jobs":
		w.jobs[rapid.IntRange(0, 1).Draw(r, "queue")].Idle += rapid.IntRange(1, 12).Draw(r, "jobs")
	case "end":
		for _, vm := range sorted(w.workers) {
			if len(w.workers[vm].Jobs) > 0 && rapid.Bool().Draw(r, "ends") {
				w.end(vm)
			}
		}
	case "fail":
		kind := rapid.SampledFrom([]elasticpool.ActionKind{elasticpool.ActCreate, elasticpool.ActJoin, elasticpool.ActBind, elasticpool.ActDrain, elasticpool.ActDelete, elasticpool.ActStart, elasticpool.ActStop, elasticpool.ActFree}).Draw(r, "kind")
		w.fail[kind] = rapid.SampledFrom([]string{"quota", "capacity", "transient", "unknown_outcome", "busy"}).Draw(r, "class")
		w.ghosts = w.fail[elasticpool.ActCreate] == "unknown_outcome"
	case "well":
		w.calm()
	case "error":
		if s := some(w.servers); s != nil && s.Status == elasticpool.ServerBuilding {
			s.Status = elasticpool.ServerError
		}
	case "gone":
		if s := some(w.servers); s != nil {
			w.lose(s.VM)
		}
	case "blind":
		w.jobsErr = "no answer"
	case "mute":
		w.mute = true
	case "kill":
		w.pending = nil // outcomes that nobody took in are lost
		w.c = restarted(r, w, w.c.Policy())
	case "quota":
		w.total["vms"] = int64(max(len(w.servers), rapid.IntRange(5, 15).Draw(r, "vms")))
	case "slow":
		w.slow = true
	}
}

// restarted returns a controller that goes on from what the old one remembered, as the journal would tell it.
func restarted(r *rapid.T, w *world, p elasticpool.Policy) *elasticpool.Controller {
	text, err := json.Marshal(w.c.State())
	require.NoError(r, err)
	var state elasticpool.State
	require.NoError(r, json.Unmarshal(text, &state))
	c, err := elasticpool.NewController(p, state)
	require.NoError(r, err)
	return c
}

// calm ends everything that fails.
func (w *world) calm() {
	w.fail, w.ghosts, w.jobsErr, w.mute, w.slow = map[elasticpool.ActionKind]string{}, false, "", false, false
}

// end ends the jobs of a VM.
func (w *world) end(vm string) {
	worker := w.workers[vm]
	for _, job := range worker.Jobs {
		for i := range w.jobs {
			if w.jobs[i].Queue == job.Queue {
				w.jobs[i].Running--
			}
		}
	}
	w.finish(vm)
	if worker.Draining {
		worker.Joined, worker.Draining = false, false
	}
}

func (w *world) endJobs() {
	for _, vm := range sorted(w.workers) {
		if len(w.workers[vm].Jobs) > 0 {
			w.end(vm)
		}
	}
}

// lose takes a server away with all that runs on it; its jobs wait again.
func (w *world) lose(vm string) {
	if worker := w.workers[vm]; worker != nil {
		for _, job := range worker.Jobs {
			for i := range w.jobs {
				if w.jobs[i].Queue == job.Queue {
					w.jobs[i].Running--
					w.jobs[i].Idle++
				}
			}
		}
	}
	delete(w.servers, vm)
	delete(w.workers, vm)
}

// TestSameInputsSameDecisions: a decision hangs on policy, state and input alone, so that a log can be replayed.
func TestSameInputsSameDecisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 7), waiting("juno", 9)}
	var inputs []elasticpool.Input
	var want []elasticpool.Decision
	first := w.c
	for i := range 60 {
		w.now = w.now.Add(step)
		w.live()
		in := w.input()
		var kept elasticpool.Input
		text, err := json.Marshal(in)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &kept))
		inputs = append(inputs, kept)
		d := first.Decide(in)
		want = append(want, d)
		for _, a := range d.Actions {
			w.pending = append(w.pending, elasticpool.Outcome{Action: a, Server: w.do(a)})
		}
		if i == 20 {
			w.jobs[0].Idle = 0
		}
	}
	again, err := elasticpool.NewController(policy(), elasticpool.State{Generation: 1})
	require.NoError(t, err)
	for i, in := range inputs {
		require.Empty(t, cmp.Diff(want[i], again.Decide(in)), "decision %d", i)
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 10)}
	w.steps(3)
	last := ""
	for _, a := range w.history {
		if a.Kind == elasticpool.ActCreate {
			require.Len(t, a.VM, 26)
			require.Greater(t, a.VM, last)
			last = a.VM
		}
	}
	require.NotEmpty(t, last)
}
