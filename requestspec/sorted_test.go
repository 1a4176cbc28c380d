package requestspec

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestSortedIsAsSlicesSorts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.String(), rapid.Bool()).Draw(t, "map")
		assert.Equal(t, slices.Sorted(maps.Keys(m)), sortedKeys(m))
		values := rapid.SliceOf(rapid.String()).Draw(t, "values")
		before := slices.Clone(values)
		assert.Equal(t, slices.Sorted(slices.Values(values)), sorted(values))
		assert.Equal(t, before, values, "they stay as they were")
	})
}

// One allocation each, none when there is nothing.
func TestSortedAllocatesOnce(t *testing.T) { //nolint:paralleltest // allocations of others would count
	m, values := map[string]bool{"c": true, "a": true, "b": true}, []string{"c", "a", "b"}
	assert.InDelta(t, 1, testing.AllocsPerRun(100, func() { sortedKeys(m) }), 0)
	assert.InDelta(t, 1, testing.AllocsPerRun(100, func() { sorted(values) }), 0)
	assert.Zero(t, testing.AllocsPerRun(100, func() { sortedKeys(map[string]bool(nil)); sorted(nil) }))
}
