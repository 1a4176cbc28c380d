package lifecycle

import (
	"context"
	"slices"
	"sync"
)

// turnstile lets a bounded number of builds run at a time. Those who wait are let in by turns, one of each group of
// builds: a request for one instance does not wait until a request for a thousand is done.
type turnstile struct {
	mu     sync.Mutex
	free   int
	groups []*queue // those with somebody waiting; the first is next
}

// queue is one group of builds: those of one request.
type queue struct{ waiting []chan struct{} }

// enter waits for a turn. The caller leaves when it is done.
func (t *turnstile) enter(ctx context.Context, group *queue) error {
	ticket := t.draw(group)
	if ticket == nil {
		return nil
	}
	select {
	case <-ticket:
		return nil
	case <-ctx.Done():
		t.giveUp(group, ticket)
		return context.Cause(ctx)
	}
}

// draw takes a free place, or a ticket that is closed when there is one.
func (t *turnstile) draw(group *queue) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil
	}
	if len(group.waiting) == 0 {
		t.groups = append(t.groups, group)
	}
	ticket := make(chan struct{})
	group.waiting = append(group.waiting, ticket)
	return ticket
}

// giveUp takes a ticket back. Where it was just called, the place goes to the next one.
func (t *turnstile) giveUp(group *queue, ticket chan struct{}) {
	t.mu.Lock()
	i := slices.Index(group.waiting, ticket)
	if i >= 0 {
		group.waiting = slices.Delete(group.waiting, i, i+1)
		if len(group.waiting) == 0 {
			t.groups = slices.DeleteFunc(t.groups, func(q *queue) bool { return q == group })
		}
	}
	t.mu.Unlock()
	if i < 0 {
		t.leave()
	}
}

// leave gives the place to the next group's first.
func (t *turnstile) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.groups) == 0 {
		t.free++
		return
	}
	group := t.groups[0]
	t.groups = t.groups[1:]
	ticket := group.waiting[0]
	group.waiting = group.waiting[1:]
	if len(group.waiting) > 0 {
		t.groups = append(t.groups, group)
	}
	close(ticket)
}
