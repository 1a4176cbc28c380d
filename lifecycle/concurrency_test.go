package lifecycle_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// TestDeleteDuringTheWaitTakesEffectAtOnce: a device that takes its time to be programmed holds up no deletion. In Nova the
// deletion is served when the wait has ended.
func TestDeleteDuringTheWaitTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start()
		request := worldRequest(programmed)
		var created error
		var building sync.WaitGroup
		building.Go(func() { _, created = p.Create(t.Context(), request) })
		time.Sleep(programmingTime / 4)
		synctest.Wait()

		_, err := p.Stop(t.Context(), w.record(request.Consumer.UUID))
		require.Error(t, err, "an operation runs, and is on record")
		_, err = p.Resume(t.Context(), w.record(request.Consumer.UUID))
		require.ErrorIs(t, err, lifecycle.ErrBusy)
		asked := time.Now()
		require.NoError(t, p.Delete(t.Context(), lifecycle.Record{Version: lifecycle.RecordVersion, Consumer: request.Consumer, State: lifecycle.StateNone}))
		assert.Zero(t, time.Since(asked))
		building.Wait()
		require.ErrorIs(t, created, lifecycle.ErrDeleted)
		time.Sleep(programmingTime)
		assert.Empty(t, w.violations())
	})
}

// TestBuildsAreBounded: no more instances than WithParallelBuilds says are being built at a time.
func TestBuildsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4, fakecyborg.Newest())
		var running, most atomic.Int64
		p := w.start(lifecycle.WithParallelBuilds(3), lifecycle.WithObserver(func(_ context.Context, s lifecycle.Step) {
			switch s.ID {
			case lifecycle.StepProfile:
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
			case lifecycle.StepGuest:
				running.Add(-1)
			default:
			}
		}))
		requests := make([]lifecycle.CreateRequest, 12)
		for i := range requests {
			requests[i] = worldRequest(oneGPU)
		}
		for _, outcome := range p.CreateMany(t.Context(), requests) {
			require.NoError(t, outcome.Err)
		}
		assert.EqualValues(t, 3, most.Load())
		assert.Empty(t, w.violations())
	})
}

// TestCancelledBuildsThatWait leave without having done anything.
func TestCancelledBuildsThatWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start(lifecycle.WithParallelBuilds(1))
		ctx, cancel := context.WithCancel(t.Context())
		requests := []lifecycle.CreateRequest{worldRequest(programmed), worldRequest(programmed), worldRequest(programmed)}
		var outcomes []lifecycle.Outcome
		var building sync.WaitGroup
		building.Go(func() { outcomes = p.CreateMany(ctx, requests) })
		synctest.Wait()
		cancel()
		building.Wait()
		for _, outcome := range outcomes {
			require.ErrorIs(t, outcome.Err, context.Canceled)
		}
		time.Sleep(programmingTime)
		assert.Empty(t, w.violations())
	})
}

// TestOneBuildDoesNotWaitForMany: the builds take turns by request, so that one instance is there long before the twenty
// that were asked for earlier.
func TestOneBuildDoesNotWaitForMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 6, fakecyborg.Newest())
		var running, most, done atomic.Int64
		p := w.start(lifecycle.WithParallelBuilds(2), lifecycle.WithObserver(func(_ context.Context, s lifecycle.Step) {
			switch s.ID {
			case lifecycle.StepProfile:
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Second)
			case lifecycle.StepGuest:
				running.Add(-1)
				done.Add(1)
			default:
			}
		}))
		requests := make([]lifecycle.CreateRequest, 20)
		for i := range requests {
			requests[i] = worldRequest(oneGPU)
		}
		var building sync.WaitGroup
		building.Go(func() {
			for _, outcome := range p.CreateMany(t.Context(), requests) {
				assert.NoError(t, outcome.Err)
			}
		})
		synctest.Wait()
		p.create(t, worldRequest(oneGPU))
		assert.LessOrEqual(t, done.Load(), int64(5), "the first two, its own, and who ran beside it")
		building.Wait()
		assert.EqualValues(t, 21, done.Load())
		assert.EqualValues(t, 2, most.Load())
		assert.Empty(t, w.violations())
	})
}

// staleOperations are tried with an older copy of a record.
var staleOperations = map[string]func(context.Context, *process, lifecycle.Record) error{
	"stop":   func(ctx context.Context, p *process, r lifecycle.Record) error { return failureOf(p.Stop(ctx, r)) },
	"delete": func(ctx context.Context, p *process, r lifecycle.Record) error { return p.Delete(ctx, r) },
	"evacuate": func(ctx context.Context, p *process, r lifecycle.Record) error {
		return failureOf(p.Evacuate(ctx, r, lifecycle.MoveRequest{}))
	},
}

// refusesStale runs an operation with an older copy of a record: it is refused, and nothing is touched.
func refusesStale(t *testing.T, w *world, older lifecycle.Record, operation func(context.Context, *process, lifecycle.Record) error) {
	t.Helper()
	stored, guests := w.record(older.Instance()), w.guestOf(older)
	p := w.start()
	require.ErrorIs(t, operation(t.Context(), p, older), lifecycle.ErrStale)
	for _, c := range p.gate.log() {
		assert.False(t, changing(c) || ofGuest(c), "%s", c)
	}
	assert.Equal(t, stored, w.record(older.Instance()))
	assert.Equal(t, guests, w.guestOf(older))
	assert.Empty(t, w.violations())
}

// TestOlderRecordIsRefused: what an instance was before its last operation is no ground for the next one.
func TestOlderRecordIsRefused(t *testing.T) {
	t.Parallel()
	for name, operation := range staleOperations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				p := w.start()
				older := p.create(t, worldRequest(oneGPU))
				_, err := p.SoftReboot(t.Context(), older)
				require.NoError(t, err)
				refusesStale(t, w, older, operation)
			})
		})
	}
}

// TestRecordOfADeletedInstanceIsRefused: nothing of it comes back, and nothing is taken from who has its devices now.
func TestRecordOfADeletedInstanceIsRefused(t *testing.T) {
	t.Parallel()
	for name, operation := range staleOperations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				p := w.start()
				gone := p.create(t, worldRequest(oneGPU))
				require.NoError(t, p.Delete(t.Context(), gone))
				p.create(t, worldRequest(oneGPU))
				refusesStale(t, w, gone, operation)
			})
		})
	}
}
