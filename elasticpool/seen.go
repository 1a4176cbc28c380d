package elasticpool

import "time"

// Seen is what a sensor last saw. A failed look never replaces a good one: it only sets Err and Tried, and the value
// grows old.
type Seen[T any] struct {
	Value T         `json:"value"`
	At    time.Time `json:"at,omitzero"`    // when the look that saw Value began; zero: never
	Tried time.Time `json:"tried,omitzero"` // when the sensor last looked
	Err   string    `json:"err,omitempty"`  // why the last look failed; empty: Value is what it saw
}

// Age returns how old the value is; a value that was never seen is as old as can be.
func (s Seen[T]) Age(now time.Time) time.Duration {
	if s.At.IsZero() {
		return 1<<63 - 1
	}
	return now.Sub(s.At)
}

// Saw returns what is known after a look that gave value.
func (Seen[T]) Saw(value T, now time.Time) Seen[T] {
	return Seen[T]{Value: value, At: now, Tried: now}
}

// Failed returns what is known after a look that failed: the old value, and the error beside it.
func (s Seen[T]) Failed(err error, now time.Time) Seen[T] {
	s.Tried, s.Err = now, err.Error()
	return s
}
