package condor_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
)

// realPool is a real HTCondor pool that up.sh started, in a chroot that bootstrap.sh made.
type realPool struct {
	*condor.Pool

	env []string // of the scripts
}

const poolName = "functional"

// startPool starts a pool. NOVACYBORG_CONDOR names the chroot's folder; without it the one in the user's cache is taken; none
// leaves HTCondor alone.
// Where there is none, or without root, the test is skipped: .ci/htcondor.sh makes it and lets nothing be skipped.
func startPool(t *testing.T) realPool {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a chroot with HTCondor needs root")
	}
	dir := os.Getenv("NOVACYBORG_CONDOR")
	if dir == "none" {
		t.Skip("NOVACYBORG_CONDOR=none: HTCondor has a stage of its own")
	}
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "novacyborg", "condor")
		if os.Getenv("NOVACYBORG_PEERS") == "none" {
			t.Skip("NOVACYBORG_PEERS=none")
		}
	}
	if masters, _ := filepath.Glob(filepath.Join(dir, "*", "usr", "sbin", "condor_master")); len(masters) == 0 {
		if os.Getenv("NOVACYBORG_CONDOR") != "" {
			t.Fatalf("NOVACYBORG_CONDOR: no HTCondor in %s", dir)
		}
		t.Skipf("no HTCondor in %s: functional/condor/bootstrap.sh puts it there", dir)
	}
	alone(t, filepath.Join(dir, poolName+".lock"))

	p := realPool{env: append(os.Environ(),
		"NOVACYBORG_CONDOR="+dir, "CONDOR_POOL="+poolName, "CONDOR_PORT="+freePort(t), "CONDOR_QUEUES=juno lhaaso cepc besiii hxmt")}
	p.script(t, "down.sh") // of a run that was cut off
	t.Cleanup(func() { p.scriptContext(context.WithoutCancel(t.Context()), t, "down.sh") })
	p.script(t, "up.sh")
	p.Pool = p.client(t, "exec.sh")
	return p
}

// alone waits until no other test process has the pool.
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

// client returns a client whose tools run by a script.
func (p realPool) client(t *testing.T, script string) *condor.Pool {
	t.Helper()
	path, err := filepath.Abs(script)
	require.NoError(t, err)
	client, err := condor.New(condor.Config{
		Command: append([]string{"/usr/bin/env"}, append(p.env[len(p.env)-4:], "bash", path)...),
		Schedds: []string{"central." + poolName}, Pool: poolName, Prefix: "group_",
		Runtime: "MaxWallTimeMins", RuntimeUnit: elasticpool.Duration(time.Minute),
		Interval: elasticpool.Duration(2 * time.Second), FactoryEvery: 1,
	})
	require.NoError(t, err)
	return client
}

func (p realPool) script(t *testing.T, name string, args ...string) string {
	t.Helper()
	return p.scriptContext(t.Context(), t, name, args...)
}

func (p realPool) scriptContext(ctx context.Context, t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, "bash", append([]string{name}, args...)...)
	cmd.Env = p.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s: %s%s", name, args, out, stderr.String())
	return string(out)
}

// tool runs one of HTCondor's tools as the administrator.
func (p realPool) tool(t *testing.T, args ...string) string {
	t.Helper()
	return strings.TrimSpace(p.script(t, "exec.sh", args...))
}

// submit submits jobs as the queue's user and returns their cluster.
func (p realPool) submit(t *testing.T, queue string, count int, lines ...string) string {
	t.Helper()
	description := append([]string{
		"executable = /bin/sleep", "arguments = 600", "request_memory = 64", "request_disk = 1024",
		"accounting_group = group_" + queue, "accounting_group_user = " + queue,
	}, lines...)
	description = append(description, "queue "+strconv.Itoa(count), "")
	args := append([]string{"-u", queue, "/bin/sh", "-c", `printf '%s\n' "$@" | condor_submit -terse -`, "sh"}, description...)
	first, _, _ := strings.Cut(p.tool(t, args...), ".")
	return first
}

// vm starts a stand-in for a VM with warm worker. env are settings of up.sh.
func (p realPool) vm(t *testing.T, name string, size []int, env ...string) elasticpool.Worker {
	t.Helper()
	args := []string{"worker", name}
	for _, n := range size {
		args = append(args, strconv.Itoa(n))
	}
	warm := realPool{env: append(slices.Clip(p.env), env...)}
	warm.script(t, "up.sh", args...)
	w := p.worker(t, name)
	require.False(t, w.Joined)
	return w
}

// worker returns the worker on a VM.
func (p realPool) worker(t *testing.T, vm string) elasticpool.Worker {
	t.Helper()
	w, ok := p.find(t, vm)
	require.True(t, ok, "no worker %s", vm)
	return w
}

func (p realPool) find(t *testing.T, vm string) (elasticpool.Worker, bool) {
	t.Helper()
	workers, err := p.Workers(t.Context())
	require.NoError(t, err)
	for _, w := range workers.List {
		if w.VM == vm {
			return w, true
		}
	}
	return elasticpool.Worker{}, false
}

// until waits for something to become so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(90 * time.Second); !so(); {
		require.True(t, time.Now().Before(limit), "not in time: %s", what)
		time.Sleep(200 * time.Millisecond)
	}
}

// runs waits until a worker runs a job, and returns the job's id.
func (p realPool) runs(t *testing.T, vm, cluster string) string {
	t.Helper()
	var id string
	until(t, fmt.Sprintf("%s runs a job of %s", vm, cluster), func() bool {
		for _, job := range p.worker(t, vm).Jobs {
			if strings.HasPrefix(job.ID, cluster+".") {
				id = job.ID
			}
		}
		return id != ""
	})
	return id
}
