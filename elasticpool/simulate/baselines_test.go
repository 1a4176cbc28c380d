package simulate

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// small is a run that takes no time.
func small(policy string) Config {
	return Config{Name: policy, Seed: 11, Days: 2, VMs: 30, Shape: Shape{BatchMedian: 20}}
}

// TestBaselinesAreAsBefore compares the results of the baselines with those of testdata, so that a change of the world
// or of a baseline is seen. The pool's own controller is left out: it may become better.
func TestBaselinesAreAsBefore(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{Static, VCondor, Linear, Oracle} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			got, err := Run(t.Context(), small(policy))
			require.NoError(t, err)
			path := filepath.Join("testdata", "golden", policy+".json")
			if *update {
				text, err := json.MarshalIndent(got, "", "  ")
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o600))
			}
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var want Result
			require.NoError(t, json.Unmarshal(text, &want))
			assert.Empty(t, cmp.Diff(want, got, cmpopts.EquateApprox(0, 2e-6)))
		})
	}
}

// TestOneSeedOneResult runs the same on one processor and on many, alone and in a crowd.
//
//nolint:paralleltest // it sets the number of processors
func TestOneSeedOneResult(t *testing.T) {
	c := small("")
	if raceDetector {
		c.Days = 0.25
	}
	want := map[string][]byte{}
	for _, processors := range []int{1, 4} {
		before := runtime.GOMAXPROCS(processors)
		table, err := Compare(t.Context(), c, PolicyNames(), []float64{0.8}, []uint64{1, 2})
		runtime.GOMAXPROCS(before)
		require.NoError(t, err)
		for _, r := range table.Results {
			text, err := json.Marshal(r)
			require.NoError(t, err)
			key := r.Policy + string(rune('0'+r.Seed))
			if want[key] == nil {
				want[key] = text
			}
			assert.Equal(t, string(want[key]), string(text))
		}
	}
	assert.Len(t, want, 10)
	alone := c
	alone.Name, alone.Load, alone.Seed = VCondor, 0.8, 1
	r, err := Run(t.Context(), alone)
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Equal(t, string(want["vcondor1"]), string(text))
	assert.False(t, bytes.Equal(want["vcondor1"], want["vcondor2"]), "another seed is another trace")
}

// TestBaselinesBehave checks what each baseline is about.
func TestBaselinesBehave(t *testing.T) {
	t.Parallel()
	onlyComputes(t)
	table, err := Compare(t.Context(), Config{Days: 2, VMs: 30, Shape: Shape{BatchMedian: 30}}, PolicyNames(), []float64{0.5}, []uint64{1, 2})
	require.NoError(t, err)
	mean := func(policy string, of func(Result) float64) float64 { return Mean(table.Of(policy, 0.5), of) }
	hours := func(r Result) float64 { return r.VMHours }
	wait := func(r Result) float64 { return r.MeanWait }
	busy := func(r Result) float64 { return r.BusyRatio }
	for _, r := range table.Of(Static, 0.5) {
		assert.InDelta(t, 30*r.Length, r.VMHours, 1, "static: all VMs all the time")
		assert.Equal(t, 30, r.Boots)
		assert.Zero(t, r.Binds)
	}
	for _, policy := range []string{VCondor, Linear, Fair} {
		assert.Less(t, mean(policy, wait), mean(Static, wait), policy)
		assert.Less(t, mean(policy, hours), mean(Static, hours), policy)
		assert.LessOrEqual(t, mean(Oracle, wait), 1.02*mean(policy, wait), policy)
		assert.LessOrEqual(t, mean(Oracle, hours), mean(policy, hours), policy)
		assert.GreaterOrEqual(t, mean(Oracle, busy), mean(policy, busy), policy)
	}
	for _, r := range table.Results {
		assert.Zero(t, r.JobsLost)
		assert.LessOrEqual(t, r.VMHours, 30*r.Length)
	}
}

// TestBaselinesReplaceWhatFails: VMs that do not come to life are deleted and made again.
func TestBaselinesReplaceWhatFails(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{Static, VCondor, Linear, Oracle} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			c := small(policy)
			c.Days = 4
			c.Faults = Faults{
				CreateFails: 0.1, ErrorServer: 0.2, NeverJoins: 0.2,
				Crashes: []Crash{{At: Duration(24 * time.Hour), Share: 1}},
			}
			r, err := Run(t.Context(), c)
			require.NoError(t, err)
			assert.Positive(t, r.Failures)
			assert.Greater(t, float64(r.Finished), 0.5*float64(r.Jobs))
			assert.Greater(t, r.BusyRatio, 0.2)
		})
	}
}

func TestUnknownPolicy(t *testing.T) {
	t.Parallel()
	_, err := NewPolicy("best", Facts{})
	require.ErrorIs(t, err, ErrConfig)
	require.ErrorContains(t, err, "static, vcondor, linear, fair, oracle")
	var _ Policy = (*elasticpool.Controller)(nil)
}
