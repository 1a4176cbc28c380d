package console_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

func points(t *testing.T, c *console.Console) []console.Point {
	t.Helper()
	var list []console.Point
	require.NoError(t, json.Unmarshal(ask(t, c.Handler(), "GET", "/api/history", "").Body.Bytes(), &list))
	return list
}

// TestHistoryGrowsCoarser: a week of cycles is kept from its beginning, in no more than so many points, evenly spaced.
func TestHistoryGrowsCoarser(t *testing.T) {
	t.Parallel()
	c, err := console.New(policy())
	require.NoError(t, err)
	const cycles = 7 * 24 * 240
	for i := range cycles {
		d := elasticpool.Decision{At: noon.Add(time.Duration(i) * 15 * time.Second), Classes: []elasticpool.ClassView{
			{States: map[elasticpool.VMState]int{elasticpool.Joined: 2}}, {States: map[elasticpool.VMState]int{elasticpool.Joined: 3, elasticpool.Warm: 1}},
		}}
		c.Observe(elasticpool.Input{}, d)
	}
	list := points(t, c)
	assert.Less(t, len(list), 1440)
	assert.Greater(t, len(list), 600)
	assert.Equal(t, noon, list[0].At)
	assert.Equal(t, map[elasticpool.VMState]int{elasticpool.Joined: 5, elasticpool.Warm: 1}, list[0].States, "of all classes together")
	apart := list[1].At.Sub(list[0].At)
	for i := range list[1:] {
		assert.Equal(t, apart, list[i+1].At.Sub(list[i].At))
	}
	assert.Less(t, noon.Add(cycles*15*time.Second).Sub(list[len(list)-1].At), 2*apart, "it is as new as it is old")
}

func TestHistoryOfQueues(t *testing.T) {
	t.Parallel()
	c, _ := shown(t)
	frozen := decision()
	frozen.Frozen = []string{"doubt"}
	c.Observe(input(), frozen)
	list := points(t, c)
	require.Len(t, list, 2)
	assert.Equal(t, console.QueuePoint{Waiting: 3, Running: 1, Serving: 1, Target: 2}, list[0].Queues["lhaaso"])
	assert.False(t, list[0].Frozen)
	assert.True(t, list[1].Frozen)
}
