package elasticpool

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Whatever happens to the wall clock, the pool's clock goes on, at half to twice the true speed, and meets the wall clock
// again when that is left alone.
func TestPropertyPoolClock(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wall := time.Unix(1_800_000_000, 0)
		told := wall
		for range rapid.IntRange(1, 20).Draw(t, "times") {
			elapsed := time.Duration(rapid.IntRange(0, 100_000).Draw(t, "elapsed")) * time.Millisecond
			step := time.Duration(rapid.IntRange(-3600, 3600).Draw(t, "step")) * time.Second
			wall = wall.Add(elapsed + step)
			next := follow(told, wall, elapsed)
			require.GreaterOrEqual(t, next.Sub(told), elapsed/2)
			require.LessOrEqual(t, next.Sub(told), 2*elapsed)
			told = next
		}
		patience := 2 * wall.Sub(told).Abs()
		assert.Equal(t, wall.Add(patience), follow(told, wall.Add(patience), patience))
	})
}

func TestPoolClockTellsSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var offset time.Duration
		clock := newPoolClock(func() time.Time { return time.Now().Add(offset) })
		start := clock.now()
		time.Sleep(time.Minute)
		offset = -time.Hour
		assert.Equal(t, 30*time.Second, clock.now().Sub(start), "half as fast")
		offset = -2 * time.Hour
		assert.Equal(t, 30*time.Second, clock.now().Sub(start))
		assert.Equal(t, -2*time.Hour, clock.stepped())
		offset += 900 * time.Millisecond
		clock.now()
		assert.Zero(t, clock.stepped(), "clocks drift")
		offset = 3 * time.Hour
		time.Sleep(time.Minute)
		assert.Equal(t, 150*time.Second, clock.now().Sub(start), "twice as fast")
		time.Sleep(4 * time.Hour)
		assert.Equal(t, time.Now().Add(offset).UTC(), clock.now())
	})
}
