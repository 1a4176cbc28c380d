package elasticpool_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestBugLogReportOfADeletedVM: the directory keeps the last report of a VM that is gone in its cloud (aws-parallelcluster
// 334). It is neither room for jobs nor a reason to delete the VM again.
func TestBugLogReportOfADeletedVM(t *testing.T) {
	t.Parallel()
	w := serving(t, policy(), 1)
	vm := sorted(w.servers)[0]
	w.finish(vm)
	w.jobs = nil
	ghost := *w.workers[vm]
	ghost.Heard = w.now
	w.steps(4 * 30)
	require.Empty(t, w.servers)
	require.Equal(t, 1, w.actions(elasticpool.ActDelete))

	w.bend = func(in *elasticpool.Input) { in.Workers.Value.List = append(in.Workers.Value.List, ghost) }
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	before := len(w.history)
	w.steps(4)
	w.run()
	w.steps(20)
	assert.Equal(t, 2, w.actions(elasticpool.ActCreate), "the ghost is no room")
	assert.Equal(t, 1, w.actions(elasticpool.ActDelete))
	for _, action := range w.history[before:] {
		assert.NotEqual(t, vm, action.VM, action.Kind)
	}
}
