package lifecycle

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstancesRunOneOperationEach(t *testing.T) {
	t.Parallel()
	var i instances
	ctx, leave, err := i.enter(t.Context(), "a")
	require.NoError(t, err)
	_, _, err = i.enter(t.Context(), "a")
	require.ErrorIs(t, err, ErrBusy)
	require.EqualError(t, err, "an operation is running of instance a: try again when it has ended")
	_, other, err := i.enter(t.Context(), "b")
	require.NoError(t, err, "another instance")
	require.NoError(t, ctx.Err())
	leave(Record{})
	require.Error(t, ctx.Err(), "nothing of it is left")
	_, leave, err = i.enter(t.Context(), "a")
	require.NoError(t, err, "it has ended")
	leave(Record{})
	other(Record{})
	assert.Empty(t, i.running)
}

func TestPreemptWithoutAnOperation(t *testing.T) {
	t.Parallel()
	var i instances
	left, err := i.preempt(t.Context(), "a", ErrDeleted)
	require.NoError(t, err)
	assert.Nil(t, left)
}

// Whoever preempts gets the record that the operation left when it had taken everything back, not an earlier one.
func TestPreemptWaitsForWhatIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var i instances
		ctx, leave, err := i.enter(t.Context(), "a")
		require.NoError(t, err)
		go func() {
			<-ctx.Done()
			assert.ErrorIs(t, context.Cause(ctx), ErrDeleted)
			time.Sleep(time.Minute) // takes back
			leave(Record{State: StateStopped, Left: []string{"cn1"}})
		}()
		started := time.Now()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				left, err := i.preempt(t.Context(), "a", ErrDeleted)
				if assert.NoError(t, err) && assert.NotNil(t, left) {
					assert.Empty(t, sameRecord(Record{State: StateStopped, Left: []string{"cn1"}}, *left))
				}
			})
		}
		all.Wait()
		assert.Equal(t, time.Minute, time.Since(started))
	})
}

func TestPreemptCanBeGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var i instances
		_, leave, err := i.enter(t.Context(), "a")
		require.NoError(t, err)
		reason := errors.New("no time")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, reason)
		defer cancel()
		left, err := i.preempt(ctx, "a", ErrDeleted)
		require.ErrorIs(t, err, reason)
		assert.Nil(t, left)
		_, _, err = i.enter(t.Context(), "a")
		require.ErrorIs(t, err, ErrBusy, "it still runs")
		leave(Record{})
	})
}

// Many who begin and preempt at once: never two at a time.
func TestInstancesTogether(t *testing.T) {
	t.Parallel()
	var i instances
	var running, ran atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				_, err := i.preempt(t.Context(), "a", ErrDeleted)
				assert.NoError(t, err) //nolint:testifylint // require must not end another goroutine
				_, leave, err := i.enter(t.Context(), "a")
				if err != nil {
					assert.ErrorIs(t, err, ErrBusy) //nolint:testifylint // as above
					continue
				}
				assert.Equal(t, int64(1), running.Add(1))
				ran.Add(1)
				running.Add(-1)
				leave(Record{})
			}
		})
	}
	all.Wait()
	assert.Positive(t, ran.Load())
	assert.Empty(t, i.running)
}
