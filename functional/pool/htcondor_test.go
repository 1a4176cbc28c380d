// Package pool_test runs elasticpool run, as a process with a configuration file, against a real HTCondor, whose
// workers are real ones too: the plugin of examples/localworkers starts them as a cloud starts VMs.
package pool_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// htcondor is a central manager and a schedd that functional/condor/up.sh started, and the programs to be tested with them.
type htcondor struct {
	scripts  string   // folder of up.sh, down.sh and exec.sh
	settings []string // their environment variables
	base     string   // folder of this HTCondor, seen from outside the chroot
	inside   string   // the same folder, seen from inside
	programs string   // folder of elasticpool and localworkers
}

const name = "stories"

// startHTCondor starts HTCondor out of the chroot that NOVACYBORG_CONDOR names, without it the one in the user's cache.
// Where there is none, or without root, the test is skipped: .ci/htcondor.sh makes it and lets nothing be skipped.
func startHTCondor(t *testing.T) *htcondor {
	t.Helper()
	dir := chroot(t)
	alone(t, filepath.Join(dir, name+".lock"))
	scripts, err := filepath.Abs("../condor")
	require.NoError(t, err)
	h := &htcondor{
		scripts: scripts, inside: "/var/lib/elasticpool/" + name, programs: t.TempDir(),
		settings: []string{
			"NOVACYBORG_CONDOR=" + dir, "CONDOR_POOL=" + name, "CONDOR_PORT=" + freePort(t), "CONDOR_QUEUES=juno lhaaso cepc besiii hxmt",
		},
	}
	h.script(t, "down.sh") // of a run that was cut off
	t.Cleanup(func() { h.scriptContext(context.WithoutCancel(t.Context()), t, "down.sh") })
	h.script(t, "up.sh")
	roots, err := filepath.Glob(filepath.Join(dir, "*", h.inside))
	require.NoError(t, err)
	require.Len(t, roots, 1)
	h.base = roots[0]
	build := exec.CommandContext(t.Context(), "go", "build", "-o", h.programs, "../../cmd/elasticpool", "../../examples/localworkers")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return h
}

// chroot returns the folder with the chroot that bootstrap.sh made.
func chroot(t *testing.T) string {
	t.Helper()
	named, peers := os.Getenv("NOVACYBORG_CONDOR"), os.Getenv("NOVACYBORG_PEERS")
	missing := func(why string) {
		t.Helper()
		if named != "" || peers == "required" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	if peers == "none" || named == "none" {
		t.Skip("HTCondor is left alone, by NOVACYBORG_PEERS or NOVACYBORG_CONDOR")
	}
	if os.Getuid() != 0 {
		missing("a chroot with HTCondor needs root")
	}
	dir := named
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "novacyborg", "condor")
	}
	if masters, _ := filepath.Glob(filepath.Join(dir, "*", "usr", "sbin", "condor_master")); len(masters) == 0 {
		missing("no HTCondor in " + dir + ": functional/condor/bootstrap.sh puts it there")
	}
	return dir
}

// alone waits until no other test process has this HTCondor.
func alone(t *testing.T, path string) {
	t.Helper()
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, lock.Close()) })
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

func (h *htcondor) script(t *testing.T, script string, args ...string) string {
	t.Helper()
	return h.scriptContext(t.Context(), t, script, args...)
}

func (h *htcondor) scriptContext(ctx context.Context, t *testing.T, script string, args ...string) string {
	t.Helper()
	out, err := h.try(ctx, script, args...)
	require.NoError(t, err, "%s %s: %s", script, args, out)
	return out
}

// try runs a script, and returns with an error all that it printed.
func (h *htcondor) try(ctx context.Context, script string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", append([]string{filepath.Join(h.scripts, script)}, args...)...)
	cmd.Env = append(os.Environ(), h.settings...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String() + errs.String(), err
	}
	return strings.TrimSpace(out.String()), nil
}

// tool runs one of HTCondor's tools as the administrator.
func (h *htcondor) tool(t *testing.T, args ...string) string {
	t.Helper()
	return h.script(t, "exec.sh", args...)
}

// submit submits jobs as the queue's user and returns their cluster. Each job ends when its gate is opened.
func (h *htcondor) submit(t *testing.T, queue string, count int, lines ...string) string {
	t.Helper()
	wait := "until test -e " + h.inside + "/gates/$(ClusterId) -o -e " + h.inside + "/gates/$(ClusterId).$(ProcId); do sleep 0.2; done"
	description := append([]string{
		"executable = /bin/sh", `arguments = "-c '` + wait + `'"`, "request_memory = 64", "request_disk = 1024", "+MaxWallTimeMins = 60",
		"accounting_group = group_" + queue, "accounting_group_user = " + queue,
	}, lines...)
	description = append(description, "queue "+strconv.Itoa(count), "")
	args := append([]string{"-u", queue, "/bin/sh", "-c", `printf '%s\n' "$@" | condor_submit -terse -`, "sh"}, description...)
	first, _, _ := strings.Cut(h.tool(t, args...), ".")
	require.NotEmpty(t, first)
	return first
}

// open lets a job, or all jobs of a cluster, come to its end.
func (h *htcondor) open(t *testing.T, job string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(h.base, "gates"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(h.base, "gates", job), nil, 0o644))
}

// job is what the schedd says of a job that is in its queue.
type job struct {
	Status int    // 1 idle, 2 running, 5 held
	Starts int    // its NumShadowStarts: NumJobStarts comes to the schedd later
	VM     string // on which it runs
}

// jobs returns the jobs of clusters that are in the queue.
func (h *htcondor) jobs(t *testing.T, clusters ...string) map[string]job {
	t.Helper()
	return h.told(t, append([]string{"condor_q", "-allusers"}, clusters...), "RemoteHost")
}

// ended returns the jobs of a cluster that have come to their end; their VM is the last one.
func (h *htcondor) ended(t *testing.T, cluster string) map[string]job {
	t.Helper()
	return h.told(t, []string{"condor_history", cluster}, "LastRemoteHost")
}

// told lets a tool print jobs.
func (h *htcondor) told(t *testing.T, command []string, host string) map[string]job {
	t.Helper()
	jobs := map[string]job{}
	text := h.tool(t, append(command, "-af:j", "JobStatus", "ifThenElse(NumShadowStarts =?= undefined, 0, NumShadowStarts)", host)...)
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
func (h *htcondor) ends(t *testing.T, cluster string, jobs int) map[string]job {
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
func (h *htcondor) completes(t *testing.T, cluster string, jobs int) map[string]job {
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
	for limit := time.Now().Add(patience); !so(); time.Sleep(200 * time.Millisecond) {
		require.True(t, time.Now().Before(limit), "not in time: %s", what)
	}
}
