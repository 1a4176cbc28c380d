package keystone

import (
	"context"
	"sync"
)

// flights lets those who ask for the same thing at the same time share one answer.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
}

// flight is one question; found and err may be read when done is closed.
type flight struct {
	done  chan struct{}
	found verdict
	err   error
}

// do asks, unless that is under way already. Each who waits keeps its own deadline,
// and the question goes on when one of them gives up.
func (f *flights) do(ctx context.Context, key string, ask func(context.Context) (verdict, error)) (verdict, error) {
	f.mu.Lock()
	shared, flying := f.running[key]
	if !flying {
		shared = &flight{done: make(chan struct{})}
		f.running[key] = shared
		go f.run(context.WithoutCancel(ctx), key, shared, ask)
	}
	f.mu.Unlock()
	select {
	case <-shared.done:
		return shared.found, shared.err
	case <-ctx.Done():
		return verdict{}, ctx.Err()
	}
}

func (f *flights) run(ctx context.Context, key string, shared *flight, ask func(context.Context) (verdict, error)) {
	ctx, cancel := context.WithTimeout(ctx, validationTimeout)
	defer cancel()
	shared.found, shared.err = ask(ctx)
	f.mu.Lock()
	delete(f.running, key)
	f.mu.Unlock()
	close(shared.done)
}
