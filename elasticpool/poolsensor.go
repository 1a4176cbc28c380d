package elasticpool

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// sensor looks at one thing and keeps what it last saw.
type sensor[T any] struct {
	name  string
	ask   func(context.Context) (T, error)
	clock *poolClock
	limit time.Duration // of a look

	mu    sync.Mutex
	seen  Seen[T]
	began time.Time     // of the last look
	done  chan struct{} // closed at the end of the look that is under way; nil: none is
}

// hangs is how long after its deadline something is taken for hanging: it does not heed its context.
const hangs = 5 * time.Second

// look begins a look and returns a channel that is closed at its end, or nil if a look is still under way.
func (s *sensor[T]) look(ctx context.Context, work *sync.WaitGroup) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		return nil
	}
	done, began := make(chan struct{}), s.clock.now()
	s.done, s.began = done, began
	work.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, s.limit)
		defer cancel()
		value, err := s.ask(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err != nil {
			s.seen = s.seen.Failed(err, began)
		} else {
			s.seen = s.seen.Saw(value, began) // as of the beginning: what happened meanwhile may be missing
		}
		s.done = nil
		close(done)
	})
	return done
}

// value returns what was seen last.
func (s *sensor[T]) value(now time.Time) Seen[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since := now.Sub(s.began); s.done != nil && since > s.limit+hangs {
		return s.seen.Failed(fmt.Errorf("it hangs: no answer for %s", since.Round(time.Second)), s.began)
	}
	return s.seen
}

// status returns how it is with the sensor.
func (s *sensor[T]) status(now time.Time) SensorStatus {
	seen := s.value(now)
	status := SensorStatus{Name: s.name, At: seen.At, Age: -1, Err: seen.Err}
	if !seen.At.IsZero() {
		status.Age = now.Sub(seen.At).Seconds()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done != nil {
		status.Looking = now.Sub(s.began).Seconds()
	}
	return status
}
