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
	return within(c.base().Add(c.offset))
}

// The times that a database, and a state file, can hold.
var (
	firstTime = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC) // one second earlier is no time at all
	lastTime  = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// storable tells whether a time is in the years 1 to 9999, in UTC.
func storable(t time.Time) bool { return t.Equal(within(t)) }

// within is the storable time nearest to t; fractions of the last second are let be.
func within(t time.Time) time.Time {
	switch {
	case t.Before(firstTime):
		return firstTime
	case t.Truncate(time.Second).After(lastTime):
		return lastTime
	}
	return t
}

// set stops the clock at a time, or, when that is zero, lets it go with an offset.
func (c *clock) set(fixed time.Time, offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !fixed.IsZero() {
		fixed = within(fixed.UTC())
	}
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
// changed from now on bear it. The zero time lets it go again; others before the
// year 1 or after 9999 are brought into that range, as are those of the clock itself.
func (s *Server) SetClock(fixed time.Time) {
	s.store.clock.set(fixed, 0)
	_ = s.keeper.keepAll() // which logs, and health tells
}

// SetClockOffset lets the server's clock go before or, with a negative offset,
// after the true time.
func (s *Server) SetClockOffset(offset time.Duration) {
	s.store.clock.set(time.Time{}, offset)
	_ = s.keeper.keepAll() // see SetClock
}
