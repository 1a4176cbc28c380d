package openstack

import (
	"sync"
	"time"
)

// cache remembers what names stand for. Its zero value remembers nothing for long.
type cache[T any] struct {
	age     time.Duration
	mutex   sync.Mutex
	entries map[string]entry[T]
}

type entry[T any] struct {
	value T
	at    time.Time
}

// get returns what a name stood for when it was last looked up, if that is not too long ago.
func (c *cache[T]) get(name string) (T, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	e, ok := c.entries[name]
	if ok && time.Since(e.at) >= c.age {
		delete(c.entries, name)
		ok = false
	}
	return e.value, ok
}

func (c *cache[T]) put(name string, value T) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.entries == nil {
		c.entries = make(map[string]entry[T])
	}
	c.entries[name] = entry[T]{value, time.Now()}
}

// forget drops a name, and says whether it was remembered.
func (c *cache[T]) forget(name string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, ok := c.entries[name]
	delete(c.entries, name)
	return ok
}
