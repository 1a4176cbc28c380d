package virtdriver

import (
	"slices"
	"strings"
	"sync"
)

// eventKey is what Nova's table calls (instance, (name, tag))
// (nova/compute/manager.py, InstanceEvents). It is a value of three fields and
// never a joined text, since uuids hold the dashes one would join with.
type eventKey struct{ instance, name, tag string }

func keyOf(instance, name, tag string) eventKey {
	return eventKey{strings.ToLower(instance), name, strings.ToLower(tag)}
}

// dispatcher hands each event to the subscriptions that wait for its key. Its
// zero value is ready.
type dispatcher struct {
	mu      sync.Mutex
	waiting map[eventKey][]*subscription
}

// subscription receives at most one event per key: an entry leaves the table
// when its event comes, so doubles find nobody and the inbox, which has room
// for one event per key, never blocks.
type subscription struct {
	inbox chan Event
	keys  []eventKey
}

func (d *dispatcher) subscribe(keys []eventKey) *subscription {
	s := &subscription{inbox: make(chan Event, len(keys)), keys: keys}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting == nil {
		d.waiting = make(map[eventKey][]*subscription)
	}
	for _, key := range keys {
		d.waiting[key] = append(d.waiting[key], s)
	}
	return s
}

func (d *dispatcher) unsubscribe(s *subscription) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range s.keys {
		rest := slices.DeleteFunc(d.waiting[key], func(other *subscription) bool { return other == s })
		if len(rest) == 0 {
			delete(d.waiting, key)
			continue
		}
		d.waiting[key] = rest
	}
}

func (d *dispatcher) deliver(e Event) bool {
	key := keyOf(e.ServerUUID, e.Name, e.Tag)
	d.mu.Lock()
	defer d.mu.Unlock()
	subscriptions := d.waiting[key]
	delete(d.waiting, key)
	for _, s := range subscriptions {
		s.inbox <- e
	}
	return len(subscriptions) > 0
}

func (d *dispatcher) entries() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for _, subscriptions := range d.waiting {
		n += len(subscriptions)
	}
	return n
}
