package elasticpool

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/journal"
)

func TestOnePoolHasTheDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made")
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := w.pool(t, dir, playPolicy())
		_, err := NewPool(t.Context(), w.config(dir, playPolicy()), w.options()...)
		require.ErrorIs(t, err, journal.ErrLocked)
		require.ErrorContains(t, err, "stop it first")
		require.NoError(t, p.Close())
		require.NoError(t, p.Close(), "twice")
		_, err = p.Cycle(t.Context())
		require.ErrorIs(t, err, ErrPoolClosed)
		require.ErrorIs(t, p.Do(Command{Kind: CmdThaw}), ErrPoolClosed)
		require.ErrorIs(t, p.Run(t.Context()), ErrPoolClosed)
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	})
}

// Another process has taken the lock away: nothing more is done, not even what waits for its turn.
func TestFencedPoolDoesNothingMore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		release := make(chan struct{})
		w.hang["north create"] = release
		w.submit("juno", 4, time.Minute)
		p := w.pool(t, dir, playPolicy(), WithParallel(1))
		cycles(t, p, 2)
		require.Equal(t, 1, w.calls("north create"), "one is under way, three wait")
		require.NoError(t, os.Remove(filepath.Join(dir, lockName)))
		appended := w.calls("append")
		close(release)
		synctest.Wait()
		require.ErrorIs(t, p.Run(t.Context()), journal.ErrFenced)
		assert.Equal(t, 1, w.calls("north create"))
		assert.LessOrEqual(t, w.calls("append"), appended+1)
		assert.Contains(t, p.Status().Error, "not the leader any more")
		require.NoError(t, p.Close())
		require.ErrorIs(t, p.Run(t.Context()), journal.ErrFenced)
	})
}

// Generations grow though the directory is lost, by the servers' tags, and though a cloud is late to show them.
func TestGenerationOfTags(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		t.Run(map[bool]string{false: "listed", true: "listed later"}[late], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				w.submit("juno", 1, time.Hour)
				w.servers["old"] = &playServer{cloud: "north", Server: Server{
					ID: "old", VM: "01J0000000000000000000000A", Pool: "play", Class: "small", Queue: "juno", Generation: 41, Status: ServerActive, Created: time.Now(),
				}}
				if late {
					w.before["north servers"] = first(2, transient)
				}
				p := w.pool(t, dir, playPolicy())
				if late {
					assert.Equal(t, int64(1), p.Status().Generation)
					cycles(t, p, 2)
				}
				assert.Equal(t, int64(42), p.Status().Generation)
				assert.Equal(t, int64(42), p.decider.State().Generation)
				cycles(t, p, 1)
				assert.Equal(t, 1, w.count(), "the server is adopted, no other is made")
				assert.Empty(t, p.Status().Decision.Blind)
				require.NoError(t, p.Close())
				p = w.pool(t, dir, playPolicy())
				assert.Equal(t, int64(43), p.Status().Generation)
				require.NoError(t, p.Close())
			})
		})
	}
}

// A journal without its lock file must not give a generation twice.
func TestGenerationOfJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		for generation := int64(1); generation < 4; generation++ {
			p := w.pool(t, dir, playPolicy())
			cycles(t, p, 1)
			assert.Equal(t, generation, p.Status().Generation)
			require.NoError(t, p.Close())
			require.NoError(t, os.Remove(filepath.Join(dir, "lock.holder")))
		}
	})
}

func TestCloudThatHangsAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		release := make(chan struct{})
		w.hang["north servers"] = release
		start := time.Now()
		p := w.pool(t, dir, playPolicy())
		assert.Equal(t, time.Minute, time.Since(start))
		cycles(t, p, 1)
		assert.NotEmpty(t, p.Status().Decision.Frozen)
		close(release)
		require.NoError(t, p.Close())

		w.set(func() { w.hang["north servers"] = make(chan struct{}) })
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := NewPool(short, w.config(dir, playPolicy()), w.options()...)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(w.hang["north servers"])
	})
}

func TestPoolConfigIsChecked(t *testing.T) {
	t.Parallel()
	w := newPlayWorld()
	for _, test := range []struct {
		name   string
		change func(*PoolConfig)
		opt    PoolOption
		want   string
	}{
		{name: "no batch", change: func(c *PoolConfig) { c.Batch = nil }, want: "no batch system"},
		{name: "no dir", change: func(c *PoolConfig) { c.Dir = "" }, want: "no directory"},
		{name: "no provider", change: func(c *PoolConfig) { c.Clouds = nil }, want: `cloud "north" of the policy has no provider`},
		{name: "too many providers", change: func(c *PoolConfig) { c.Clouds["south"] = playCloud{w, "south"} }, want: `provider of cloud "south"`},
		{name: "wrong policy", change: func(c *PoolConfig) { c.Policy.Classes[0].Cloud = "moon" }, want: "moon"},
		{name: "no parent", change: func(c *PoolConfig) { c.Dir = filepath.Join(c.Dir, "a", "b") }, want: "no such file"},
		{name: "timeouts", opt: WithTimeouts(0, 1), want: "must be above zero"},
		{name: "parallel", opt: WithParallel(0), want: "at least 1"},
		{name: "log", opt: WithDecisionLog("", 1), want: "needs a path"},
		{name: "log size", opt: WithDecisionLog("x", 0), want: "needs a path and a size"},
		{name: "logger", opt: WithLogger(nil), want: "logger is nil"},
		{name: "observer", opt: WithObserver(nil), want: "observer is nil"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := w.config(t.TempDir(), playPolicy())
			var opts []PoolOption
			if test.change != nil {
				test.change(&config)
			} else {
				opts = append(opts, test.opt)
			}
			_, err := NewPool(t.Context(), config, opts...)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
