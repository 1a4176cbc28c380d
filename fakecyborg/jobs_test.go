package fakecyborg

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What starts after a drop is not waited for: jobs may keep coming for ever.
func TestDropWaitsForNoNewJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJobs()
		old := j.now()
		j.start(old, background{kind: "old"}, func(ctx context.Context) {
			<-ctx.Done()
			time.Sleep(time.Second)
		})
		began := time.Now()
		go func() {
			time.Sleep(time.Millisecond)
			j.start(old, background{kind: "late"}, func(context.Context) { panic("it belongs to what has ended") })
			j.start(j.now(), background{kind: "new"}, func(ctx context.Context) { <-ctx.Done() })
		}()
		require.NoError(t, j.drop(t.Context()))
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, []string{"0 new: "}, j.running())
		j.end()
		assert.Empty(t, j.running())
	})
}

func TestDropEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJobs()
		j.start(j.now(), background{}, func(context.Context) { time.Sleep(time.Hour) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, j.drop(ctx), context.DeadlineExceeded)
		time.Sleep(2 * time.Hour)
	})
}

// Many jobs are told in few words.
func TestRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		j := newJobs()
		defer j.end()
		for i := range 5 {
			j.start(j.now(), background{kind: "events", of: []string{fmt.Sprint("e", i)}}, func(ctx context.Context) { <-ctx.Done() })
		}
		j.start(j.now(), background{kind: "binds", of: []string{"b", "a"}}, func(ctx context.Context) { <-ctx.Done() })
		assert.Equal(t, []string{"2 binds: a, b", "5 events: e0, e1, e2 and 2 more"}, j.running())
	})
}
