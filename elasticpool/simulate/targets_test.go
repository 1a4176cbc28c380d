package simulate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seeds returns the seeds of a long test: ten, or two in short mode.
func seeds() []uint64 {
	list := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if testing.Short() {
		return list[:2]
	}
	return list
}

// TestFairAgainstVCondor holds the pool's controller to its promises: against VCondor's rules on the same traces, with
// each seed.
func TestFairAgainstVCondor(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the race detector makes this ten times slower, and nothing in a run is parallel: TestOneSeedOneResult runs several")
	}
	for _, tt := range []struct {
		name    string
		load    float64
		vmHours float64 // of VCondor's
	}{
		{"half", 0.5, 0.75},
		{"high", 0.8, 0.90},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table, err := Compare(t.Context(), Config{}, []string{VCondor, Fair}, []float64{tt.load}, seeds())
			require.NoError(t, err)
			for i, seed := range seeds() {
				theirs, ours := table.Of(VCondor, tt.load)[i], table.Of(Fair, tt.load)[i]
				assert.Less(t, ours.MeanWait, theirs.MeanWait, "mean wait, seed %d", seed)
				assert.Less(t, ours.P95Wait, theirs.P95Wait, "p95 wait, seed %d", seed)
				assert.LessOrEqual(t, ours.VMHours, tt.vmHours*theirs.VMHours, "VM-hours, seed %d", seed)
				assert.GreaterOrEqual(t, ours.BusyRatio, 0.9, "busy ratio, seed %d", seed)
				assert.LessOrEqual(t, ours.BootsPerJob, 0.2, "boots per job, seed %d", seed)
				assert.Zero(t, ours.JobsKilled, "killed, seed %d", seed)
				assert.GreaterOrEqual(t, ours.Jain, 0.95, "Jain, seed %d", seed)
			}
		})
	}
}

// TestFairIsFairWhenAllAreBacklogged: on a trace of which each queue could fill the pool alone, the queues get their
// weighted parts, and VCondor's first come, first served does not give them.
func TestFairIsFairWhenAllAreBacklogged(t *testing.T) {
	t.Parallel()
	c := Config{Days: 1, VMs: 100, Tail: 1, Shape: Shape{Kind: Backlog}}
	table, err := Compare(t.Context(), c, []string{VCondor, Fair}, []float64{0.8}, seeds()[:1])
	require.NoError(t, err)
	theirs, ours := table.Of(VCondor, 0.8)[0], table.Of(Fair, 0.8)[0]
	assert.Greater(t, ours.Backlogged, 8.0)
	assert.GreaterOrEqual(t, ours.Jain, 0.95)
	assert.GreaterOrEqual(t, ours.JainPlain, 0.95)
	assert.Less(t, theirs.JainPlain, ours.JainPlain)
	assert.Zero(t, ours.JobsKilled)
}
