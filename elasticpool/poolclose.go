package elasticpool

import (
	"errors"
	"sync"
	"time"
)

// grace is how long actions may go on after Close.
const grace = 10 * time.Second

// Close waits a little for the actions that are under way, ends those that go on, and gives the directory to others. An
// action that does not end keeps the directory locked until the process ends, which the error says. Whatever was under way
// is found out by the next pool.
func (p *Pool) Close() error {
	p.mu.Lock()
	if p.lost == nil {
		p.lost = ErrPoolClosed
	}
	p.mu.Unlock()
	p.stopOpening()
	p.cycling.Lock() // and no cycle begins any more
	defer p.cycling.Unlock()
	ended := wait(&p.acts, grace)
	p.stopActing()
	if !ended && !wait(&p.acts, grace) {
		return errors.New("close pool: actions do not end; the directory stays locked until this process ends")
	}
	wait(&p.looks, time.Second) // what only looks does no harm
	errs := []error{p.log.Close()}
	if p.store != nil {
		errs = append(errs, p.store.Close())
	}
	if p.leader != nil {
		errs = append(errs, p.leader.Close())
	}
	return errors.Join(errs...)
}

// wait waits for a group, but not for ever.
func wait(group *sync.WaitGroup, limit time.Duration) bool {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}
