package placementtest

import "slices"

// provider is a resource provider. Mirrors placement/objects/resource_provider.py ResourceProvider.
type provider struct {
	uuid, name   string
	seq          int
	generation   int64
	parent, root *provider
	children     []*provider
	// members are all providers of the tree, on its root only.
	members []*provider

	inventories map[string]inventory
	traits      set[string]
	aggregates  set[string]
	// used is what consumers have of each class; a class that nobody uses is not in it.
	used map[string]int64
	// consumers are those who have an allocation here.
	consumers set[*consumer]
}

// isAncestorOf tells whether p is q or above it.
func (p *provider) isAncestorOf(q *provider) bool {
	for ; q != nil; q = q.parent {
		if q == p {
			return true
		}
	}
	return false
}

// parentUUID is the parent's uuid, nil for a root.
func (p *provider) parentUUID() *string {
	if p.parent == nil {
		return nil
	}
	return &p.parent.uuid
}

// addProvider creates a provider below a parent, or as a root.
func (s *store) addProvider(uuid, name string, parent *provider) (*provider, *fault) {
	if f := s.checkFree(uuid, name); f != nil {
		return nil, f
	}
	s.seq++
	p := &provider{
		uuid: uuid, name: name, seq: s.seq,
		inventories: make(map[string]inventory), traits: make(set[string]), aggregates: make(set[string]),
		used: make(map[string]int64), consumers: make(set[*consumer]),
	}
	s.providers[uuid], s.byName[name] = p, p
	attach(p, parent)
	return p, nil
}

// checkFree refuses a uuid or a name that another provider has.
func (s *store) checkFree(uuid, name string) *fault {
	if _, ok := s.byName[name]; ok {
		return conflict("Conflicting resource provider name: %s already exists.", name).with(codeDuplicateName)
	}
	if _, ok := s.providers[uuid]; ok {
		return conflict("Conflicting resource provider uuid: %s already exists.", uuid).with(codeDuplicateName)
	}
	return nil
}

// attach puts a provider, with all below it, under a parent; nil makes it a root.
func attach(p, parent *provider) {
	p.parent, p.root = parent, p
	if parent != nil {
		p.root = parent.root
		parent.children = append(parent.children, p)
	}
	p.members = nil
	p.walk(func(q *provider) {
		q.root = p.root
		p.root.members = append(p.root.members, q)
	})
}

// detach takes a provider, with all below it, out of its tree.
func detach(p *provider) {
	if p.parent != nil {
		p.parent.children = slices.DeleteFunc(p.parent.children, func(q *provider) bool { return q == p })
	}
	p.root.members = slices.DeleteFunc(p.root.members, p.isAncestorOf)
}

// walk visits a provider and all below it.
func (p *provider) walk(visit func(*provider)) {
	visit(p)
	for _, child := range p.children {
		child.walk(visit)
	}
}

// mayMove tells whether a provider may get another parent. Below 1.37 (free is false) only a root may. Mirrors _update_in_db.
func mayMove(p, parent *provider, free bool) *fault {
	switch {
	case p.parent == parent:
		return nil
	case parent == nil && !free:
		return unmovable(p, "un-parenting a provider is not currently allowed.")
	case p.parent != nil && !free:
		return unmovable(p, "re-parenting a provider is not currently allowed.")
	case parent != nil && p.isAncestorOf(parent):
		return unmovable(p, "creating loop in the provider tree is not allowed.")
	}
	return nil
}

// move puts a provider, with all below it, under another parent; nil makes it a root.
func move(p, parent *provider) {
	if p.parent != parent {
		detach(p)
		attach(p, parent)
	}
}

// rename gives a provider another name.
func (s *store) rename(p *provider, name string) {
	delete(s.byName, p.name)
	p.name = name
	s.byName[name] = p
}

func unmovable(p *provider, reason string) *fault {
	return badRequest("Unable to save resource provider %s: Object action update failed because: %s", p.uuid, reason)
}

// removeProvider deletes a provider that has neither children nor allocations.
func (s *store) removeProvider(p *provider) *fault {
	if len(p.children) > 0 {
		return conflict("Unable to delete parent resource provider %s: It has child resource providers.", p.uuid).
			with(codeCannotDeleteParent)
	}
	if len(p.consumers) > 0 {
		return conflict("Unable to delete resource provider %s: Resource provider has allocations.", p.uuid).
			with(codeProviderInUse)
	}
	s.setTraits(p, nil)
	s.setAggregates(p, nil)
	for class := range p.inventories {
		unlink(s.byClass, class, p)
	}
	detach(p)
	delete(s.providers, p.uuid)
	delete(s.byName, p.name)
	return nil
}

// setTraits replaces a provider's traits and tells whether that changed anything.
func (s *store) setTraits(p *provider, traits []string) bool {
	return replaceLinks(s.byTrait, p, &p.traits, setOf(traits...))
}

// setAggregates replaces a provider's aggregates.
func (s *store) setAggregates(p *provider, aggregates []string) {
	replaceLinks(s.byAggregate, p, &p.aggregates, setOf(aggregates...))
}

// replaceLinks sets one of a provider's sets of names and the index over it.
func replaceLinks(index map[string]set[*provider], p *provider, names *set[string], next set[string]) bool {
	changed := false
	for name := range *names {
		if !next.has(name) {
			changed = true
			unlink(index, name, p)
		}
	}
	for name := range next {
		if !names.has(name) {
			changed = true
			link(index, name, p)
		}
	}
	*names = next
	return changed
}
