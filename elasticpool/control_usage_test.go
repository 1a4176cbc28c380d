package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestUsageHalfLife: of two queues that are due the same, the one that has used less lately has the last VM. What was used
// long ago counts for less and less.
func TestUsageHalfLife(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		halfLife time.Duration
		last     string // queue that has the only VM in the end
	}{{10 * time.Minute, "lhaaso"}, {24 * time.Hour, "juno"}} {
		p := policy()
		p.Control.AccountAge = elasticpool.Duration(test.halfLife)
		p.Control.IdleTime = elasticpool.Duration(time.Minute)
		w := newWorld(t, p)
		w.total = elasticpool.Resources{"vms": 1}
		uses := func(name string, minutes int) {
			w.jobs = []elasticpool.JobGroup{waiting(name, 1)}
			w.steps(4)
			w.run()
			w.steps(4 * minutes)
			require.Equal(t, 1, queue(w.last, name).Busy)
			w.endJobs()
			w.jobs = nil
			w.steps(4 * 5)
			require.Empty(t, w.servers)
		}
		uses("lhaaso", 60)
		w.steps(4 * 60)
		uses("juno", 30)
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1), waiting("juno", 1)}
		w.steps(5)
		assert.Equal(t, 1, queue(w.last, test.last).Serving, test.halfLife)
		use := w.c.State().Queues
		if test.halfLife < time.Hour {
			assert.Less(t, use["lhaaso"].Use, use["juno"].Use)
		} else {
			assert.Greater(t, use["lhaaso"].Use, use["juno"].Use)
		}
	}
}
