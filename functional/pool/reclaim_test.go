package pool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// reclaims has a queue give a VM to another one while its job runs on.
func reclaims(t *testing.T, h *host) {
	t.Helper()
	d := h.newDaemon(t, settings{pool: "reclaim", queues: queues("besiii", "hxmt"), max: "vms=2", classes: []map[string]any{class("cpu", 1, nil)}})
	d.start(t)
	first := h.submit(t, "besiii", 4)
	d.until(t, "one queue has all VMs", func(s elasticpool.Status) bool {
		return queue(s, "besiii").Running == 2 && queue(s, "besiii").Busy == 2
	})

	second := h.submit(t, "hxmt", 1)
	vm := d.one(t, "a busy VM goes to the other queue", func(vm elasticpool.VM) bool {
		return vm.Queue == "hxmt" && vm.Was == "" && vm.State == elasticpool.Joined && len(vm.Jobs) == 1
	})
	old := vm.Jobs[0]
	require.Equal(t, "besiii", old.Queue)
	assert.Equal(t, job{Status: 2, Starts: 1, VM: vm.ID}, h.jobs(t, first)[old.ID], "its job runs on")
	until(t, "the worker serves the other queue", func() bool {
		return h.Tool(t, "condor_status", "-af", "ElasticQueue", "-constraint", `SlotType == "Partitionable" && ElasticVM == "`+vm.ID+`"`) == "group_hxmt"
	})
	h.open(t, old.ID)
	until(t, "the other queue's job runs on it", func() bool { return h.jobs(t, second)[second+".0"] == job{Status: 2, Starts: 1, VM: vm.ID} })
	assert.Equal(t, job{Status: 4, Starts: 1, VM: vm.ID}, h.ended(t, first)[old.ID], "the old job has come to its end")

	h.open(t, second)
	// when START no longer holds the schedd has begun a shadow for the next job of the old queue, which starts no job and is
	// taken back after some seconds: it counts as a start of that job
	for id, job := range h.ends(t, first, 4) {
		assert.LessOrEqual(t, job.Starts, 2, "job %s", id)
	}
	d.leaves(t)
	assert.LessOrEqual(t, len(d.started(t)), 4+d.replaced(t), "no more VMs than needed")
}
