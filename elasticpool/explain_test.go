package elasticpool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

const (
	workingVM  = "01JDAAAAAAAAAAAAAAAAAAAAAA"
	buildingVM = "01JDBBBBBBBBBBBBBBBBBBBBBB"
	drainingVM = "01JDBCCCCCCCCCCCCCCCCCCCCC"
)

// explained is a pool in which everything is that can be explained.
func explained() (elasticpool.Policy, elasticpool.Input, elasticpool.Status) {
	p := policy()
	p.Queues[0].Classes = []string{"small"}
	p.Classes = append(p.Classes, elasticpool.Class{
		Name: "gpu", Cloud: "main", Slot: elasticpool.Resources{"cpus": 8, "memory_mb": 4096, "gpus": 1},
		Devices: map[string]map[string]any{"gpus": {"Capability": 8.0}}, Lifetime: elasticpool.Duration(time.Hour),
	})
	group := func(queue string, id string, change func(*elasticpool.JobGroup)) elasticpool.JobGroup {
		g := waiting(queue, 2)
		g.Jobs = []string{id}
		change(&g)
		return g
	}
	in := elasticpool.Input{
		Now: dawn,
		Jobs: map[string]elasticpool.Seen[[]elasticpool.JobGroup]{"schedd": {At: dawn, Value: []elasticpool.JobGroup{
			group("lhaaso", "1.0", func(*elasticpool.JobGroup) {}),
			group("juno", "2.0", func(g *elasticpool.JobGroup) {
				g.Request["gpus"], g.Require = 1, map[string]string{"gpus": "Capability >= 9.0"}
			}),
			group("juno", "3.0", func(g *elasticpool.JobGroup) { g.Idle, g.Held = 0, 1 }),
			group("juno", "4.0", func(g *elasticpool.JobGroup) { g.Held = 3 }),
			group("juno", "5.0", func(g *elasticpool.JobGroup) { g.Request["cpus"], g.Runtime = 8, 2*time.Hour }),
			group("atlas", "6.0", func(g *elasticpool.JobGroup) { g.Hidden = 5 }),
		}}},
		Workers: elasticpool.Seen[elasticpool.Workers]{At: dawn, Value: elasticpool.Workers{List: []elasticpool.Worker{
			{VM: workingVM, Name: "slot@a", Heard: dawn.Add(-30 * time.Second), Free: elasticpool.Resources{}, Total: elasticpool.Resources{"cpus": 1}},
		}}},
	}
	ago := func(d time.Duration) time.Time { return dawn.Add(-d) }
	s := elasticpool.Status{
		Now: dawn,
		Decision: elasticpool.Decision{
			Queues: []elasticpool.QueueView{
				{Name: "lhaaso", Waiting: 2, Oldest: 3600, Serving: 1, Busy: 1, Coming: 1, Wanted: 3, Target: 2, Lower: 1, Upper: 2, Weight: 1, Why: "its upper threshold is reached"},
				{Name: "juno", Waiting: 8, Held: 4, Upper: -1, Weight: 2, Why: "it needs nothing"},
			},
			Classes: []elasticpool.ClassView{
				{Name: "small", Cloud: "main", States: map[elasticpool.VMState]int{elasticpool.Joined: 1, elasticpool.Building: 1}, InFlight: 1, Ramp: 8, Buffer: 2},
				{Name: "gpu", Cloud: "main", Ramp: 4, Off: "no capacity: no valid host", Until: dawn.Add(3 * time.Minute)},
			},
			Unmet: []elasticpool.Unmet{{Queue: "juno", Jobs: 2, Reason: "gpu offers 8 cpus, the job asks for 9"}},
		},
		VMs: []elasticpool.VM{
			{
				ID: workingVM, Class: "small", Cloud: "main", Queue: "lhaaso", State: elasticpool.Joined, Since: ago(time.Minute), Server: "s-1", Host: "h-1",
				Jobs: []elasticpool.Job{{ID: "9.9"}}, Missing: ago(10 * time.Second),
			},
			{ID: buildingVM, Class: "small", Cloud: "main", Queue: "lhaaso", State: elasticpool.Building, Since: ago(time.Minute), Created: ago(2 * time.Minute), Why: "the cloud makes it"},
			{
				ID: drainingVM, Class: "small", Cloud: "main", State: elasticpool.Draining, Since: ago(time.Hour), Tries: 3, Again: dawn.Add(time.Minute), Gone: ago(5 * time.Second),
			},
		},
		Orders: []elasticpool.Command{
			{Kind: elasticpool.CmdSetQuota, Queue: "juno", By: "ann"},
			{Kind: elasticpool.CmdDrain, VM: drainingVM, By: "bob", Why: "its disk is bad"},
		},
		Breakers: []elasticpool.BreakerStatus{{Cloud: "main", State: elasticpool.BreakerOpen, Failures: 5, Reason: "502 Bad Gateway"}},
		Running:  []elasticpool.RunningAction{{Action: elasticpool.Action{Kind: elasticpool.ActCreate, VM: buildingVM}, Since: ago(20 * time.Second)}},
		Leases:   []quota.Lease{{Queue: "lhaaso", Units: 3, Expires: dawn.Add(time.Minute)}, {Queue: "lhaaso", Expires: dawn}},
	}
	return p, in, s
}

// TestExplain: whatever there is has an answer, and the answer says why.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, what string
		want, not  []string
	}{
		{
			name: "queue", what: "lhaaso",
			want: []string{
				"queue lhaaso: 2 jobs wait", "its jobs need 3 VMs; its share of that is 2 (weight 1, lower threshold 1, upper threshold 2)",
				"its oldest job has waited for 1h0m0s", "its upper threshold is reached", "on their way are 1 building; the first was planned 2m0s ago",
				"3 VMs are leased to it and have not appeared; the first lease lapses at 2026-11-30T06:01:00Z", "the circuit breaker of cloud main is open after 5 failures in a row: 502 Bad Gateway",
			},
			not: []string{"class gpu", "in force"},
		},
		{
			name: "queue with jobs that run nowhere, and a class that rests", what: "juno",
			want: []string{
				"4 are held", "no upper threshold", "2 of its jobs can run nowhere: gpu offers 8 cpus, the job asks for 9", "in force: set_quota queue juno, by ann",
				"nothing is made of class gpu until 2026-11-30T06:03:00Z, in 3m0s: no capacity: no valid host",
			},
			not: []string{"on their way are", "leased"},
		},
		{name: "queue that the policy has not", what: "atlas", want: []string{"queue atlas: 7 jobs wait, 0 run, 0 are held", "the policy has no queue atlas: nothing is done for it"}},
		{name: "class", what: "small", want: []string{"class small of cloud main has 1 building, 1 joined", "1 of at most 8 VMs of it are on their way", "its buffer is to have 2 VMs", "it can be made", "breaker"}},
		{name: "class that rests", what: "gpu", want: []string{"class gpu of cloud main has no VMs", "nothing is made of class gpu until"}, not: []string{"it can be made"}},
		{name: "VM with a job", what: workingVM, want: []string{"is joined for 1m0s", "it is bound to queue lhaaso", "its server is s-1 on host h-1", "it runs jobs 9.9", "its worker has not reported for 10s", "its worker slot@a reported 30s ago and has nothing free of 1 cpus"}},
		{name: "VM on its way", what: buildingVM, want: []string{"is building for 1m0s: the cloud makes it", "create has been under way for 20s"}},
		{name: "VM that is drained", what: drainingVM, want: []string{"is draining for 1h0m0s", "nothing is tried with it again before 1m0s have passed; it was tried 3 times", "its cloud has not shown its server for 5s", "in force: drain vm " + drainingVM + ", by bob: its disk is bad"}, not: []string{"bound to queue"}},
		{name: "beginning of an id", what: "01jdbb", want: []string{"VM " + buildingVM}},
		{name: "beginning of two ids", what: "01jdaa", want: []string{"VM " + workingVM}},
		{name: "job that runs", what: "9.9", want: []string{"job 9.9 runs on VM " + workingVM, "is joined"}},
		{name: "job that waits", what: "1.0", want: []string{"job 1.0 of queue lhaaso asks for 1 cpus, 1024 memory_mb", "the oldest of them has waited for 1h0m0s", "class small can run 1 such jobs on a VM", "class gpu does not serve the queue", "its upper threshold is reached"}},
		{name: "job that no class can run", what: "2.0", want: []string{"its gpus must meet Capability >= 9.0", "small offers 0 gpus, the job asks for 1", "the gpus of gpu do not meet Capability >= 9.0"}},
		{name: "job that is held", what: "3.0", want: []string{"of such jobs 0 wait, 0 run, 1 are held", "it is held: nothing is done for it until it is released"}, not: []string{"class small"}},
		{name: "job of a group with held ones", what: "4.0", want: []string{"for those that are held nothing is done", "class small can run", "class gpu is for jobs that want its devices"}},
		{name: "job that runs longer than a VM lives", what: "5.0", want: []string{"it may run for 2h0m0s", "small offers 1 cpus, the job asks for 8", "gpu lives for 1h0m0s, the job may run for 2h0m0s"}},
		{name: "job of a queue that the policy has not", what: "6.0", want: []string{"the policy has no queue atlas: nothing is done for it"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			lines, err := elasticpool.Explain(explained3(test.what))
			require.NoError(t, err)
			text := strings.Join(lines, "\n")
			for _, want := range test.want {
				assert.Contains(t, text, want)
			}
			for _, not := range test.not {
				assert.NotContains(t, text, not)
			}
			assert.NotContains(t, lines, "", "no empty sentence")
		})
	}
}

func explained3(what string) (elasticpool.Policy, elasticpool.Input, elasticpool.Status, string) {
	p, in, s := explained()
	return p, in, s, what
}

// TestExplainDoubts: whatever is asked, the answer says that the pool holds still, and why.
func TestExplainDoubts(t *testing.T) {
	t.Parallel()
	p, in, s := explained()
	s.Decision.Frozen, s.Decision.Blind, s.Error = []string{"workers: no answer", "cloud main: seen 1h ago"}, []string{"jobs of schedd: no answer"}, "disk full"
	for _, what := range []string{"lhaaso", "atlas", "small", workingVM, "1.0", "9.9", "3.0", "6.0"} {
		lines, err := elasticpool.Explain(p, in, s, what)
		require.NoError(t, err)
		assert.Contains(t, lines, "nothing is shrunk: workers: no answer; cloud main: seen 1h ago", what)
		assert.Contains(t, lines, "nothing is grown: jobs of schedd: no answer", what)
		assert.Contains(t, lines, "the last cycle failed: disk full", what)
	}
}

// TestExplainNothing: what is not there is said to be not there, with how ids of jobs are known.
func TestExplainNothing(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"", "nobody", "7.7", "01JD", "01jd"} {
		_, err := elasticpool.Explain(explained3(what))
		require.ErrorIs(t, err, elasticpool.ErrNothingCalled, what)
		require.ErrorContains(t, err, "of jobs that wait only some of each group are known by id")
	}
	p, in, s := explained()
	s.VMs[0].ID = "01JDBBAAAAAAAAAAAAAAAAAAAA"
	lines, err := elasticpool.Explain(p, in, s, "01JDBB")
	require.NoError(t, err)
	assert.Contains(t, lines[0], "more than one VM begins with 01JDBB")
}

// TestExplainOfAController: what a real decision says of a VM, a queue and a class can be explained.
func TestExplainOfAController(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 12)}
	w.steps(6)
	w.run()
	w.step()
	status := elasticpool.Status{Now: w.now, Decision: w.last}
	for _, vm := range w.c.State().VMs {
		status.VMs = append(status.VMs, *vm)
	}
	in := w.input()
	for _, what := range []string{"lhaaso", "juno", "small", status.VMs[0].ID, status.VMs[0].Jobs[0].ID} {
		lines, err := elasticpool.Explain(w.c.Policy(), in, status, what)
		require.NoError(t, err)
		assert.Contains(t, lines[0], what)
		assert.NotContains(t, fmt.Sprint(lines), "%!")
	}
}

// TestReclaimsNameTheirQueue: an action that takes a VM back says from whom.
func TestReclaimsNameTheirQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 40), waiting("juno", 0)}
	w.steps(6)
	w.run()
	w.step()
	w.jobs[1].Idle = 40
	w.steps(8)
	taken := 0
	for _, a := range w.history {
		if a.Reclaims != "" {
			taken++
			assert.Equal(t, "lhaaso", a.Reclaims)
			assert.NotEqual(t, "lhaaso", a.Queue)
		}
	}
	assert.NotZero(t, taken)
}
