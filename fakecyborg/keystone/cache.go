package keystone

import (
	"container/list"
	"crypto/sha256"
	"sync"
	"time"
)

// cache remembers verdicts, of the tokens that were used last. It does not keep the
// tokens themselves.
type cache struct {
	limit int
	life  time.Duration

	mu      sync.Mutex
	entries map[[sha256.Size]byte]*list.Element
	// order has the entry that was used last in front.
	order *list.List
}

type entry struct {
	key   [sha256.Size]byte
	found verdict
	until time.Time
}

func newCache(limit int, life time.Duration) *cache {
	return &cache{limit: limit, life: life, entries: make(map[[sha256.Size]byte]*list.Element), order: list.New()}
}

func (c *cache) get(token string) (verdict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, known := c.entries[sha256.Sum256([]byte(token))]
	if !known {
		return verdict{}, false
	}
	kept, _ := element.Value.(entry)
	if !time.Now().Before(kept.until) {
		c.drop(element)
		return verdict{}, false
	}
	c.order.MoveToFront(element)
	return kept.found, true
}

func (c *cache) put(token string, found verdict) {
	if c.limit == 0 || c.life == 0 {
		return
	}
	key := sha256.Sum256([]byte(token))
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, known := c.entries[key]; known {
		c.drop(element)
	}
	c.entries[key] = c.order.PushFront(entry{key: key, found: found, until: time.Now().Add(c.life)})
	if c.order.Len() > c.limit {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(element *list.Element) {
	kept, _ := c.order.Remove(element).(entry)
	delete(c.entries, kept.key)
}
