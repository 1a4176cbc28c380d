package elasticpool

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cycles runs some cycles of a pool, a cycle's time apart, and lets the actions of each end.
func cycles(t *testing.T, p *Pool, n int) {
	t.Helper()
	for range n {
		_, err := p.Cycle(t.Context())
		require.NoError(t, err)
		time.Sleep(p.cycle)
		synctest.Wait()
	}
}

// MatterMiners/tardis 103: one failed query of the collector ended the daemon.
func TestBugLogFailedStatusQueryKeepsTheLastState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 3)
		w.submit("juno", 1, time.Hour)
		failed := w.calls("workers")
		w.set(func() {
			w.before["workers"] = func(n int) error {
				if n <= failed+3 {
					return errDead
				}
				return nil
			}
		})
		seen := p.sensors.workers.value(p.clock.now())
		for range 3 {
			before := w.calls("north create")
			cycles(t, p, 1)
			stale := p.sensors.workers.value(p.clock.now())
			assert.Equal(t, seen.Value, stale.Value)
			assert.Equal(t, seen.At, stale.At)
			assert.Equal(t, errDead.Error(), stale.Err)
			assert.LessOrEqual(t, w.calls("north create"), before+1, "the new job may get its VM; no other is started")
			assert.Zero(t, w.calls("north delete"))
		}
		cycles(t, p, 1)
		assert.Empty(t, p.sensors.workers.value(p.clock.now()).Err, "the loop goes on")
		require.NoError(t, p.Close())
	})
}

// buildkite elastic-ci-stack 46, ray 36926, jenkins openstack-cloud 143: VMs that boot were not counted.
func TestBugLogBootingVMsCount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.slow = 10 * time.Minute
		w.submit("juno", 1, time.Minute)
		p := w.pool(t, dir, playPolicy())
		cycles(t, p, 2)
		require.Equal(t, 1, w.calls("north create"))
		cycles(t, p, 10)
		assert.Equal(t, 1, w.calls("north create"))
		assert.Zero(t, w.calls("north delete"))
		assert.Equal(t, Building, p.Status().VMs[0].State)
		require.NoError(t, p.Close())
	})
}

// MatterMiners/tardis 84, 234, 291: a VM whose worker had stopped stayed for ever. The same after a restart of ours.
func TestBugLogStoppedWorkerIsShutDown(t *testing.T) {
	t.Parallel()
	for _, restart := range []bool{false, true} {
		t.Run(map[bool]string{false: "one process", true: "restarted"}[restart], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				p := served(t, w, dir, 1)
				first := p.Status().VMs[0]
				w.set(func() { w.deaf = first.ID })
				if restart {
					cycles(t, p, 1)
					require.NoError(t, p.Close())
					p = w.pool(t, dir, playPolicy())
					assert.Equal(t, first.ID, p.decider.State().VMs[0].ID)
					assert.Equal(t, Joined, p.decider.State().VMs[0].State)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				require.NoError(t, p.Run(ctx))
				assert.Equal(t, 1, w.calls("free"), "its jobs are given back")
				assert.Positive(t, w.calls("north delete"))
				for _, server := range w.servers {
					assert.NotEqual(t, first.Server, server.ID)
				}
				require.NoError(t, p.Close())
			})
		})
	}
}

// jenkins openstack-cloud 60, 149, 391: machines of others were removed for their names.
func TestBugLogOthersAreNotTouched(t *testing.T) {
	t.Parallel()
	dirs := []string{t.TempDir(), t.TempDir()}
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.servers["hand-made"] = &playServer{Server: Server{ID: "hand-made", VM: "01J", Status: ServerActive}, cloud: "north"}
		w.submit("juno", 2, time.Minute)
		other := playPolicy()
		other.Pool = "play2"
		pools := []*Pool{w.pool(t, dirs[0], playPolicy()), w.pool(t, dirs[1], other)}
		for range 60 {
			for _, p := range pools {
				cycles(t, p, 1)
				mine := map[string]bool{}
				for _, server := range p.sensors.clouds["north"].value(p.clock.now()).Value.Servers {
					mine[server.ID] = true
					assert.Equal(t, p.config.Policy.Pool, server.Pool)
				}
				for _, vm := range p.Status().VMs {
					assert.True(t, vm.Server == "" || mine[vm.Server] || vm.State == Deleting || vm.State == Building, vm)
				}
			}
		}
		assert.Zero(t, w.unfinished())
		assert.Len(t, w.servers, 1)
		assert.Contains(t, w.servers, "hand-made")
		for _, p := range pools {
			require.NoError(t, p.Close())
		}
	})
}

// wr 61, 69, 80: VMs that are being deleted blocked the quota for ever, and one that is being made was counted twice.
func TestBugLogDeletedVMsMakeRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		w.limit, w.linger = 2, 2*time.Minute
		w.submit("juno", 2, time.Minute)
		p := w.pool(t, dir, playPolicy())
		for w.calls("north delete") < 2 {
			cycles(t, p, 1)
		}
		w.submit("juno", 2, time.Minute)
		for len(w.servers) == 2 && w.made == 2 {
			assert.LessOrEqual(t, w.calls("north create"), 2, "nothing is asked for while there is no room")
			cycles(t, p, 1)
		}
		cycles(t, p, 3)
		assert.Equal(t, 4, w.made, "both are made at once when there is room, each once")
		assert.Equal(t, 4, w.calls("north create"))
		require.NoError(t, p.Close())
	})
}

// openshift kubernetes-autoscaler 219, kubernetes autoscaler 6213: of three deletes at once one happened.
func TestBugLogDeletesAtOnceAllHappen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 5)
		var stay []string
		w.set(func() {
			for _, s := range w.servers {
				if len(stay) < 2 {
					stay = append(stay, s.ID)
				} else {
					s.job.runtime = time.Second
				}
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Len(t, w.servers, 2)
		for _, id := range stay {
			assert.Contains(t, w.servers, id)
		}
		assert.Zero(t, w.killed)
		assert.Len(t, p.Status().VMs, 2)
		require.NoError(t, p.Close())
	})
}
