// Package differential_test sends random sequences of requests to a real Cyborg and to fakecyborg, step by step, and compares every answer.
// What may differ is written in testdata/differences.yaml, of which docs/differences.md is made.
package differential_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	requests = flag.Int("differential.requests", 3000, "how many `requests` the services are sent")
	seed     = flag.Uint64("differential.seed", 1, "which ones; 0 is a random `seed`, which is told")
	length   = flag.Int("differential.length", 60, "how many `requests` a sequence has; each begins with an empty cloud")
	replays  = flag.Int("differential.replays", 200, "how often a sequence that ends in a mismatch is replayed, to make it short; with 0 it goes on, and each kind of mismatch is told once")
	failures = flag.Int("differential.failures", 1, "after how many `mismatches` to stop")
)

// longRun is how many requests meet every difference that is written down.
const longRun = 20000

// TestCyborgDifferential compares a real Cyborg, see realSides, with the fake of its release.
func TestCyborgDifferential(t *testing.T) { //nolint:paralleltest // it has the cloud for itself
	l := realLockstep(t)
	l.run(t, cmp.Or(*seed, rand.Uint64()>>40), *requests)
	t.Logf("answers by status: %v; met of what may differ: %s", l.sent, l.comparer.written.account())
	if *requests >= longRun && !t.Failed() {
		assert.Empty(t, l.comparer.written.idle(), "written down as differences, but never met")
	}
}

// run sends so many requests and reports mismatches.
func (l *lockstep) run(t *testing.T, seed uint64, requests int) {
	t.Helper()
	t.Logf("seed %d: %d requests", seed, requests)
	found, start := 0, time.Now()
	seen := make(map[string]bool)
	report := func(m *mismatch, note string, sequence uint64) {
		t.Errorf("seed %d, sequence %d: a mismatch after %d requests%s\n%s", seed, sequence, len(m.steps), note, m)
		found++
	}
	for sequence := uint64(0); requests > 0; sequence++ {
		if sequence > 0 && sequence%25 == 0 {
			t.Logf("seed %d: %d sequences, %v since the start", seed, sequence, time.Since(start).Round(time.Second))
		}
		n := min(requests, *length)
		requests -= n
		m, err := l.random(t.Context(), seed, sequence, n, func(m *mismatch) bool {
			if *replays > 0 {
				return false
			}
			if !seen[m.kind()] {
				report(m, "", sequence)
			}
			seen[m.kind()] = true
			return true
		})
		require.NoError(t, err)
		if m != nil {
			shortest, again, err := l.shrink(t.Context(), m, *replays)
			require.NoError(t, err)
			report(shortest, fmt.Sprintf(" (comes again: %t)", again), sequence)
		}
		if found >= *failures {
			return
		}
	}
}
