package fakecyborg

import (
	"errors"
	"sync"
	"time"
)

// clock is where the times of objects come from. Waits do not ask it.
type clock struct {
	base func() time.Time

	mu sync.RWMutex
	// fixed is the time that it shows for ever, zero when it goes.
	fixed  time.Time
	offset time.Duration
}

// now is the time that the clock shows.
func (c *clock) now() time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.fixed.IsZero() {
		return c.fixed
	}
	return c.base().Add(c.offset)
}

// set stops the clock at a time, or, when that is zero, lets it go with an offset.
func (c *clock) set(fixed time.Time, offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fixed, c.offset = fixed, offset
}

// setting is what the clock was set to.
func (c *clock) setting() (fixed time.Time, offset time.Duration) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.fixed, c.offset
}

// WithClock takes the times of objects, created_at and updated_at, from that
// function; the default is [time.Now]. Waits, of faults and others, take as long
// as they take whatever it says.
func WithClock(now func() time.Time) Option {
	return func(c *config) error {
		if now == nil {
			return errors.New("with clock: no function")
		}
		c.clock = &clock{base: now}
		return nil
	}
}

// SetClock stops the server's clock at that time, so that all objects made or
// changed from now on bear it. The zero time lets it go again.
func (s *Server) SetClock(fixed time.Time) {
	s.store.clock.set(fixed, 0)
	s.keeper.keepAll()
}

// SetClockOffset lets the server's clock go before or, with a negative offset,
// after the true time.
func (s *Server) SetClockOffset(offset time.Duration) {
	s.store.clock.set(time.Time{}, offset)
	s.keeper.keepAll()
}
