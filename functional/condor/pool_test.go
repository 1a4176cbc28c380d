package condor_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/condor"
	"github.com/novacyborg/novacyborg/functional/internal/htcondor"
)

// realPool is a real HTCondor pool and the client that is tested with it.
type realPool struct {
	*condor.Pool

	host *htcondor.Host
}

const poolName = "functional"

// startPool starts a pool whose schedd ends shadows that sleep.
func startPool(t *testing.T) realPool {
	t.Helper()
	p := realPool{host: htcondor.Start(t, poolName, "CENTRAL_EXTRA=SHADOW_NOT_RESPONDING_TIMEOUT = 60")}
	p.Pool = p.client(t, "exec.sh")
	return p
}

// client returns a client whose tools run by a script.
func (p realPool) client(t *testing.T, script string) *condor.Pool {
	t.Helper()
	path, err := filepath.Abs(script)
	require.NoError(t, err)
	client, err := condor.New(condor.Config{
		Command: append([]string{"/usr/bin/env"}, append(slices.Clone(p.host.Settings), "bash", path)...),
		Schedds: []string{"central." + poolName}, Pool: poolName, Prefix: "group_",
		Runtime: "MaxWallTimeMins", RuntimeUnit: elasticpool.Duration(time.Minute),
		Interval: elasticpool.Duration(2 * time.Second), FactoryEvery: 1,
	})
	require.NoError(t, err)
	return client
}

// tool runs one of HTCondor's tools as the administrator.
func (p realPool) tool(t *testing.T, args ...string) string {
	t.Helper()
	return p.host.Tool(t, args...)
}

// submit submits jobs that take ten minutes as the queue's user and returns their cluster.
func (p realPool) submit(t *testing.T, queue string, count int, lines ...string) string {
	t.Helper()
	return p.host.Submit(t, queue, count, append([]string{"executable = /bin/sleep", "arguments = 600"}, lines...)...)
}

// vm starts a stand-in for a VM with warm worker. env are settings of up.sh.
func (p realPool) vm(t *testing.T, name string, size []int, env ...string) elasticpool.Worker {
	t.Helper()
	args := []string{"worker", name}
	for _, n := range size {
		args = append(args, strconv.Itoa(n))
	}
	p.host.With(env...).Script(t, "up.sh", args...)
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
	htcondor.Until(t, 90*time.Second, what, so)
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
