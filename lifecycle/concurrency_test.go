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
