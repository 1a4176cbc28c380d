package placementtest

import "slices"

// combine picks one option per group, for one anchor, and hands every good combination to the collector until that is full. Bad
// branches are cut as soon as they are bad. Mirrors _merge_candidates of placement/objects/allocation_candidate.py.
func combine(b *budget, q *candidatesQuery, sources []source, out *collector) {
	if !feasible(b, q, sources) {
		return
	}
	c := &combiner{budget: b, query: q, sources: sources, out: out, picked: make([]option, 0, len(sources))}
	for _, suffixes := range q.subtrees {
		members := make([]int, len(suffixes))
		for i, suffix := range suffixes {
			members[i] = q.index(suffix)
		}
		c.tied += len(members)
		c.subtrees = append(c.subtrees, members)
	}
	if slices.ContainsFunc(c.subtrees, func(members []int) bool { return !c.oneSubtree(members) }) {
		return
	}
	c.step()
}

// combiner is the state of one anchor's walk.
type combiner struct {
	budget  *budget
	query   *candidatesQuery
	sources []source
	out     *collector
	picked  []option
	// sums are the amounts taken by the picked options, one entry per provider and class.
	sums []piece
	// subtrees are the same_subtree sets as places of groups.
	subtrees [][]int
	// tied is how long they are together.
	tied int
}

// step extends the pick by one group.
func (c *combiner) step() {
	depth := len(c.picked)
	if depth == len(c.sources) {
		c.out.add(c.query, c.picked, c.sums)
		return
	}
	for o := range c.sources[depth].options(c.budget) {
		if c.out.full() || !c.budget.spend(1+depth+len(c.sums)+c.tied) {
			return
		}
		if c.query.isolate && c.taken(depth, o) {
			continue
		}
		sums := c.sums
		c.picked = append(c.picked, o)
		if c.add(o.pieces) && c.hangsTogether(depth) {
			c.step()
		}
		c.picked, c.sums = c.picked[:depth], sums
	}
}

// taken tells whether another group with a suffix has this one's provider already.
func (c *combiner) taken(depth int, o option) bool {
	if c.query.groups[depth].suffix == "" {
		return false
	}
	for i, p := range c.picked {
		if c.query.groups[i].suffix != "" && p.providers[0] == o.providers[0] {
			return true
		}
	}
	return false
}

// add sums the amounts in a copy and tells whether they still fit: free room and max_unit count, min_unit and step_size do not
// again. Mirrors _consolidate_allocation_requests and exceeds_capacity.
func (c *combiner) add(pieces []piece) bool {
	sums := make([]piece, len(c.sums), len(c.sums)+len(pieces))
	copy(sums, c.sums)
	c.sums = sums
	for _, p := range pieces {
		i := slices.IndexFunc(c.sums, func(s piece) bool { return s.provider == p.provider && s.amount.class == p.amount.class })
		if i < 0 {
			c.sums = append(c.sums, p)
			continue
		}
		c.sums[i].amount.n += p.amount.n
		sum := c.sums[i].amount.n
		inv := p.provider.inventories[p.amount.class]
		if sum > inv.MaxUnit || sum > inv.capacity()-p.provider.used[p.amount.class] {
			return false
		}
	}
	return true
}

// hangsTogether checks the same_subtree sets that a group belongs to.
func (c *combiner) hangsTogether(group int) bool {
	return !slices.ContainsFunc(c.subtrees, func(members []int) bool {
		return slices.Contains(members, group) && !c.oneSubtree(members)
	})
}

// oneSubtree tells whether one provider of a same_subtree set can still be above, or be, one of every other group of it.
func (c *combiner) oneSubtree(members []int) bool {
	return slices.ContainsFunc(members, func(top int) bool {
		return slices.ContainsFunc(c.left(top), func(above *provider) bool {
			return !slices.ContainsFunc(members, func(i int) bool { return !c.anyBelow(above, i) })
		})
	})
}

// anyBelow tells whether one provider is above, or is, one that may still serve a group.
func (c *combiner) anyBelow(above *provider, group int) bool {
	left := c.left(group)
	c.budget.spend(len(left))
	return slices.ContainsFunc(left, above.isAncestorOf)
}

// left lists who may serve a group with a suffix after what is picked: once it is picked itself, that one provider.
func (c *combiner) left(group int) []*provider {
	if group < len(c.picked) {
		return c.picked[group].providers
	}
	return c.sources[group].single
}
