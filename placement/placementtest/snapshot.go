package placementtest

import "maps"

// snapshot copies what a search reads. Sets of names and inventories are not copied, since writers replace them whole.
func (s *store) snapshot() *store {
	twins := make(twins, len(s.providers))
	for _, p := range s.providers {
		twin := *p
		twin.used = maps.Clone(p.used)
		twin.children, twin.consumers = nil, nil // no search looks at them
		twins[p] = &twin
	}
	c := &store{
		providers: make(map[string]*provider, len(s.providers)),
		byClass:   twins.index(s.byClass), byTrait: twins.index(s.byTrait), byAggregate: twins.index(s.byAggregate),
	}
	for p, twin := range twins {
		twin.parent, twin.root = twins[p.parent], twins[p.root]
		twin.members = make([]*provider, len(p.members))
		for i, member := range p.members {
			twin.members[i] = twins[member]
		}
		c.providers[twin.uuid] = twin
	}
	c.known.classes, c.known.traits = maps.Clone(s.known.classes), maps.Clone(s.known.traits)
	return c
}

// twins are the copies of providers.
type twins map[*provider]*provider

// index copies an index over providers.
func (t twins) index(index map[string]set[*provider]) map[string]set[*provider] {
	out := make(map[string]set[*provider], len(index))
	for key, providers := range index {
		copied := make(set[*provider], len(providers))
		for p := range providers {
			copied[t[p]] = struct{}{}
		}
		out[key] = copied
	}
	return out
}
