package fakecyborg

import (
	"sync"
	"sync/atomic"
)

// countingLock is a lock that counts how often it was held for writing, which is
// how a state file notices changes.
type countingLock struct {
	sync.RWMutex
	writes atomic.Uint64
}

// Unlock ends a change.
func (l *countingLock) Unlock() {
	l.writes.Add(1)
	l.RWMutex.Unlock()
}
