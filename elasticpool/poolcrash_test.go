package elasticpool

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crashAt lets a pool serve some jobs, ends its process at its n-th point (before or after a write of the journal, a call
// of the cloud or of the batch system), lets another pool go on, and checks that nothing was lost or doubled. It says
// whether there was such a point.
func crashAt(t *testing.T, dir string, n int) (reached bool) {
	w := newPlayWorld()
	w.crash, w.late = n, 15*time.Second // the next process cannot see what this one has just asked for
	w.submit("juno", 2, 90*time.Second)
	p, err := NewPool(t.Context(), w.config(dir, playPolicy()), w.options()...)
	if err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
		go func() {
			select {
			case <-w.dead:
			case <-ctx.Done():
			}
			cancel()
		}()
		_ = p.Run(ctx) // whatever a dead process thinks
		cancel()
		require.NoError(t, p.Close())
	}
	select {
	case <-w.dead:
		reached = true
	default:
	}
	w.crash, w.points, w.dead = -1, 0, make(chan struct{})
	generation := int64(0)
	if p != nil {
		generation = p.leader.Generation()
	}
	p = w.pool(t, dir, playPolicy())
	assert.Greater(t, p.leader.Generation(), generation)
	runFor(t, p, 15*time.Minute)

	assert.Empty(t, w.doubled, "a VM was made twice")
	assert.Zero(t, w.unfinished(), "a job did not run")
	assert.Zero(t, w.killed, "a job was killed")
	assert.Zero(t, w.count(), "a server is left over: %v", w.servers)
	assert.LessOrEqual(t, w.most, 2, "there were more servers than jobs")
	assert.Empty(t, p.Status().VMs)
	return reached
}

func TestKilledAtEachPointLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	const enough = 1000
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 1; n < enough; n += step {
		reached := false
		ok := t.Run(strconv.Itoa(n), func(t *testing.T) { // the next begins if this one was reached
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { reached = crashAt(t, dir, n) })
		})
		if !ok || !reached {
			assert.Greater(t, n, 30, "so many points there are at least")
			return
		}
	}
	t.Error("the pool never comes to rest")
}
