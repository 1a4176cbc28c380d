package pool_test

import (
	"bytes"
	"os"
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
)

// freezesOnDoubt stops the schedd and kills the collector while VMs are idle for longer than they may: they stay until
// both are well again.
func freezesOnDoubt(t *testing.T, h *host) {
	t.Helper()
	d := h.newDaemon(t, settings{pool: "doubt", queues: queues("ihep"), max: "vms=2", classes: []map[string]any{class("cpu", 1, nil)}})
	d.start(t)
	short := h.submit(t, "juno", 2, "accounting_group = group_ihep")
	d.until(t, "the jobs run", func(s elasticpool.Status) bool { return queue(s, "ihep").Running == 2 && queue(s, "ihep").Busy == 2 })
	d.do(t, elasticpool.Command{Kind: elasticpool.CmdFreeze, Why: "nothing may leave before the schedd is away"})
	d.until(t, "it is frozen", func(s elasticpool.Status) bool { return len(s.Decision.Frozen) > 0 })
	h.completes(t, short, 2)
	h.Tool(t, "condor_off", "-fast", "-schedd", "-name", "central."+name)
	d.until(t, "the schedd does not answer", frozenBy("jobs of central."+name+":"))
	d.do(t, elasticpool.Command{Kind: elasticpool.CmdThaw})
	d.until(t, "the VMs are idle for too long", func(s elasticpool.Status) bool {
		return !frozenBy("frozen by")(s) && frozenBy("jobs of central."+name+":")(s) && idleTooLong(s) == 2
	})

	h.killCollector(t)
	d.until(t, "the collector does not answer", frozenBy("workers:"))
	d.until(t, "the new collector does not know much yet", func(s elasticpool.Status) bool {
		return frozenBy("workers: the directory is up for")(s) && idleTooLong(s) == 2
	})
	until(t, "the schedd is told to start", func() bool {
		_, err := h.Try(t.Context(), "exec.sh", "condor_on", "-schedd", "-name", "central."+name)
		return err == nil
	})
	d.leaves(t)
	assert.Len(t, d.started(t), 2+d.replaced(t))
	for _, decision := range d.decisions(t) {
		if len(decision.Frozen) == 0 {
			continue
		}
		for _, action := range decision.Actions {
			assert.NotContains(t, []elasticpool.ActionKind{elasticpool.ActDrain, elasticpool.ActDelete, elasticpool.ActStop, elasticpool.ActFree},
				action.Kind, "frozen because of %s", decision.Frozen)
		}
	}
}

// frozenBy tells whether a reason to do nothing begins so.
func frozenBy(prefix string) func(elasticpool.Status) bool {
	return func(s elasticpool.Status) bool {
		return slices.ContainsFunc(s.Decision.Frozen, func(reason string) bool { return strings.HasPrefix(reason, prefix) })
	}
}

// idleTooLong counts VMs that would leave if all were well.
func idleTooLong(s elasticpool.Status) int {
	return count(s, func(vm elasticpool.VM) bool {
		return vm.State == elasticpool.Joined && !vm.IdleSince.IsZero() && s.Decision.At.Sub(vm.IdleSince) > 4*time.Second
	})
}

// killCollector kills this HTCondor's collector; its master will start another one.
func (h *host) killCollector(t *testing.T) {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	require.NoError(t, err)
	killed := 0
	for _, path := range names {
		comm, _ := os.ReadFile(path)
		environ, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if strings.HasPrefix(string(comm), "condor_collect") && bytes.Contains(environ, []byte("="+h.Inside+"/central/config\x00")) {
			process, err := os.FindProcess(pidOf(t, path))
			require.NoError(t, err)
			require.NoError(t, process.Signal(syscall.SIGKILL))
			killed++
		}
	}
	require.Positive(t, killed, "with those that it has forked to answer")
}

func pidOf(t *testing.T, path string) int {
	t.Helper()
	pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
	require.NoError(t, err)
	return pid
}
