package pool_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// reclaimsAndLoses has a queue give a VM to another one while its job runs on, and then that VM lost.
func reclaimsAndLoses(t *testing.T, h *htcondor) {
	t.Helper()
	d := h.newDaemon(t, settings{pool: "reclaim", queues: queues("besiii", "hxmt"), max: "vms=2", classes: []map[string]any{class("cpu", 1, nil)}})
	d.start(t)
	first := h.submit(t, "besiii", 4)
	d.until(t, "one queue has all VMs", func(s elasticpool.Status) bool {
		return queue(s, "besiii").Running == 2 && queue(s, "besiii").Busy == 2
	})

	second := h.submit(t, "hxmt", 1, "job_lease_duration = 40")
	vm := d.one(t, "a busy VM goes to the other queue", func(vm elasticpool.VM) bool {
		return vm.Queue == "hxmt" && vm.Was == "" && vm.State == elasticpool.Joined && len(vm.Jobs) == 1
	})
	old := vm.Jobs[0]
	require.Equal(t, "besiii", old.Queue)
	assert.Equal(t, job{Status: 2, Starts: 1, VM: vm.ID}, h.jobs(t, first)[old.ID], "its job runs on")
	until(t, "the worker serves the other queue", func() bool {
		return h.tool(t, "condor_status", "-af", "ElasticQueue", "-constraint", `SlotType == "Partitionable" && ElasticVM == "`+vm.ID+`"`) == "group_hxmt"
	})
	h.open(t, old.ID)
	until(t, "the other queue's job runs on it", func() bool { return h.jobs(t, second)[second+".0"] == job{Status: 2, Starts: 1, VM: vm.ID} })
	assert.Equal(t, job{Status: 4, Starts: 1, VM: vm.ID}, h.ended(t, first)[old.ID], "the old job has come to its end")

	loses(t, d, h, vm.ID, first, second)
	h.open(t, second)
	until(t, "the job that was lost has ended", func() bool { return h.ended(t, second)[second+".0"].Status == 4 })
	h.completes(t, first, 4)
	d.leaves(t)
	assert.LessOrEqual(t, len(d.started(t)), 4+d.replaced(t), "no more VMs than needed")
}

// loses has the cloud lose a VM with its worker: the job waits again at once, and runs elsewhere as soon as its lease is
// over. HTCondor's shadow sleeps until then, whether the job is held, released or vacated meanwhile, and the schedd starts
// no other one: without a lease of its own the job would wait for 40 minutes. The other VM's job is not touched.
func loses(t *testing.T, d *daemon, h *htcondor, vm, others, cluster string) {
	t.Helper()
	var stays string
	for id, job := range h.jobs(t, others) {
		if job.Status == 2 {
			stays = id
		}
	}
	require.NotEmpty(t, stays)
	before := h.jobs(t, others)[stays]
	require.NoError(t, os.WriteFile(d.file("faults"), []byte(`[{"method": "servers", "do": "vanish", "vm": "`+vm+`", "times": 1}]`), 0o600))
	d.until(t, "the VM is given up", func(s elasticpool.Status) bool {
		return count(s, func(other elasticpool.VM) bool { return other.ID == vm }) == 0
	})
	until(t, "its job runs on another one", func() bool {
		now := h.jobs(t, cluster)[cluster+".0"]
		return now.Status == 2 && now.Starts == 2 && now.VM != vm
	})
	assert.Equal(t, before, h.jobs(t, others)[stays], "the other job has run all the time")
}
