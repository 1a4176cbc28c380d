package simulate

import (
	"fmt"
	"strings"
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

// onlyComputes skips a test with the race detector, which makes it ten times slower and finds nothing: each run has one goroutine,
// and TestOneSeedOneResult has many runs at the same time. The test command of the README, which CI runs too, has no detector.
func onlyComputes(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("it only computes: go test without -race runs it")
	}
}

// TestFairAgainstVCondor holds the pool's controller to its promises: against VCondor's rules on the same traces, with
// each seed.
func TestFairAgainstVCondor(t *testing.T) {
	t.Parallel()
	onlyComputes(t)
	for _, load := range []float64{0.5, 0.8} {
		t.Run(fmt.Sprint(load), func(t *testing.T) {
			t.Parallel()
			table, err := Compare(t.Context(), Config{}, []string{VCondor, Fair}, []float64{load}, seeds())
			require.NoError(t, err)
			require.Len(t, table.Of(Fair, load), len(seeds()))
			assert.Empty(t, Misses(table))
		})
	}
}

// TestMisses: each target is missed by the run that is worse in nothing else, and held at its bound.
func TestMisses(t *testing.T) {
	t.Parallel()
	theirs := Result{MeanWait: 100, P95Wait: 1000, VMHours: 1000}
	good := Result{MeanWait: 99, P95Wait: 999, VMHours: 750, BusyRatio: 0.9, BootsPerJob: 0.2, Jain: 0.95}
	for _, tt := range []struct {
		want string
		bad  func(*Result)
	}{
		{"", func(*Result) {}},
		{"mean wait, min 100, the bound is 100", func(r *Result) { r.MeanWait = 100 }},
		{"p95 wait, min 1000, the bound is 1000", func(r *Result) { r.P95Wait = 1000 }},
		{"VM-hours 751, the bound is 750", func(r *Result) { r.VMHours = 751 }},
		{"busy ratio 0.89, the bound is 0.9", func(r *Result) { r.BusyRatio = 0.89 }},
		{"boots per job 0.21, the bound is 0.2", func(r *Result) { r.BootsPerJob = 0.21 }},
		{"jobs killed 1, the bound is 0", func(r *Result) { r.JobsKilled = 1 }},
		{"Jain 0.94, the bound is 0.95", func(r *Result) { r.Jain = 0.94 }},
	} {
		t.Run(tt.want, func(t *testing.T) {
			t.Parallel()
			ours := good
			tt.bad(&ours)
			c := Comparison{Policies: []string{VCondor, Fair}, Loads: []float64{0.5}, Seeds: []uint64{7, 8}, Results: []Result{theirs, theirs, good, ours}}
			want := "\nload 0.5: 2 of 2 seeds hold every target against vcondor\n"
			if tt.want != "" {
				want = "\nload 0.5: 1 of 2 seeds hold every target against vcondor\n- seed 8: " + tt.want + "\n"
			}
			var text strings.Builder
			require.NoError(t, WriteMisses(&text, c))
			assert.Equal(t, want, text.String())
		})
	}
}

// TestMissesOfHigherLoads: above a load of 0.5 VM-hours may be 90 % of VCondor's.
func TestMissesOfHigherLoads(t *testing.T) {
	t.Parallel()
	theirs := Result{MeanWait: 100, P95Wait: 1000, VMHours: 1000}
	ours := Result{VMHours: 900, BusyRatio: 1, Jain: 1}
	c := Comparison{Policies: []string{VCondor, Fair}, Loads: []float64{0.8}, Seeds: []uint64{1}, Results: []Result{theirs, ours}}
	assert.Empty(t, Misses(c))
	c.Results[1].VMHours = 901
	assert.Equal(t, []Miss{{Load: 0.8, Seed: 1, What: "VM-hours", Got: 901, Bound: 900}}, Misses(c))
	c.Policies = []string{Static, Fair}
	assert.Empty(t, Misses(c), "nothing to compare with")
	var text strings.Builder
	require.NoError(t, WriteMisses(&text, c))
	assert.Empty(t, text.String())
	assert.ErrorIs(t, WriteMisses(full{}, c), errFull)
}

// TestFairIsFairWhenAllAreBacklogged: on a trace of which each queue could fill the pool alone, the queues get their
// weighted parts, and VCondor's first come, first served does not give them.
func TestFairIsFairWhenAllAreBacklogged(t *testing.T) {
	t.Parallel()
	onlyComputes(t)
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
