package virtdriver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
)

// ErrReceiverClosed is why a wait ends, or does not begin, when its receiver is
// closed.
var ErrReceiverClosed = errors.New("the event receiver is closed")

// eventKey is what Nova's table calls (instance, (name, tag))
// (nova/compute/manager.py, InstanceEvents). It is a value of three fields and
// never a joined text, since uuids hold the dashes one would join with.
type eventKey struct{ instance, name, tag string }

func keyOf(instance, name, tag string) eventKey {
	return eventKey{strings.ToLower(instance), name, strings.ToLower(tag)}
}

func pluralKey(instance string) eventKey { return keyOf(instance, EventsBound, "") }

// dispatcher hands each event to the subscriptions that wait for its key. Its
// zero value is ready.
type dispatcher struct {
	mu      sync.Mutex
	closed  bool
	waiting map[eventKey][]*subscription
}

// subscription receives one event per ARQ and those of the plural form. An
// ARQ's entry leaves the table when its event comes, so doubles find nobody.
// The inbox never blocks: when it is full, what it holds wakes the wait.
type subscription struct {
	inbox chan Event
	keys  []eventKey
	end   context.CancelCauseFunc
}

// subscribe registers a wait for the ARQs of an instance; end is called when
// the dispatcher closes.
func (d *dispatcher) subscribe(want Expectation, end context.CancelCauseFunc) (*subscription, error) {
	keys := []eventKey{pluralKey(want.Instance)}
	for _, arq := range want.ARQs {
		keys = append(keys, keyOf(want.Instance, EventBound, arq))
	}
	s := &subscription{inbox: make(chan Event, 2*len(keys)), keys: keys, end: end}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrReceiverClosed
	}
	if d.waiting == nil {
		d.waiting = make(map[eventKey][]*subscription)
	}
	for _, key := range keys {
		d.waiting[key] = append(d.waiting[key], s)
	}
	return s, nil
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
	key := e.key()
	d.mu.Lock()
	defer d.mu.Unlock()
	subscriptions := d.waiting[key]
	if e.Name != EventsBound { // several profiles of one instance send one each
		delete(d.waiting, key)
	}
	for _, s := range subscriptions {
		select {
		case s.inbox <- e:
		default:
		}
	}
	return len(subscriptions) > 0
}

// close ends all waits and lets no new one in.
func (d *dispatcher) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, subscriptions := range d.waiting {
		for _, s := range subscriptions {
			s.end(ErrReceiverClosed)
		}
	}
}

func (d *dispatcher) isClosed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closed
}

// entries counts the ARQs that are waited for.
func (d *dispatcher) entries() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for key, subscriptions := range d.waiting {
		if key.name != EventsBound {
			n += len(subscriptions)
		}
	}
	return n
}
