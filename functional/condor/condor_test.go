package condor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/functional/internal/htcondor"
)

// TestHTCondor checks package condor against a real HTCondor: a central manager, a schedd, and workers that are real
// masters and startds on loopback.
func TestHTCondor(t *testing.T) {
	p := startPool(t)
	t.Run("together", func(t *testing.T) {
		t.Run("jobs are counted", func(t *testing.T) { t.Parallel(); countsJobs(t, p) })
		t.Run("a worker's life", func(t *testing.T) { t.Parallel(); joinsDrainsCancels(t, p) })
		t.Run("a busy worker gets another queue", func(t *testing.T) { t.Parallel(); rebinds(t, p) })
		t.Run("accelerators", func(t *testing.T) { t.Parallel(); seesAccelerators(t, p) })
		t.Run("a lost worker", func(t *testing.T) { t.Parallel(); freesLost(t, p) })
	})
	t.Run("the collector restarts", func(t *testing.T) { restartsCollector(t, p) }) //nolint:paralleltest // nobody else may need it
	t.Run("the schedd stops", func(t *testing.T) { stopsSchedd(t, p) })             //nolint:paralleltest // nobody else may need it
}

// countsJobs counts jobs of every kind, by groups that the schedd makes and by all jobs one by one.
func countsJobs(t *testing.T, p realPool) {
	t.Helper()
	const queue = "juno"
	never := "requirements = false"
	p.submit(t, queue, 3, never, "+MaxWallTimeMins = 90")
	p.submit(t, queue, 2, "hold = true")
	p.submit(t, queue, 1, never, "request_gpus = 2", `require_gpus = Capability >= 7.0 && DeviceName != "a, \"b\""`)
	p.submit(t, queue, 4, never, "request_fpga = 1", "request_cpus = 1 + ($(ProcId) % 2)", "request_memory = 100 + RequestCpus")
	p.submit(t, queue, 20, never, "max_idle = 2", "request_cpus = 3")
	p.submit(t, queue, 1, "universe = local", "hold = true")

	want := []elasticpool.JobGroup{
		{Request: elasticpool.Resources{"cpus": 1, "memory_mb": 64, "disk_mb": 1}, Idle: 3, Runtime: 90 * time.Minute},
		{Request: elasticpool.Resources{"cpus": 1, "memory_mb": 64, "disk_mb": 1}, Held: 2},
		{
			Request: elasticpool.Resources{"cpus": 1, "memory_mb": 64, "disk_mb": 1, "gpus": 2}, Idle: 1,
			Require: map[string]string{"gpus": `Capability >= 7.000000000000000E+00 && DeviceName != "a, \"b\""`},
		},
		{Request: elasticpool.Resources{"cpus": 1, "memory_mb": 101, "disk_mb": 1, "fpgas": 1}, Idle: 2},
		{Request: elasticpool.Resources{"cpus": 2, "memory_mb": 102, "disk_mb": 1, "fpgas": 1}, Idle: 2},
		{Request: elasticpool.Resources{"cpus": 3, "memory_mb": 64, "disk_mb": 1}, Idle: 2, Hidden: 18},
	}
	without := filepath.Join(t.TempDir(), "without.sh") // a condor_q that does not know -group-by
	here, err := filepath.Abs("exec.sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(without, []byte(`case " $* " in *" -group-by "*) echo "Error: unrecognized argument -group-by" >&2; exit 1;; esac
exec bash `+here+` "$@"
`), 0o600))
	for name, client := range map[string]*condor.Pool{"grouped": p.Pool, "one by one": p.client(t, without)} {
		var got []elasticpool.JobGroup
		until(t, "late materialisation has begun, "+name, func() bool {
			all, err := client.Jobs(t.Context())
			require.NoError(t, err)
			got = nil
			idle := 0
			for _, group := range all {
				if group.Queue != queue {
					continue
				}
				if group.Idle > 0 {
					assert.WithinDuration(t, time.Now(), group.Oldest, time.Minute)
				}
				assert.Equal(t, "central."+poolName, group.Source)
				assert.Equal(t, group.Idle == 0 && group.Running == 0 && group.Held == 0, len(group.Jobs) == 0)
				group.Queue, group.Source, group.Jobs, group.Oldest = "", "", nil, time.Time{}
				got = append(got, group)
				idle += group.Idle
			}
			return idle == 10
		})
		less := cmpopts.SortSlices(func(a, b elasticpool.JobGroup) bool {
			return a.Request["cpus"]*1000+a.Request["memory_mb"]+int64(a.Held)*300+a.Request["gpus"]*100 <
				b.Request["cpus"]*1000+b.Request["memory_mb"]+int64(b.Held)*300+b.Request["gpus"]*100
		})
		assert.Empty(t, cmp.Diff(want, got, less), name)
	}
}

// joinsDrainsCancels takes a worker through its life: warm, joined, busy, draining, back, idle, warm, joined again.
func joinsDrainsCancels(t *testing.T, p realPool) {
	t.Helper()
	const queue, vm = "lhaaso", "life"
	w := p.vm(t, vm, []int{2, 2048})
	require.Equal(t, vm+"."+poolName, w.Name)
	cluster := p.submit(t, queue, 1)

	require.NoError(t, p.Join(t.Context(), w, queue))
	p.runs(t, vm, cluster)
	w = p.worker(t, vm)
	assert.True(t, w.Joined)
	assert.False(t, w.Draining)
	assert.Equal(t, queue, w.Queue)
	assert.True(t, w.IdleSince.IsZero())
	assert.WithinDuration(t, time.Now(), w.Heard, 20*time.Second)
	assert.Equal(t, int64(2), w.Total["cpus"])
	assert.Equal(t, int64(2048), w.Total["memory_mb"])
	assert.Equal(t, int64(1), w.Free["cpus"])
	require.Len(t, w.Jobs, 1)
	assert.Equal(t, queue, w.Jobs[0].Queue)
	assert.Equal(t, "central."+poolName, w.Jobs[0].Source)
	assert.WithinDuration(t, time.Now(), w.Jobs[0].Since, 30*time.Second)

	require.ErrorIs(t, p.Drain(t.Context(), w, true), elasticpool.ErrBusy)
	assert.False(t, p.worker(t, vm).Draining)

	require.NoError(t, p.Drain(t.Context(), w, false))
	until(t, "it drains", func() bool { return p.worker(t, vm).Draining })
	assert.Len(t, p.worker(t, vm).Jobs, 1)
	assert.Empty(t, p.worker(t, vm).Free)
	require.NoError(t, p.Drain(t.Context(), w, false), "it drains already")

	require.NoError(t, p.CancelDrain(t.Context(), w))
	until(t, "it serves again", func() bool { return !p.worker(t, vm).Draining })
	assert.Equal(t, "1 2", p.tool(t, "condor_q", "-allusers", cluster, "-af", "NumShadowStarts", "JobStatus"), "its job has run all the time")

	p.tool(t, "condor_rm", cluster)
	until(t, "it is idle", func() bool { return !p.worker(t, vm).IdleSince.IsZero() })
	assert.WithinDuration(t, time.Now(), p.worker(t, vm).IdleSince, 20*time.Second)
	require.NoError(t, p.Drain(t.Context(), w, true))
	until(t, "it is warm again", func() bool { return !p.worker(t, vm).Joined })
	require.ErrorIs(t, p.CancelDrain(t.Context(), w), elasticpool.ErrNoWorker)

	require.NoError(t, p.Join(t.Context(), w, "cepc"))
	until(t, "it serves another queue", func() bool { w := p.worker(t, vm); return w.Joined && w.Queue == "cepc" })
	require.NoError(t, p.Join(t.Context(), w, "cepc"), "once more")
}

// rebinds gives a busy worker to another queue: its job stays, its next job is of the new queue although the old one
// has more.
func rebinds(t *testing.T, p realPool) {
	t.Helper()
	const vm = "rebound"
	w := p.vm(t, vm, []int{1, 512})
	old := p.submit(t, "besiii", 3)
	require.NoError(t, p.Join(t.Context(), w, "besiii"))
	first := p.runs(t, vm, old)

	require.NoError(t, p.Bind(t.Context(), w, "hxmt"))
	until(t, "the new queue is seen", func() bool { return p.worker(t, vm).Queue == "hxmt" })
	assert.Equal(t, first, p.runs(t, vm, old), "the job stays")
	next := p.submit(t, "hxmt", 1)
	p.tool(t, "condor_rm", first)
	p.runs(t, vm, next)
	// The schedd tries its next job on the slot that it still holds, and the worker refuses it.
	assert.Equal(t, "0 0", strings.Join(strings.Fields(p.tool(t, "condor_q", "-allusers", old, "-af", "ifThenElse(NumJobStarts =?= undefined, 0, NumJobStarts)")), " "),
		"no other job of the old queue has begun")
	p.tool(t, "condor_rm", old, next)
}

// seesAccelerators has a worker with GPUs and an FPGA, whose jobs get no time to end when it drains.
func seesAccelerators(t *testing.T, p realPool) {
	t.Helper()
	const queue, vm = "cepc", "gpus"
	w := p.vm(t, vm, []int{2, 2048, 2, 1}, "WORKER_GPU_CAPABILITY=8.0", "WORKER_EXTRA=MAXJOBRETIREMENTTIME = 0")
	require.NoError(t, p.Join(t.Context(), w, queue))
	cluster := p.submit(t, queue, 1, "request_gpus = 1", "require_gpus = Capability >= 7.0", "request_fpga = 1")
	p.runs(t, vm, cluster)
	w = p.worker(t, vm)
	assert.Equal(t, int64(2), w.Total["gpus"])
	assert.Equal(t, int64(1), w.Total["fpgas"])
	assert.Equal(t, int64(1), w.Free["gpus"])
	assert.NotContains(t, w.Free, "fpgas")

	require.ErrorIs(t, p.Drain(t.Context(), w, false), condor.ErrEvicts)
	require.ErrorIs(t, p.Drain(t.Context(), w, true), elasticpool.ErrBusy)
	assert.Equal(t, "1 2", p.tool(t, "condor_q", "-allusers", cluster, "-af", "NumShadowStarts", "JobStatus"))
	p.tool(t, "condor_rm", cluster)
}

// freesLost has a worker go away with a job on it, while another worker runs a job of the same queue. The job starts anew
// on a third worker, long before its lease of 40 minutes is over, because this schedd ends shadows that sleep.
func freesLost(t *testing.T, p realPool) {
	t.Helper()
	const queue = "hxmt-lost"
	lost, other := p.vm(t, "lost", []int{1, 512}), p.vm(t, "lost-not", []int{1, 512})
	cluster := p.submit(t, "lhaaso", 2, "accounting_group = group_"+queue)
	require.NoError(t, p.Join(t.Context(), lost, queue))
	require.NoError(t, p.Join(t.Context(), other, queue))
	gone, stays := p.runs(t, "lost", cluster), p.runs(t, "lost-not", cluster)
	assert.Equal(t, "2400", p.tool(t, "condor_q", "-allusers", gone, "-af", "JobLeaseDuration"))
	lost = p.worker(t, "lost")
	p.host.Script(t, "down.sh", "lost")

	require.NoError(t, p.Free(t.Context(), lost))
	_, there := p.find(t, "lost")
	assert.False(t, there, "the collector has forgotten it")
	require.NoError(t, p.Free(t.Context(), lost), "once more")
	require.NoError(t, p.Free(t.Context(), elasticpool.Worker{VM: "never", Name: "never." + poolName}))

	require.NoError(t, p.Join(t.Context(), p.vm(t, "lost-anew", []int{1, 512}), queue))
	freed := time.Now()
	htcondor.Until(t, 3*time.Minute, "its job starts anew", func() bool {
		jobs := p.worker(t, "lost-anew").Jobs
		return len(jobs) == 1 && jobs[0].ID == gone
	})
	t.Logf("the job started anew %s after it was freed", time.Since(freed).Round(time.Second))
	assert.Equal(t, "2 1", p.tool(t, "condor_q", "-allusers", stays, "-af", "JobStatus", "NumShadowStarts"), "the other job runs on")
	p.tool(t, "condor_rm", cluster)
}

// restartsCollector lets the collector forget all workers: what it then says must not look like the truth.
func restartsCollector(t *testing.T, p realPool) {
	t.Helper()
	before, err := p.Workers(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, before.List)
	assert.Equal(t, 2*time.Second, before.Interval)
	begin := time.Now()
	p.tool(t, "condor_restart", "-collector", "-name", "central."+poolName)
	until(t, "the new collector answers", func() bool {
		workers, err := p.Workers(t.Context())
		if err != nil { // it is away for a moment, and then does not know itself yet
			require.True(t, errors.Is(err, condor.ErrFailed) || errors.Is(err, condor.ErrOutput), "%v", err)
			return false
		}
		if len(workers.List) < len(before.List) {
			assert.Positive(t, workers.Since)
			assert.LessOrEqual(t, workers.Since, time.Since(begin)+2*time.Second, "it is a young one")
		}
		return workers.Since <= time.Since(begin)+2*time.Second
	})
}

// stopsSchedd stops the schedd: that is an error, and not an empty queue.
func stopsSchedd(t *testing.T, p realPool) {
	t.Helper()
	until(t, "the master is known again", func() bool {
		return p.tool(t, "condor_status", "-master", "-af", "Name", "-constraint", `Name == "central.`+poolName+`"`) != ""
	})
	p.tool(t, "condor_off", "-fast", "-schedd", "-name", "central."+poolName)
	until(t, "the schedd is away", func() bool {
		groups, err := p.Jobs(t.Context())
		if err == nil {
			require.NotEmpty(t, groups)
			return false
		}
		require.ErrorIs(t, err, condor.ErrFailed)
		return true
	})
}
