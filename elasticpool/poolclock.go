package elasticpool

import (
	"sync"
	"time"
)

// poolClock tells the time on which decisions are made. It follows the wall clock, because jobs and servers bear its
// times, but it never goes back and never jumps: where the wall clock is set anew, it runs at half or twice its speed until
// they agree. Otherwise every time-out of the pool could pass in one moment.
type poolClock struct {
	wall func() time.Time

	mu      sync.Mutex
	told    time.Time
	reading time.Time // of the monotonic clock, when told was told
	seen    time.Time // on the wall then
	step    time.Duration
}

func newPoolClock(wall func() time.Time) *poolClock {
	now := wall().UTC().Round(0)
	return &poolClock{wall: wall, told: now, reading: time.Now(), seen: now}
}

// now returns the time.
func (c *poolClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	reading, wall := time.Now(), c.wall().UTC().Round(0)
	elapsed := reading.Sub(c.reading)
	c.step += wall.Sub(c.seen) - elapsed
	c.told = follow(c.told, wall, elapsed)
	c.reading, c.seen = reading, wall
	return c.told
}

// follow returns the time to tell when some time has passed since told, and the wall clock shows another.
func follow(told, wall time.Time, elapsed time.Duration) time.Time {
	return told.Add(min(max(wall.Sub(told), elapsed/2), 2*elapsed))
}

// stepped returns by how much the wall clock was set since the last call, if that is more than it drifts.
func (c *poolClock) stepped() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := c.step
	c.step = 0
	if step.Abs() < time.Second {
		return 0
	}
	return step
}
