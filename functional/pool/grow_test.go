package pool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// growsAndShrinks takes a pool from nothing to jobs of all kinds and back: fair growth, VMs of the right class, an idle
// VM that gets another queue, idle VMs that leave while long jobs run on, and a drain that is cancelled.
func growsAndShrinks(t *testing.T, h *host) {
	t.Helper()
	d := h.newDaemon(t, settings{
		pool: "grow", queues: queues("juno", "lhaaso", "cepc"), max: "vms=6",
		control: map[string]any{"age_bound": 1}, // by weights alone: once lhaaso's jobs were seen to be short it would get more
		classes: []map[string]any{
			class("cpu", 2, nil), class("gpu", 2, map[string]int{"gpus": 1}), class("fpga", 2, map[string]int{"fpgas": 1}),
		},
	})
	long := h.submit(t, "juno", 6)
	h.submit(t, "juno", 3, "hold = true")
	late := h.submit(t, "lhaaso", 30, "max_idle = 2")
	gpu := h.submit(t, "cepc", 1, "request_gpus = 1", "require_gpus = Capability >= 7.0")
	fpga := h.submit(t, "cepc", 1, "request_fpga = 1")
	never := h.submit(t, "cepc", 1, "request_gpus = 8")
	d.start(t)

	s := d.until(t, "each queue has its share", func(s elasticpool.Status) bool {
		return queue(s, "juno").Running == 4 && queue(s, "lhaaso").Running == 4 && queue(s, "cepc").Running == 2
	})
	for class, n := range map[string]int{"cpu": 4, "gpu": 1, "fpga": 1} {
		assert.Equal(t, n, count(s, func(vm elasticpool.VM) bool { return vm.Class == class }), class)
	}
	for _, q := range []string{"juno", "lhaaso", "cepc"} {
		assert.Equal(t, 2, count(s, func(vm elasticpool.VM) bool { return vm.Queue == q }), q)
	}
	assert.Equal(t, 3, queue(s, "juno").Held)
	assert.Equal(t, 26, queue(s, "lhaaso").Waiting, "with those that are not materialised")
	unmet := slices.IndexFunc(s.Decision.Unmet, func(u elasticpool.Unmet) bool { return u.Queue == "cepc" }) // of other stories' queues it is said too
	require.GreaterOrEqual(t, unmet, 0)
	assert.Equal(t, never+".0", s.Decision.Unmet[unmet].Example)
	assert.Equal(t, 1, s.Decision.Unmet[unmet].Jobs)
	explained, err := d.client.Explain(t.Context(), never+".0")
	require.NoError(t, err)
	assert.Contains(t, strings.Join(explained, "\n"), "the job asks for 8")
	before := h.jobs(t, long)

	passesOn(t, d, h, late)
	h.completes(t, gpu, 1)
	h.completes(t, fpga, 1)
	d.until(t, "only VMs with long jobs are left", func(s elasticpool.Status) bool {
		return len(s.VMs) == 3 && queue(s, "juno").Busy == 3
	})
	for id, job := range h.jobs(t, long) {
		assert.Equal(t, 1, job.Starts, "job %s was started once", id)
		if was := before[id]; was.Status == 2 {
			assert.Equal(t, was, job, "job %s runs where it ran", id)
		}
	}

	next := cancelsDrain(t, d, h, long)
	h.completes(t, long, 6)
	h.completes(t, next, 1)
	d.leaves(t)
	assert.LessOrEqual(t, len(d.started(t)), 7+d.replaced(t), "no more VMs than needed; jobs and workers are not seen at the same moment")
}

// passesOn lets the jobs of one queue come to their end: one of its VMs goes to a queue that lacks one, the other leaves.
func passesOn(t *testing.T, d *daemon, h *host, late string) {
	t.Helper()
	h.completes(t, late, 30)
	d.until(t, "an idle VM serves another queue", func(s elasticpool.Status) bool {
		return queue(s, "juno").Running == 6 && queue(s, "juno").Busy == 3
	})
}

// cancelsDrain has a queue give a busy VM back, and take it back while its job still runs.
func cancelsDrain(t *testing.T, d *daemon, h *host, long string) string {
	t.Helper()
	upper := int64(2)
	d.do(t, elasticpool.Command{Kind: elasticpool.CmdSetQuota, Queue: "juno", Upper: &upper})
	vm := d.one(t, "a busy VM drains", func(vm elasticpool.VM) bool { return vm.State == elasticpool.Draining && len(vm.Jobs) == 2 })
	h.open(t, vm.Jobs[0].ID)
	until(t, "one of its jobs has ended", func() bool { return len(h.ended(t, long)) == 1 })

	next := h.submit(t, "juno", 1)
	upper = 3
	d.do(t, elasticpool.Command{Kind: elasticpool.CmdSetQuota, Queue: "juno", Upper: &upper})
	d.one(t, "it serves again", func(now elasticpool.VM) bool { return now.ID == vm.ID && now.State == elasticpool.Joined })
	until(t, "the new job runs on it", func() bool { return h.jobs(t, next)[next+".0"] == job{Status: 2, Starts: 1, VM: vm.ID} })
	assert.Equal(t, job{Status: 2, Starts: 1, VM: vm.ID}, h.jobs(t, long)[vm.Jobs[1].ID], "the old one has run all the time")
	return next
}
