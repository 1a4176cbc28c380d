package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// idling returns a world in which so many VMs serve and have nothing to do, since the step at which it is.
func idling(t *testing.T, p elasticpool.Policy, vms int) *world {
	t.Helper()
	w := serving(t, p, vms)
	for _, vm := range sorted(w.workers) {
		w.finish(vm)
	}
	w.jobs = nil
	w.step()
	return w
}

// TestShrinkWindow: within a window only a share of the pool leaves, or a least number, though all of it is idle; the rest
// follows in the next ones.
func TestShrinkWindow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		share float64
		least int
		leave int // in a window
	}{
		"a share of the pool":    {share: 0.5, least: 1, leave: 4},
		"but at least so many":   {share: 0.01, least: 3, leave: 3},
		"the share counts whole": {share: 0.3, least: 1, leave: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy()
			p.Control = elasticpool.Control{
				IdleTime: elasticpool.Duration(time.Minute), Cooldown: elasticpool.Duration(time.Second),
				ShrinkShare: test.share, ShrinkMin: test.least, ShrinkWindow: elasticpool.Duration(10 * time.Minute),
			}
			w := idling(t, p, 8)
			w.steps(4 * 9)
			assert.Equal(t, test.leave, w.actions(elasticpool.ActDrain), "in the first window")
			w.steps(4 * 4)
			second := w.actions(elasticpool.ActDrain)
			assert.Greater(t, second, test.leave, "the second window has begun")
			assert.LessOrEqual(t, second, 2*test.leave)
			w.steps(4 * 120)
			assert.Empty(t, w.servers)
		})
	}
}

// TestCooldown: a class that has just grown does not shrink, however short the idle time is.
func TestCooldown(t *testing.T) {
	t.Parallel()
	for _, cooldown := range []time.Duration{2 * time.Minute, 10 * time.Minute} {
		p := policy()
		p.Control.IdleTime, p.Control.Cooldown = elasticpool.Duration(30*time.Second), elasticpool.Duration(cooldown)
		w := newWorld(t, p)
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 3)}
		w.steps(4)
		require.Equal(t, 3, w.actions(elasticpool.ActJoin))
		w.jobs = nil
		w.steps(int(cooldown/step) - 4)
		assert.Zero(t, w.actions(elasticpool.ActDrain))
		w.step()
		assert.Equal(t, 3, w.actions(elasticpool.ActDrain), "it is over")
	}
}

// TestBackfill: a VM with devices is kept free for jobs that want them, and serves others after it was idle for the time
// that its class says; it is never made for them.
func TestBackfill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		backfill    time.Duration
		early, late string // what is said of the job without a GPU
	}{
		{backfill: 5 * time.Minute, early: "small is for jobs that want its devices, and for others only when it has been idle for 5m0s"},
		{early: "small is for jobs that want its devices", late: "small is for jobs that want its devices"},
	} {
		p := policy()
		p.Classes[0].Slot["gpus"], p.Classes[0].Takes["gpus"] = 1, 1
		p.Classes[0].Backfill = elasticpool.Duration(test.backfill)
		p.Control.IdleTime = elasticpool.Duration(time.Hour)
		w := newWorld(t, p)
		gpu := waiting("lhaaso", 1)
		gpu.Request["gpus"] = 1
		w.jobs = []elasticpool.JobGroup{gpu}
		w.steps(5)
		w.run()
		w.step()
		require.Equal(t, 1, w.jobs[0].Running)
		w.finish(sorted(w.workers)[0])
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
		w.steps(4 * 4)
		assert.Equal(t, test.early, unmet(w))
		w.steps(4 * 2)
		assert.Equal(t, test.late, unmet(w))
		assert.Equal(t, 1, w.actions(elasticpool.ActCreate), "none is made for it")
	}
}

// unmet returns why the jobs of the world can run nowhere, or nothing.
func unmet(w *world) string {
	for _, u := range w.last.Unmet {
		return u.Reason
	}
	return ""
}
