package placementtest

import (
	"maps"
	"slices"
	"strings"
)

// isStandard tells whether a class or trait is one that every deployment has.
func isStandard(name string) bool { return !strings.HasPrefix(name, customPrefix) }

// addClass adds a resource class and tells whether it is new.
func (s *store) addClass(name string) bool {
	if s.known.classes.has(name) {
		return false
	}
	s.known.classes[name] = struct{}{}
	s.classes = append(s.classes, name)
	return true
}

// addTrait adds a trait and tells whether it is new.
func (s *store) addTrait(name string) bool {
	if s.known.traits.has(name) {
		return false
	}
	s.known.traits[name] = struct{}{}
	s.traits = append(s.traits, name)
	return true
}

// renameClass gives a class another name, wherever it is used.
func (s *store) renameClass(name, next string) {
	if name == next {
		return
	}
	delete(s.known.classes, name)
	s.known.classes[next] = struct{}{}
	s.classes[slices.Index(s.classes, name)] = next
	for p := range s.byClass[name] {
		inventories := maps.Clone(p.inventories)
		rename(inventories, name, next)
		rename(p.used, name, next)
		for c := range p.consumers {
			rename(c.allocations[p], name, next)
		}
		p.inventories = inventories
	}
	if users, ok := s.byClass[name]; ok {
		delete(s.byClass, name)
		s.byClass[next] = users
	}
}

// rename moves a map's entry to another key.
func rename[V any](m map[string]V, name, next string) {
	if v, ok := m[name]; ok {
		delete(m, name)
		m[next] = v
	}
}
