package journal

import (
	"container/list"
	"maps"
)

// tallies counts entries by operation, all of them and those of each scope. Of the
// scopes it knows as many as the limit says, those that were used last.
type tallies struct {
	limit  int
	all    map[string]int
	scopes map[string]*list.Element
	// order has the scope that was used last in front.
	order *list.List
}

// tally is what one scope has.
type tally struct {
	scope  string
	counts map[string]int
}

func newTallies(limit int) *tallies {
	return &tallies{limit: limit, all: make(map[string]int), scopes: make(map[string]*list.Element), order: list.New()}
}

func (t *tallies) add(scope, operation string) {
	t.all[operation]++
	if scope == "" {
		return
	}
	element, known := t.scopes[scope]
	if !known {
		element = t.order.PushFront(tally{scope: scope, counts: make(map[string]int)})
		t.scopes[scope] = element
	}
	t.order.MoveToFront(element)
	of(element).counts[operation]++
	if t.order.Len() > t.limit {
		t.forget(t.order.Back())
	}
}

// of is the tally in an element.
func of(element *list.Element) tally {
	kept, _ := element.Value.(tally)
	return kept
}

func (t *tallies) forget(element *list.Element) {
	delete(t.scopes, of(element).scope)
	t.order.Remove(element)
}

// counts is a copy of the counts of a scope; "" is all.
func (t *tallies) counts(scope string) map[string]int {
	counts := t.all
	if scope != "" {
		counts = nil
		if element, known := t.scopes[scope]; known {
			counts = of(element).counts
		}
	}
	copied := make(map[string]int, len(counts))
	maps.Copy(copied, counts)
	return copied
}

// clear forgets a scope, or with "" all.
func (t *tallies) clear(scope string) {
	if scope == "" {
		*t = *newTallies(t.limit)
		return
	}
	element, known := t.scopes[scope]
	if !known {
		return
	}
	for operation, count := range of(element).counts {
		if t.all[operation] -= count; t.all[operation] == 0 {
			delete(t.all, operation)
		}
	}
	t.forget(element)
}
