package lifecycle

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnwindRunsBackwardsAndGoesOn(t *testing.T) {
	t.Parallel()
	var told []Step
	m := &Manager{config: config{undoTimeout: time.Minute, observe: func(s Step) { told = append(told, s) }}}
	broken := errors.New("broken")
	log := &undoLog{}
	log.add(StepClaim, func(context.Context) error { return nil })
	log.add(StepARQs, func(context.Context) error { return broken })
	log.add(StepBind, func(context.Context) error { return nil })

	err := m.unwind(t.Context(), log, Step{Instance: "i", Attempt: 3})
	require.ErrorIs(t, err, broken)
	require.Len(t, told, 3)
	for i, want := range []StepID{StepBind, StepARQs, StepClaim} {
		assert.Equal(t, want, told[i].ID)
		assert.True(t, told[i].Undo)
		assert.Equal(t, 3, told[i].Attempt)
	}
}

// TestUnwindOutlivesTheCaller: the caller's context may be what ended the attempt, the undo has a deadline of its own.
func TestUnwindOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &Manager{config: config{undoTimeout: time.Minute, observe: func(Step) {}}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		log := &undoLog{}
		log.add(StepClaim, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		})
		log.add(StepBind, func(ctx context.Context) error { return ctx.Err() })
		started := time.Now()
		err := m.unwind(ctx, log, Step{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(started))
	})
}
