package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// lose makes the caller lose an instance's record and recover it.
func (a *audited) lose(instance string) lifecycle.Record {
	a.t.Helper()
	a.disk.mu.Lock()
	delete(a.disk.texts, instance)
	a.disk.mu.Unlock()
	record, err := a.process.Recover(a.t.Context(), instance)
	require.NoError(a.t, err)
	return record
}

// A device that is detached from a recovered instance is given back in Placement too.
func TestDetachAfterRecover(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		before := a.create(bothKinds)
		record := a.lose(before.Instance())
		require.Len(t, record.Now.Sets, 1)
		assert.Equal(t, before.Now.Sets[0].Allocations, record.Now.Sets[0].Allocations)
		detached, err := a.process.Detach(t.Context(), record, record.Now.Sets[0].Owner)
		require.NoError(t, err)
		held, err := a.placement.Allocations(t.Context(), record.Instance())
		require.NoError(t, err)
		assert.Equal(t, map[string]map[string]int64{before.Now.Root: before.Now.Allocations[before.Now.Root]}, held.Allocations)
		assert.Equal(t, held.Allocations, detached.Record.Now.Allocations)
		assert.Empty(t, a.plan().Findings)
	})
}

// TestDetachAfterRecoverThatCouldNotTell detaches when the caller, who knows, has said what the set holds.
func TestDetachAfterRecoverThatCouldNotTell(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		before := a.create(oneGPU)
		record := a.lose(before.Instance())
		provider := record.Now.Sets[0].ARQs[0].Provider
		record.Now.Sets[0].Allocations = nil
		_, err := a.process.Detach(t.Context(), record, record.Now.Sets[0].Owner)
		require.ErrorContains(t, err, "at provider "+provider+" is for ARQ "+record.ARQs()[0])
		record.Now.Sets[0].Allocations = before.Now.Sets[0].Allocations
		_, err = a.process.Detach(t.Context(), record, record.Now.Sets[0].Owner)
		require.NoError(t, err)
	})
}
