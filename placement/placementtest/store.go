package placementtest

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// set is a set of names or objects.
type set[T comparable] map[T]struct{}

func (s set[T]) has(v T) bool {
	_, ok := s[v]
	return ok
}

// setOf makes a set of values.
func setOf[T comparable](values ...T) set[T] {
	s := make(set[T], len(values))
	for _, v := range values {
		s[v] = struct{}{}
	}
	return s
}

// store is the whole state. Its methods expect the lock to be held: for reading by GET handlers, for writing by all others. A
// method that refuses leaves the state as it was.
type store struct {
	sync.RWMutex
	// strict refuses any write above capacity (release 13).
	strict bool
	seq    int

	providers map[string]*provider
	byName    map[string]*provider
	consumers map[string]*consumer
	// classes and traits hold every known name, in the order in which they came to be.
	classes []string
	traits  []string
	known   struct{ classes, traits set[string] }

	byClass     map[string]set[*provider]
	byTrait     map[string]set[*provider]
	byAggregate map[string]set[*provider]
}

// newStore makes a store with the standard classes and traits.
func newStore(strict bool) *store {
	s := &store{
		strict:      strict,
		providers:   make(map[string]*provider),
		byName:      make(map[string]*provider),
		consumers:   make(map[string]*consumer),
		classes:     names(standardClasses),
		traits:      names(standardTraits),
		byClass:     make(map[string]set[*provider]),
		byTrait:     make(map[string]set[*provider]),
		byAggregate: make(map[string]set[*provider]),
	}
	s.known.classes, s.known.traits = setOf(s.classes...), setOf(s.traits...)
	return s
}

// link adds a provider to one entry of an index.
func link(index map[string]set[*provider], key string, p *provider) {
	if index[key] == nil {
		index[key] = make(set[*provider])
	}
	index[key][p] = struct{}{}
}

// unlink takes a provider out of one entry of an index.
func unlink(index map[string]set[*provider], key string, p *provider) {
	delete(index[key], p)
	if len(index[key]) == 0 {
		delete(index, key)
	}
}

// inOrder sorts providers by age.
func inOrder(providers set[*provider]) []*provider {
	return slices.SortedFunc(maps.Keys(providers), func(a, b *provider) int { return cmp.Compare(a.seq, b.seq) })
}

// lookup finds a provider by its uuid, as text.
func (s *store) lookup(uuid string) (*provider, *fault) {
	p, ok := s.providers[uuid]
	if !ok {
		return nil, notFound("No resource provider with uuid %s found", uuid)
	}
	return p, nil
}
