package pool_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// diesAtEachState kills the daemon whenever a VM has come to its next state, and starts it again: nothing is doubled,
// leaked or disturbed.
func diesAtEachState(t *testing.T, h *host) {
	t.Helper()
	cpu := class("cpu", 1, nil)
	cpu["buffer"] = map[string]any{"min": 1, "max": 1}
	s := settings{pool: "die", queues: queues("dayabay"), max: "vms=8", classes: []map[string]any{cpu}, delay: 2 * time.Second}
	d := h.newDaemon(t, s)
	dies := func(states ...elasticpool.VMState) {
		t.Helper()
		for _, state := range states {
			d.one(t, "a VM is "+string(state), func(vm elasticpool.VM) bool { return vm.State == state })
			d.restart(t)
		}
	}
	d.start(t)
	dies(elasticpool.Requested, elasticpool.Building, elasticpool.Warm)
	assert.Len(t, d.started(t), 1, "one VM for the buffer")

	long := h.submit(t, "juno", 1, "accounting_group = group_dayabay")
	dies(elasticpool.Joining, elasticpool.Joined)
	vm := d.one(t, "the job runs", func(vm elasticpool.VM) bool { return len(vm.Jobs) == 1 }).ID
	running := job{Status: 2, Starts: 1, VM: vm}
	require.Equal(t, running, h.jobs(t, long)[long+".0"])

	d.do(t, elasticpool.Command{Kind: elasticpool.CmdDrain, VM: vm})
	d.one(t, "the VM with the job drains", func(one elasticpool.VM) bool { return one.ID == vm && one.State == elasticpool.Draining })
	d.restart(t)
	d.one(t, "it still drains", func(one elasticpool.VM) bool { return one.ID == vm && one.State == elasticpool.Draining })
	assert.Equal(t, running, h.jobs(t, long)[long+".0"], "its job has run all the time")
	h.completes(t, long, 1)
	dies(elasticpool.Deleting)
	settles(t, d)
	assert.NotContains(t, d.servers(t), vm)
	adopts(t, d, h, s)
}

// settles waits until only the buffer is left, and checks that there is no other server, and that none was started twice.
func settles(t *testing.T, d *daemon) {
	t.Helper()
	left := d.until(t, "only the buffer is left", func(s elasticpool.Status) bool { return len(s.VMs) == 1 && s.VMs[0].State == elasticpool.Warm })
	assert.Equal(t, []string{left.VMs[0].ID}, d.servers(t))
	started := d.started(t)
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(started))), len(started), "each VM was started once: %s", started)
	assert.LessOrEqual(t, len(started), 4, "the job's, the buffer's, and those that replaced them")
}

// adopts ends the daemon as an operator does, which leaves its VMs alone, and starts one that knows nothing of them.
func adopts(t *testing.T, d *daemon, h *host, s settings) {
	t.Helper()
	long := h.submit(t, "juno", 1, "accounting_group = group_dayabay")
	both := d.until(t, "the job runs, and a VM is in the buffer", oneWorksOneWaits)
	running := h.jobs(t, long)
	d.stop(t)
	servers := d.servers(t)
	require.Len(t, servers, len(both.VMs))
	require.Equal(t, running, h.jobs(t, long), "its worker runs on")

	d.configure(t, s, "new")
	d.start(t)
	for _, vm := range d.until(t, "both VMs are known", oneWorksOneWaits).VMs {
		assert.Contains(t, servers, vm.ID)
	}
	assert.Equal(t, running, h.jobs(t, long))
	h.completes(t, long, 1)
	settles(t, d)
}

func oneWorksOneWaits(s elasticpool.Status) bool {
	return count(s, func(vm elasticpool.VM) bool { return vm.State == elasticpool.Warm }) == 1 &&
		count(s, func(vm elasticpool.VM) bool {
			return vm.State == elasticpool.Joined && len(vm.Jobs) == 1 && vm.Queue == "dayabay"
		}) == 1
}
