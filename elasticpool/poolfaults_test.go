package elasticpool

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// first returns a fault of the first n times.
func first(n int, err error) func(int) error {
	return func(i int) error {
		if i <= n {
			return err
		}
		return nil
	}
}

// always returns a fault.
func always(err error) func(int) error { return func(int) error { return err } }

// transient is what a cloud says that does not work.
var transient = &CloudError{Op: "ask", Class: ErrTransient, Detail: "503 Service Unavailable"}

func TestFaultsOfCloudsArePassedWithoutLoss(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(*playWorld)
		jobs  int
		made  int // servers; 0: as many as jobs
		most  int // creates that are asked for; 0: as many as are made
	}{
		{name: "none", jobs: 3},
		{name: "creates time out and happen", jobs: 3, fault: func(w *playWorld) {
			w.after["north create"] = always(context.DeadlineExceeded)
		}},
		{name: "replies are lost", jobs: 3, fault: func(w *playWorld) {
			w.after["north create"] = first(2, &CloudError{Op: "create", Class: ErrUnknownOutcome})
		}},
		{name: "replies are lost and lists are late", jobs: 3, fault: func(w *playWorld) {
			w.after["north create"] = always(&CloudError{Op: "create", Class: ErrUnknownOutcome})
			w.late = 40 * time.Second
		}},
		{name: "creates fail", jobs: 3, most: 8, fault: func(w *playWorld) {
			w.before["north create"] = first(3, transient)
		}},
		{name: "quota in the middle of a batch", jobs: 6, made: 3, most: 40, fault: func(w *playWorld) {
			w.before["north create"] = func(int) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				if len(w.servers) >= 3 {
					return &CloudError{Op: "create", Class: ErrQuota, Detail: "3 of 3 instances"}
				}
				return nil
			}
		}},
		{name: "servers in error", jobs: 2, made: 4, fault: func(w *playWorld) { w.broken = 2 }},
		{name: "deletes fail", jobs: 2, fault: func(w *playWorld) {
			w.before["north delete"] = first(4, transient)
		}},
		{name: "deletes linger", jobs: 2, fault: func(w *playWorld) { w.linger = 3 * time.Minute }},
		{name: "lists fail", jobs: 3, fault: func(w *playWorld) {
			w.before["north servers"] = func(n int) error {
				if n%3 != 0 {
					return transient
				}
				return nil
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				if test.fault != nil {
					test.fault(w)
				}
				w.submit("juno", test.jobs, 2*time.Minute)
				runFor(t, w.pool(t, dir, playPolicy()), 90*time.Minute)
				made := max(test.made, 0)
				if made == 0 {
					made = test.jobs
				}
				assert.Zero(t, w.unfinished())
				assert.Zero(t, w.killed)
				assert.Zero(t, w.count(), w.servers)
				assert.Empty(t, w.doubled)
				assert.Equal(t, made, w.made)
				assert.LessOrEqual(t, w.calls("north create"), max(made, test.most))
				assert.LessOrEqual(t, w.most, test.jobs)
			})
		})
	}
}

// served starts a pool whose VMs run long jobs, with one VM for each job.
func served(t *testing.T, w *playWorld, dir string, jobs int, more ...PoolOption) *Pool {
	t.Helper()
	w.submit("juno", jobs, 10*time.Hour)
	p := w.pool(t, dir, playPolicy(), more...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	require.NoError(t, p.Run(ctx))
	synctest.Wait()
	require.Equal(t, jobs, w.count())
	return p
}

// A failed question never shrinks the pool; it keeps what it knew, says how old that is, and goes on asking.
func TestBlindSensorsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		fault  func(*playWorld)
		frozen string
		sensor string
	}{
		{"VCondor took a failed condor_q for no jobs", func(w *playWorld) { w.before["jobs"] = always(errDead) }, "jobs of jobs: ", "jobs/jobs"},
		{"a failed collector query ended the daemon", func(w *playWorld) { w.before["workers"] = always(errDead) }, "workers: ", "workers"},
		{"the cloud is down", func(w *playWorld) { w.before["north servers"] = always(transient) }, "cloud north: ", "cloud/north"},
		{"limits are not told", func(w *playWorld) { w.before["north limits"] = always(transient) }, "cloud north: ", "cloud/north"},
		{"a restarted collector is empty", func(w *playWorld) { w.silent, w.young = true, 5*time.Second }, "workers: the directory is up", ""},
		{"an empty collector", func(w *playWorld) { w.silent = true }, "workers are missing at once", ""},
		{"a list of servers cut short", func(w *playWorld) { w.partial = true }, "cloud north: its list of servers is not complete", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				p := served(t, w, dir, 6)
				w.set(func() {
					test.fault(w)
					for _, job := range w.jobs[:2] { // two are idle now, and would be surplus
						job.runtime = time.Second
					}
				})
				created, cycles := w.calls("north create"), p.Status().Cycles
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				require.NoError(t, p.Run(ctx))

				status := p.Status()
				assert.Equal(t, 6, w.count(), "nothing was deleted")
				assert.Equal(t, created, w.calls("north create"), "nothing was made")
				assert.Zero(t, w.calls("drain"))
				assert.Greater(t, status.Cycles, cycles+200, "the loop goes on")
				assert.Contains(t, strings.Join(status.Decision.Frozen, "\n"), test.frozen)
				for _, sensor := range status.Sensors {
					if sensor.Name == test.sensor {
						assert.Greater(t, sensor.Age, 3000.0, "the last good value is kept, and is known to be old")
						assert.NotEmpty(t, sensor.Err)
					}
				}

				w.set(func() {
					clear(w.before)
					w.silent, w.young, w.partial = false, 0, false
				})
				runFor(t, p, time.Hour)
				assert.Equal(t, 4, w.count(), "it sees again, and the two idle ones have left")
				assert.Zero(t, w.killed)
			})
		})
	}
}

// A sensor that hangs for ever and heeds no deadline stops neither the loop nor the other sensors.
func TestHangingSensorStopsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 2)
		release := make(chan struct{})
		w.set(func() { w.hang["workers"] = release })
		asked := w.calls("workers")
		w.submit("juno", 1, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Equal(t, 3, w.count(), "it grows on")
		assert.Equal(t, asked+1, w.calls("workers"), "there are never two looks at once")
		sensors := p.Status().Sensors
		assert.Contains(t, sensors[2].Err, "it hangs: no answer for")
		assert.Greater(t, sensors[2].Looking, 500.0)
		close(release)
		w.set(func() { delete(w.hang, "workers") })
		runFor(t, p, 10*time.Minute)
		assert.Empty(t, p.Status().Sensors[2].Err)
	})
}

// VCondor joined the threads of its VMs: one that was slow to start stopped the scaling of its queue for ten minutes.
func TestSlowVMStopsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		release := make(chan struct{})
		w.hang["north create"] = release
		w.submit("juno", 1, time.Minute)
		p := w.pool(t, dir, playPolicy(), WithTimeouts(time.Minute, 10*time.Minute))
		go func() {
			time.Sleep(time.Minute) // the first create hangs now
			w.set(func() { delete(w.hang, "north create") })
			w.submit("lhaaso", 2, time.Minute)
		}()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		status := p.Status()
		require.Len(t, status.Running, 1)
		assert.Equal(t, ActCreate, status.Running[0].Action.Kind)
		assert.GreaterOrEqual(t, w.made, 2, "others were made meanwhile")
		assert.LessOrEqual(t, w.unfinished(), 1)
		close(release)
		runFor(t, p, 20*time.Minute)
		assert.Zero(t, w.unfinished())
		assert.Zero(t, w.count())
	})
}

// An action that heeds no deadline is left alone after it, but its directory stays locked.
func TestHangingActionIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		release := make(chan struct{})
		w.hang["north create"] = release
		w.submit("juno", 1, time.Minute)
		var unknown []Outcome
		p := w.pool(t, dir, playPolicy(), WithTimeouts(time.Minute, time.Minute), WithObserver(func(in Input, _ Decision) {
			unknown = append(unknown, in.Outcomes...)
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		require.Len(t, unknown, 1)
		assert.Equal(t, "unknown_outcome", unknown[0].Error)
		assert.Equal(t, "it hangs: no answer for 1m5s", unknown[0].Detail)

		require.ErrorContains(t, p.Close(), "actions do not end")
		_, err := NewPool(t.Context(), w.config(dir, playPolicy()), w.options()...)
		require.ErrorContains(t, err, "another leader has the lock")
		close(release)
		synctest.Wait()
		require.NoError(t, p.Close())
	})
}

// VCondor leaked a socket and a thread of its quota service each round.
func TestRoundsLeakNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 3)
		for range 5 {
			_, err := p.Cycle(t.Context())
			require.NoError(t, err)
		}
		synctest.Wait()
		before := runtime.NumGoroutine()
		for range 200 {
			_, err := p.Cycle(t.Context())
			require.NoError(t, err)
		}
		synctest.Wait()
		assert.Less(t, runtime.NumGoroutine()-before, 100)
		require.NoError(t, p.Close())
	})
}

// The clock is set while VMs boot, idle and run jobs.
func TestClockThatIsSet(t *testing.T) {
	t.Parallel()
	for _, jump := range []time.Duration{-3 * time.Hour, 3 * time.Hour, -300 * 24 * time.Hour, 40 * 365 * 24 * time.Hour} {
		t.Run(jump.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w := newPlayWorld()
				start := time.Now()
				wall := func() time.Time {
					if now := time.Now(); now.Sub(start) < 200*time.Second {
						return now
					}
					return time.Now().Add(jump)
				}
				var last time.Time
				var steps []time.Duration
				p := served(t, w, dir, 4, func(o *poolOptions) error {
					o.wall = wall
					return nil
				}, WithObserver(func(in Input, _ Decision) {
					assert.False(t, in.Now.Before(last), "time does not go back")
					if in.ClockStep != 0 {
						steps = append(steps, in.ClockStep)
					}
					last = in.Now
				}))
				w.submit("lhaaso", 2, time.Minute) // they boot at the jump
				runFor(t, p, 3*time.Minute)
				assert.Equal(t, 6, w.count())
				assert.Equal(t, 6, w.made, "none was given up")
				assert.Zero(t, w.killed)
				assert.Equal(t, []time.Duration{jump}, steps)
			})
		})
	}
}

// A disk that is full lets nothing begin; when there is room again, all goes on.
func TestFullDiskBeginsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		full := fmt.Errorf("no space left on device")
		p := w.pool(t, dir, playPolicy())
		w.set(func() { w.before["append"] = always(full) })
		w.submit("juno", 2, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		require.NoError(t, p.Run(ctx))
		assert.Zero(t, w.calls("north create"))
		assert.Contains(t, p.Status().Error, "no space left on device")
		require.ErrorIs(t, p.Do(Command{Kind: CmdFreeze}), full, "a command that would be forgotten is not taken")
		w.set(func() { clear(w.before) })
		runFor(t, p, 30*time.Minute)
		assert.Zero(t, w.unfinished())
		assert.Zero(t, w.count())
		assert.Empty(t, p.Status().Decision.Frozen)
	})
}

func TestStatusIsJSON(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w := newPlayWorld()
		p := served(t, w, dir, 2)
		text, err := json.Marshal(p.Status())
		require.NoError(t, err)
		var status Status
		require.NoError(t, json.Unmarshal(text, &status))
		require.Len(t, status.VMs, 2)
		assert.Equal(t, Joined, status.VMs[0].State)
		assert.Equal(t, int64(1), status.Generation)
		assert.Equal(t, "play", status.Pool)
		assert.Positive(t, status.Cycles)
		names := []string{}
		for _, sensor := range status.Sensors {
			names = append(names, sensor.Name)
			assert.Less(t, sensor.Age, 16.0)
		}
		assert.Equal(t, []string{"cloud/north", "jobs/jobs", "workers"}, names)
		assert.Equal(t, []BreakerStatus{{Cloud: "north", State: BreakerClosed}}, status.Breakers)
		require.NoError(t, p.Close())
	})
}
