package pool_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// losesVM has a VM end without a word while a job runs on it: the job runs to its end on another VM, and one on a VM
// that is well is not disturbed. It takes the lease, three attempts to end the job, and a VM's start: a minute on a quiet
// machine, and no more than patience allows.
func losesVM(t *testing.T, h *host) {
	t.Helper()
	d := h.newDaemon(t, settings{pool: "lose", queues: queues("bes"), max: "vms=3", classes: []map[string]any{class("cpu", 1, nil)}})
	d.start(t)
	jobs := h.submit(t, "juno", 2, "accounting_group = group_bes", "job_lease_duration = 30")
	s := d.until(t, "each VM runs a job", func(s elasticpool.Status) bool {
		return queue(s, "bes").Busy == 2 && count(s, func(vm elasticpool.VM) bool { return len(vm.Jobs) == 1 }) == 2
	})
	lost, well := s.VMs[0], s.VMs[1]
	first, second := lost.Jobs[0].ID, well.Jobs[0].ID
	require.Equal(t, job{Status: 2, Starts: 1, VM: lost.ID}, h.jobs(t, jobs)[first])

	begin := time.Now()
	d.loses(t, lost.ID)
	var anew job
	until(t, "its job runs on another VM", func() bool {
		anew = h.jobs(t, jobs)[first]
		return anew.Status == 2 && anew.VM != lost.ID
	})
	t.Logf("the job ran anew %s after its VM was lost", time.Since(begin).Round(time.Second))
	assert.Equal(t, 2, anew.Starts)
	assert.NotEqual(t, well.ID, anew.VM)
	assert.Equal(t, job{Status: 2, Starts: 1, VM: well.ID}, h.jobs(t, jobs)[second], "the other job has run all the time")

	ended := h.ends(t, jobs, 2)
	assert.Equal(t, job{Status: 4, Starts: 2, VM: anew.VM}, ended[first])
	assert.Equal(t, job{Status: 4, Starts: 1, VM: well.ID}, ended[second])
	d.leaves(t)
	assert.Len(t, d.started(t), 3+d.replaced(t), "one VM instead of the lost one")
}

// loses has a server end as by a power cut, and the cloud forget it.
func (d *daemon) loses(t *testing.T, vm string) {
	t.Helper()
	d.h.Script(t, "down.sh", vm)
	require.NoError(t, os.Remove(d.file("cloud/"+vm+".json")))
}
