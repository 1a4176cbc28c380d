package condor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestJobsOfTheCapture reads a grouped answer of a real schedd, with requests that are expressions (trap 2) and
// attributes that are absent (trap 3).
func TestJobsOfTheCapture(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{With: []string{"-group-by"}, OutFile: "condor_q_groupby.json"},
		rule{With: []string{"ClusterId,ProcId,QDate"}, Out: `[{"ClusterId": 27, "ProcId": 2, "QDate": 1796025600}, {"ClusterId": 28, "ProcId": 0, "QDate": 1796025659}]`})
	groups, err := f.pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	const source = "central.realstack"
	capability := map[string]string{"gpus": "Capability >= 7.000000000000000E+00"}
	want := []elasticpool.JobGroup{
		{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 512}, Idle: 1, Running: 2, Jobs: []string{"27.0", "27.2"}, Oldest: time.Unix(1796025600, 0), Source: source},
		{Queue: "juno", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 2048, "gpus": 1}, Idle: 1, Jobs: []string{"28.0"}, Oldest: time.Unix(1796025659, 0), Source: source},
		{Queue: "juno", Request: elasticpool.Resources{"cpus": 2, "memory_mb": 4096}, Idle: 1, Jobs: []string{"28.1"}, Source: source},
		{Queue: "juno", Request: elasticpool.Resources{"cpus": 3, "memory_mb": 6144}, Idle: 1, Jobs: []string{"28.2"}, Source: source},
		{Queue: "lhaaso", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 1024, "fpgas": 1}, Idle: 1, Jobs: []string{"26.1"}, Source: source},
		{Queue: "lhaaso", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 1024, "gpus": 1}, Require: capability, Idle: 1, Jobs: []string{"26.0"}, Source: source},
		{Queue: "lhaaso", Request: elasticpool.Resources{"cpus": 1, "memory_mb": 1024, "gpus": 8, "fpgas": 1}, Require: capability, Idle: 1, Jobs: []string{"26.2"}, Source: source},
	}
	assert.ElementsMatch(t, mustJSON(t, want), mustJSON(t, groups))
}

func mustJSON(t *testing.T, groups []elasticpool.JobGroup) []string {
	t.Helper()
	texts := make([]string, len(groups))
	for i, group := range groups {
		text, err := json.Marshal(group)
		require.NoError(t, err)
		texts[i] = string(text)
	}
	return texts
}

// TestNoJobsAreZeroBytes: HTCondor prints nothing at all for an empty list (trap 1).
func TestNoJobsAreZeroBytes(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	groups, err := f.pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	assert.NotNil(t, f.calls(t))
	assert.Empty(t, groups)
}

// TestStatusesAndUniverses: held jobs are no demand (cluster-toolkit PR 951), suspended ones (VCondor fell over them)
// and those that copy their output back still take their slot; what never runs on a worker counts nothing.
func TestStatusesAndUniverses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		status, universe int
		want             elasticpool.JobGroup
	}{
		{name: "idle", status: 1, universe: 5, want: elasticpool.JobGroup{Idle: 2}},
		{name: "running", status: 2, universe: 5, want: elasticpool.JobGroup{Running: 2}},
		{name: "removed", status: 3, universe: 5},
		{name: "completed", status: 4, universe: 5},
		{name: "held", status: 5, universe: 5, want: elasticpool.JobGroup{Held: 2}},
		{name: "transferring output", status: 6, universe: 5, want: elasticpool.JobGroup{Running: 2}},
		{name: "suspended", status: 7, universe: 5, want: elasticpool.JobGroup{Running: 2}},
		{name: "scheduler universe", status: 1, universe: 7},
		{name: "grid universe", status: 1, universe: 9},
		{name: "local universe", status: 2, universe: 12},
		{name: "parallel universe", status: 1, universe: 11, want: elasticpool.JobGroup{Idle: 6}},
		{name: "docker and container are vanilla", status: 1, universe: 5, want: elasticpool.JobGroup{Idle: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, rule{With: []string{"-group-by"}, Out: fmt.Sprintf(
				`[{"Owner": "u", "JobCount": 2, "JobStatus": %d, "JobUniverse": %d, "MinHosts": 3}]`, test.status, test.universe)})
			groups, err := f.pool(t, func(c *Config) { c.Queue = "Owner" }).Jobs(t.Context())
			require.NoError(t, err)
			if test.want.Idle+test.want.Running+test.want.Held == 0 {
				assert.Empty(t, groups)
				return
			}
			test.want.Queue, test.want.Source, test.want.Request = "u", "central.realstack", elasticpool.Resources{"cpus": 1}
			assert.Empty(t, cmp.Diff([]elasticpool.JobGroup{test.want}, groups))
			assert.Equal(t, test.want.Idle, groups[0].Waiting())
		})
	}
}

// TestGroupByIsProbedOnce: a condor_q without -group-by is asked for every job, from then on; one whose schedd does not
// group gives ads without a count.
func TestGroupByIsProbedOnce(t *testing.T) {
	t.Parallel()
	line := `1, 1796025600, 28, 0, 5, 1, 2, 4096, 45, undefined, undefined, "group_juno", "", ""` + "\n"
	f := newFake(t,
		rule{With: []string{"-group-by"}, Err: "Error: unrecognized argument -group-by\n", Out: "Usage: condor_q [general-opts]\n", Exit: 1},
		rule{With: []string{"-factory"}},
		rule{With: []string{"-af:V,"}, Out: line + strings.Replace(line, "1, 1796025600, 28, 0", "1, 1796025500, 28, 1", 1)})
	p := f.pool(t, nil)
	for range 3 {
		groups, err := p.Jobs(t.Context())
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff([]elasticpool.JobGroup{{
			Queue: "juno", Request: elasticpool.Resources{"cpus": 2, "memory_mb": 4096, "disk_mb": 1}, Idle: 2,
			Jobs: []string{"28.0", "28.1"}, Oldest: time.Unix(1796025500, 0), Source: "central.realstack",
		}}, groups))
	}
	probes := 0
	for _, c := range f.calls(t) {
		if strings.Contains(strings.Join(c.Args, " "), "-group-by") {
			probes++
		}
	}
	assert.Equal(t, 1, probes)

	ungrouped := newFake(t, rule{With: []string{"-group-by"}, Out: `[{"AcctGroup": "a", "JobStatus": 1}, {"AcctGroup": "a", "JobStatus": 1}]`})
	groups, err := ungrouped.pool(t, nil).Jobs(t.Context())
	require.NoError(t, err)
	require.Len(t, groups, 1)
	assert.Equal(t, 2, groups[0].Idle)
}

// TestExpressionsThatOnlyHTCondorKnows: a request without a value here lets condor_q compute all of them, and not only
// in this poll: the grouped answer would be as long as the queue again.
func TestExpressionsThatOnlyHTCondorKnows(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{With: []string{"-group-by"}, Out: `[{"AcctGroup": "group_juno", "JobCount": 1, "JobStatus": 1, "RequestMemory": "\/Expr(userMap(\"sizes\", Owner))\/"}]`},
		rule{With: []string{"-factory"}},
		rule{With: []string{"-af:V,"}, Out: `1, 1796025600, 28, 0, 5, 1, 1.5, 300, undefined, error, undefined, "group_juno", "", ""` + "\n"})
	p := f.pool(t, nil)
	for range 2 {
		groups, err := p.Jobs(t.Context())
		require.NoError(t, err)
		require.Len(t, groups, 1)
		assert.Equal(t, elasticpool.Resources{"cpus": 2, "memory_mb": 300}, groups[0].Request)
		assert.Equal(t, 1, groups[0].Held, "no slot ever matches what has no value: it is no demand")
	}
	assert.Len(t, f.calls(t), 4)
}

// TestRequestsAreComputed: references to other attributes of the job come along in a grouped answer.
func TestRequestsAreComputed(t *testing.T) {
	t.Parallel()
	p := newFake(t).pool(t, func(c *Config) { c.Runtime, c.RuntimeUnit = "MaxWallTimeMins", elasticpool.Duration(time.Minute) })
	r, known, err := p.rowOf(adOf(t, `{"JobStatus": 1, "requestcpus": "\/Expr(1 + (2 % 4))\/", "RequestMemory": "\/Expr(ifthenelse(MemoryUsage isnt undefined,MemoryUsage,(ImageSize + 1023) / 1024))\/",
		"ImageSize": 4500, "RequestDisk": "\/Expr(DiskUsage)\/", "DiskUsage": 2049, "MaxWallTimeMins": 90, "RequestGPUs": 0, "RequireGPUs": "\/Expr(Capability >= 7)\/"}`))
	require.NoError(t, err)
	assert.True(t, known)
	group := p.groupOf(r, "s")
	assert.Equal(t, elasticpool.Resources{"cpus": 3, "memory_mb": 5, "disk_mb": 3}, group.Request)
	assert.Empty(t, group.Require, "a condition on no GPU is none")
	assert.Equal(t, 90*time.Minute, group.Runtime)

	for _, text := range []string{`true`, `[1]`, `"12"`, `"\/Expr(1 +)\/"`, `"\/Expr(\"a\")\/"`, `"\/Expr(1/0)\/"`, `"\/Expr(Absent)\/"`} {
		_, known, err := p.rowOf(adOf(t, `{"JobStatus": 1, "RequestCpus": `+text+`}`))
		require.NoError(t, err)
		assert.False(t, known, text)
	}
	_, known, err = p.rowOf(adOf(t, `{"JobStatus": 1, "AcctGroup": "\/Expr(strcat(\"a\", Owner))\/"}`))
	require.NoError(t, err)
	assert.False(t, known, "the queue is an expression")
}

func adOf(t testing.TB, text string) ad {
	t.Helper()
	var found ad
	require.NoError(t, eachAd(strings.NewReader("["+text+"]"), func(a ad) error {
		found = a
		return nil
	}))
	return found
}

// TestLateMaterialisation: most jobs of such a cluster are not in the queue yet (trap 7). They are looked at now and
// then, and every time as long as there are any; a factory that is paused or gone makes none.
func TestLateMaterialisation(t *testing.T) {
	t.Parallel()
	some := `0, 493, 12, undefined, undefined, undefined, 1, 256, undefined, undefined, undefined, "group_lhaaso", "", ""
1, 100, 13, undefined, undefined, undefined, 1, 256, undefined, undefined, undefined, "group_lhaaso", "", ""
0, 0, 14, undefined, undefined, undefined, 1, 256, undefined, undefined, undefined, "group_lhaaso", "", ""
`
	f := newFake(t,
		rule{With: []string{"-factory"}, Out: some, Once: true},
		rule{With: []string{"-factory"}, Out: strings.Replace(some, "493", "400", 1), Once: true},
		rule{With: []string{"-factory"}, Once: true},
		rule{With: []string{"-factory"}, Err: "Error: no", Exit: 1, Once: true},
		rule{With: []string{"-group-by"}, Out: `[{"AcctGroup": "group_lhaaso", "JobCount": 5, "JobStatus": 1, "RequestCpus": 1, "RequestMemory": 256}]`})
	p := f.pool(t, nil)
	var hidden []int
	for range 5 {
		groups, err := p.Jobs(t.Context())
		require.NoError(t, err)
		require.Len(t, groups, 1)
		hidden = append(hidden, groups[0].Hidden)
		assert.Equal(t, 5+groups[0].Hidden, groups[0].Waiting())
	}
	assert.Equal(t, []int{493, 400, 0, 0, 0}, hidden)
	_, err := p.Jobs(t.Context())
	require.ErrorIs(t, err, ErrFailed, "the sixth poll looks again, and cannot see")
}

// TestAgesAreAskedOnce: when a job was submitted does not change.
func TestAgesAreAskedOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{With: []string{"-group-by"}, Out: oneGroup},
		rule{With: []string{"ClusterId == 4 && ProcId == 0"}, Out: `[{"ClusterId": 4, "ProcId": 0, "QDate": 1796025600}]`})
	p := f.pool(t, nil)
	for range 3 {
		groups, err := p.Jobs(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Unix(1796025600, 0), groups[0].Oldest)
	}
	assert.Len(t, f.calls(t), 3+1+1)
}

// TestSources: each schedd fails on its own.
func TestSources(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{With: []string{"-name bad"}, Err: "Error: communication error", Exit: 1},
		rule{With: []string{"-name good", "-group-by"}, Out: oneGroup})
	p := f.pool(t, func(c *Config) { c.Schedds = []string{"good", "bad"} })
	sources := p.Sources()
	require.Len(t, sources, 2)
	groups, err := sources["good"].Jobs(t.Context())
	require.NoError(t, err)
	require.Len(t, groups, 1)
	assert.Equal(t, "good", groups[0].Source)
	_, err = sources["bad"].Jobs(t.Context())
	require.ErrorIs(t, err, ErrFailed)
	_, err = p.Jobs(t.Context())
	require.ErrorIs(t, err, ErrFailed)
}

// TestQueueOfRealInput: one job without RequestCpus, one that is held (real-inputs/condor/04).
func TestQueueOfRealInput(t *testing.T) {
	t.Parallel()
	var in struct {
		Jobs  []json.RawMessage `json:"jobs"`
		Right struct {
			Idle, Running, Held int
			IdleCPUs            int64 `json:"idle_cpus"`
		} `json:"right"`
	}
	readShared(t, "04-queue.json", &in)
	text, err := json.Marshal(in.Jobs)
	require.NoError(t, err)
	f := newFake(t, rule{With: []string{"-group-by"}, Out: string(text)})
	groups, err := f.pool(t, func(c *Config) { c.Queue = "Owner" }).Jobs(t.Context())
	require.NoError(t, err)
	var idle, running, held int
	var cpus int64
	for _, group := range groups {
		idle, running, held = idle+group.Idle, running+group.Running, held+group.Held
		cpus += int64(group.Waiting()) * group.Request["cpus"]
	}
	assert.Equal(t, []int{in.Right.Idle, in.Right.Running, in.Right.Held}, []int{idle, running, held})
	assert.Equal(t, in.Right.IdleCPUs, cpus)
}

// readShared reads one of the real inputs, which lie beside the project.
func readShared(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "real-inputs", "condor", name))
	if os.IsNotExist(err) {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatal("NOVACYBORG_PEERS=required: ", err)
		}
		t.Skip("no real inputs beside the project: ", err)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// TestGroupsSumUpToJobs: however jobs are split into rows, groups neither lose nor invent one, and the order of the
// rows does not matter.
func TestGroupsSumUpToJobs(t *testing.T) {
	t.Parallel()
	p, err := New(Config{Schedds: []string{"s"}})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
			amounts := make([]int64, len(p.requests))
			for i := range amounts {
				amounts[i] = rapid.Int64Range(-1, 3).Draw(t, "amount")
			}
			requires := make([]string, len(p.requests))
			requires[3] = rapid.SampledFrom([]string{"", "a", "b\x00"}).Draw(t, "require")
			return row{
				queue: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "queue"), status: rapid.Int64Range(0, 8).Draw(t, "status"),
				universe: rapid.SampledFrom([]int64{5, 7, 11}).Draw(t, "universe"), hosts: 2,
				amounts: amounts, requires: requires, runtime: rapid.Int64Range(0, 2).Draw(t, "runtime"), count: rapid.IntRange(1, 100).Draw(t, "count"),
			}
		}), 0, 60).Draw(t, "rows")
		want := map[string]int{}
		forward, backward := p.newTally("s"), p.newTally("s")
		for i, r := range rows {
			forward.add(r)
			backward.add(rows[len(rows)-1-i])
			n := r.count
			if r.universe == 11 {
				n *= 2
			}
			if r.universe != 7 {
				want[map[int64]string{1: "idle", 2: "running", 5: "held", 6: "running", 7: "running"}[r.status]] += n
			}
		}
		got := map[string]int{}
		for _, group := range forward.list() {
			got["idle"] += group.Idle
			got["running"] += group.Running
			got["held"] += group.Held
		}
		for _, kind := range []string{"idle", "running", "held"} {
			assert.Equal(t, want[kind], got[kind], kind)
		}
		assert.Empty(t, cmp.Diff(forward.list(), backward.list()))
	})
}
