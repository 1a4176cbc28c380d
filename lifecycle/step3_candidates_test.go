package lifecycle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/placement"
)

// TestByHost: nothing is lost, the first candidate stays first, hosts stand together in the order of their first
// candidate, and the candidates of one host keep their order.
func TestByHost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "d"})).Draw(t, "hosts")
		candidates := make([]placement.Candidate, len(hosts))
		var want []placement.Candidate
		for i, host := range hosts {
			candidates[i] = placement.Candidate{RootProvider: host, Mapping: map[string][]string{"": {string(rune('0' + i))}}}
		}
		for i, host := range hosts {
			if slices.Contains(hosts[:i], host) {
				continue
			}
			for _, candidate := range candidates {
				if candidate.RootProvider == host {
					want = append(want, candidate)
				}
			}
		}
		assert.Equal(t, want, byHost(candidates))
	})
}
