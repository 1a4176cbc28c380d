package elasticpool

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPoolGrowsAndShrinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.submit("juno", 3, 2*time.Minute)
		runFor(t, w.pool(t, dir, playPolicy()), 20*time.Minute)
		assert.Zero(t, w.unfinished())
		assert.Zero(t, w.count())
		assert.Equal(t, 3, w.made)
		assert.Zero(t, w.killed)
	})
}
