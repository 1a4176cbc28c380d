// Package pool_test runs elasticpool run, as a process with a configuration file, against a real HTCondor, whose
// workers are real ones too: the plugin of examples/localworkers starts them as a cloud starts VMs.
package pool_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/functional/internal/htcondor"
)

// host is a real HTCondor and the programs to be tested with it.
type host struct {
	*htcondor.Host

	programs string // folder of elasticpool and localworkers
}

const name = "stories"

// startHTCondor starts HTCondor and builds the programs.
func startHTCondor(t *testing.T) *host {
	t.Helper()
	h := &host{Host: htcondor.Start(t, name), programs: t.TempDir()}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", h.programs, "../../cmd/elasticpool", "../../examples/localworkers")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return h
}

// submit submits jobs as the queue's user and returns their cluster. Each job ends when its gate is opened.
func (h *host) submit(t *testing.T, queue string, count int, lines ...string) string {
	t.Helper()
	gate := h.Inside + "/gates/$(ClusterId)"
	wait := "until test -e " + gate + " -o -e " + gate + ".$(ProcId); do sleep 0.2; done"
	return h.Submit(t, queue, count, append([]string{"executable = /bin/sh", `arguments = "-c '` + wait + `'"`, "+MaxWallTimeMins = 60"}, lines...)...)
}

// open lets a job, or all jobs of a cluster, come to its end.
func (h *host) open(t *testing.T, job string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(h.Base, "gates"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(h.Base, "gates", job), nil, 0o644))
}

// job is what the schedd says of a job that is in its queue.
type job struct {
	Status int    // 1 idle, 2 running, 5 held
	Starts int    // its NumShadowStarts: NumJobStarts comes to the schedd later
	VM     string // on which it runs
}

// jobs returns the jobs of clusters that are in the queue.
func (h *host) jobs(t *testing.T, clusters ...string) map[string]job {
	t.Helper()
	return h.told(t, append([]string{"condor_q", "-allusers"}, clusters...), "RemoteHost")
}

// ended returns the jobs of a cluster that have come to their end; their VM is the last one.
func (h *host) ended(t *testing.T, cluster string) map[string]job {
	t.Helper()
	return h.told(t, []string{"condor_history", cluster}, "LastRemoteHost")
}

// told lets a tool print jobs.
func (h *host) told(t *testing.T, command []string, host string) map[string]job {
	t.Helper()
	jobs := map[string]job{}
	text := h.Tool(t, append(command, "-af:j", "JobStatus", "ifThenElse(NumShadowStarts =?= undefined, 0, NumShadowStarts)", host)...)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		require.Len(t, fields, 4, line)
		status, err := strconv.Atoi(fields[1])
		require.NoError(t, err, line)
		starts, err := strconv.Atoi(fields[2])
		require.NoError(t, err, line)
		_, worker, _ := strings.Cut(fields[3], "@")
		jobs[fields[0]] = job{Status: status, Starts: starts, VM: strings.TrimSuffix(worker, "."+name)}
	}
	return jobs
}

// ends opens the gates of a cluster and waits until its jobs are completed.
func (h *host) ends(t *testing.T, cluster string, jobs int) map[string]job {
	t.Helper()
	h.open(t, cluster)
	var ended map[string]job
	until(t, "the jobs of "+cluster+" have ended", func() bool {
		ended = h.ended(t, cluster)
		return len(ended) == jobs
	})
	for id, job := range ended {
		assert.Equal(t, 4, job.Status, "job %s was completed", id)
	}
	return ended
}

// completes is ends for jobs that were started once each.
func (h *host) completes(t *testing.T, cluster string, jobs int) map[string]job {
	t.Helper()
	ended := h.ends(t, cluster, jobs)
	for id, job := range ended {
		assert.Equal(t, 1, job.Starts, "job %s was started once", id)
	}
	return ended
}

// patience is how long something may take, on a machine with much else to do.
const patience = 3 * time.Minute

// until waits for something to become so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	htcondor.Until(t, patience, what, so)
}
