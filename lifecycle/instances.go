package lifecycle

import (
	"context"
	"fmt"
	"sync"
)

// instances sees to it that one operation at a time runs on an instance.
type instances struct {
	mu      sync.Mutex
	running map[string]*occupant
}

// occupant is a running operation. When done is closed, record is what it left.
type occupant struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	record Record
}

// enter begins an operation, or refuses because one is running. The operation ends with leave.
func (i *instances) enter(ctx context.Context, instance string) (_ context.Context, leave func(Record), err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running[instance] != nil {
		return nil, nil, fmt.Errorf("%w of instance %s: try again when it has ended", ErrBusy, instance)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	mine := &occupant{cancel: cancel, done: make(chan struct{})}
	if i.running == nil {
		i.running = map[string]*occupant{}
	}
	i.running[instance] = mine
	return ctx, func(record Record) {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.running, instance)
		mine.record = record
		close(mine.done)
		cancel(nil)
	}, nil
}

// preempt ends the operation that runs on the instance, if any does, and returns the record that it left.
func (i *instances) preempt(ctx context.Context, instance string, cause error) (left *Record, err error) {
	i.mu.Lock()
	other := i.running[instance]
	i.mu.Unlock()
	if other == nil {
		return nil, nil //nolint:nilnil // nothing ran
	}
	other.cancel(cause)
	select {
	case <-other.done:
		return &other.record, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
