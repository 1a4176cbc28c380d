package placementtest

import "slices"

// search answers one question about candidates. It goes from anchor to anchor, an anchor being the root of a tree, and stops at
// the limit: nothing is built that is not returned. Mirrors placement/objects/research_context.py and allocation_candidate.py.
type search struct {
	store  *store
	query  *candidatesQuery
	budget *budget
	// groups are the query's groups with what is looked up once for all anchors.
	groups []*resolved
	// shared is, per root, the sharing providers that it has an aggregate in common with.
	shared map[*provider][]*provider
}

// resolved is a group with its lookups done.
type resolved struct {
	*group
	// tree is the root of the tree the group must come from, nil for any.
	tree *provider
	// steps is how many steps of the budget it is to hold the group against one provider.
	steps int
}

// candidates finds the answers to a question, within a budget.
func (s *store) candidates(b *budget, q *candidatesQuery) ([]candidate, *fault) {
	f := s.checkNames(q.root.names())
	if f != nil {
		return nil, f
	}
	sr := &search{store: s, query: q, budget: b}
	sr.findShared()
	for i, g := range q.groups {
		r, empty, f := s.resolve(g)
		if empty {
			return nil, nil
		}
		if f != nil {
			return sr.refuse(q.groups[:i], f)
		}
		sr.groups = append(sr.groups, r)
	}
	return sr.run(), b.fault
}

// refuse decides what a group with an unknown name comes to. The real service searches group by group and ends early: when the
// groups before have no answer, or no root is good, nobody looks at this one.
func (sr *search) refuse(before []*group, f *fault) ([]candidate, *fault) {
	if !sr.anyRoot() {
		return nil, nil
	}
	for i := range before {
		if !sr.answerable(sr.groups[i]) {
			return nil, sr.budget.fault
		}
	}
	return nil, f
}

// anyRoot tells whether any root has what root_required asks for.
func (sr *search) anyRoot() bool {
	for _, p := range sr.store.providers {
		if p.parent == nil && sr.query.root.allows(p.traits) {
			return true
		}
	}
	return len(sr.query.root.required)+len(sr.query.root.forbidden) == 0
}

// answerable tells whether a group has any answer on its own.
func (sr *search) answerable(g *resolved) bool {
	for _, p := range sr.store.providers {
		if p.parent != nil || !sr.query.root.allows(p.traits) {
			continue
		}
		if s, ok := sr.source(g, p); ok {
			for range s.options(sr.budget) {
				return true
			}
		}
	}
	return false
}

// resolve looks up what a group names, in the real service's order. empty means that nothing can match it, which is no error.
func (s *store) resolve(g *group) (r *resolved, empty bool, f *fault) {
	for _, a := range g.resources {
		if !s.known.classes.has(a.class) {
			return nil, false, badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.class)
		}
	}
	if len(g.aggregates.required) > 0 && !s.anyMember(g.aggregates.required) {
		return nil, true, nil
	}
	if f := s.checkNames(g.traits.names()); f != nil {
		return nil, false, f
	}
	r = &resolved{group: g, steps: 1 + len(g.resources) + g.traits.size() + g.aggregates.size()}
	if g.inTree != "" {
		p, ok := s.providers[g.inTree]
		if !ok {
			return nil, true, nil
		}
		r.tree = p.root
	}
	return r, false, nil
}

// checkNames refuses a trait that does not exist.
func (s *store) checkNames(traits []string) *fault {
	for _, t := range traits {
		if !s.known.traits.has(t) {
			return badRequest("No such trait(s): %s.", t)
		}
	}
	return nil
}

// anyMember tells whether any provider is in one aggregate of each set.
func (s *store) anyMember(required [][]string) bool {
	for _, uuid := range required[0] {
		for p := range s.byAggregate[uuid] {
			if hasEach(p.aggregates, required) {
				return true
			}
		}
	}
	return false
}

// findShared works out which sharing providers serve which trees: those that have an aggregate in common with any provider of the
// tree. Mirrors anchors_for_sharing_providers.
func (sr *search) findShared() {
	sr.shared = make(map[*provider][]*provider)
	for _, p := range inOrder(sr.store.byTrait[sharingTrait]) {
		roots := make(map[*provider]struct{})
		for uuid := range p.aggregates {
			sr.budget.spend(len(sr.store.byAggregate[uuid]))
			for q := range sr.store.byAggregate[uuid] {
				roots[q.root] = struct{}{}
			}
		}
		for root := range roots {
			if root != p.root {
				sr.shared[root] = append(sr.shared[root], p)
			}
		}
	}
}

// anchors gives the roots worth looking at, oldest first: those that the rarest class asked for can be had under.
func (sr *search) anchors() []*provider {
	var rarest set[*provider]
	first := true
	for _, g := range sr.groups {
		for _, a := range g.resources {
			if index := sr.store.byClass[a.class]; first || len(index) < len(rarest) {
				first, rarest = false, index
			}
		}
	}
	roots := make(map[*provider]struct{}, len(rarest))
	serves := make(map[*provider]bool)
	for p := range rarest {
		roots[p.root] = struct{}{}
		serves[p] = p.traits.has(sharingTrait)
	}
	for root, sharing := range sr.shared {
		if slices.ContainsFunc(sharing, func(p *provider) bool { return serves[p] }) {
			roots[root] = struct{}{}
		}
	}
	return inOrder(roots)
}

// run walks the anchors.
func (sr *search) run() []candidate {
	out := newCollector(sr.query, sr.budget, len(sr.shared) > 0)
	combiner := newCombiner(sr.budget, sr.query, out)
	for _, root := range sr.anchors() {
		if sr.budget.over() || out.full() {
			break
		}
		if !sr.query.root.allows(root.traits) {
			continue
		}
		if sources, ok := sr.sources(root); ok {
			combiner.combine(sources)
		}
	}
	return out.found
}

// sources finds the sources of all groups under an anchor; false when some group has none.
func (sr *search) sources(root *provider) ([]source, bool) {
	sources := make([]source, 0, len(sr.groups))
	for _, g := range sr.groups {
		s, ok := sr.source(g, root)
		if !ok {
			return nil, false
		}
		sources = append(sources, s)
	}
	return sources, true
}

// names lists every trait of a rule.
func (r traitRule) names() []string {
	return slices.Concat(slices.Concat(r.required...), r.forbidden)
}

// size is how many traits a rule names.
func (r traitRule) size() int { return total(r.required) + len(r.forbidden) }

// size is how many aggregates a rule names.
func (r aggregateRule) size() int { return total(r.required) + len(r.forbidden) }

// total is how long all lists are together.
func total(lists [][]string) int {
	n := 0
	for _, names := range lists {
		n += len(names)
	}
	return n
}

// allows tells whether a set of traits has one of each required set and none of the forbidden.
func (r traitRule) allows(traits set[string]) bool {
	return hasEach(traits, r.required) && !hasOne(traits, r.forbidden)
}

// allows tells whether a set of aggregates has one of each required set and none of the forbidden.
func (r aggregateRule) allows(aggregates set[string]) bool {
	return hasEach(aggregates, r.required) && !hasOne(aggregates, r.forbidden)
}

// hasOne tells whether any of the names is in a set.
func hasOne(in set[string], names []string) bool { return slices.ContainsFunc(names, in.has) }

// hasEach tells whether of each list some name is in a set.
func hasEach(in set[string], lists [][]string) bool {
	for _, names := range lists {
		if !hasOne(in, names) {
			return false
		}
	}
	return true
}
