package placementtest

import "slices"

// newCombiner prepares to combine options for any number of anchors.
func newCombiner(b *budget, q *candidatesQuery, out *collector) *combiner {
	c := &combiner{budget: b, query: q, out: out}
	for _, suffixes := range q.subtrees {
		members := make([]int, len(suffixes))
		for i, suffix := range suffixes {
			members[i] = q.index(suffix)
		}
		c.tied += len(members)
		c.subtrees = append(c.subtrees, members)
	}
	return c
}

// combine picks one option per group, for one anchor, and hands every good combination to the collector until that is full. Bad
// branches are cut as soon as they are bad. Mirrors _merge_candidates of placement/objects/allocation_candidate.py.
func (c *combiner) combine(sources []source) {
	if !feasible(c.budget, c.query, sources) {
		return
	}
	c.sources = sources
	if slices.ContainsFunc(c.subtrees, func(members []int) bool { return !c.oneSubtree(members) }) {
		return
	}
	c.step()
}

// combiner walks through the options of one anchor after the other.
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
		mark := len(c.sums)
		c.picked = append(c.picked, o)
		if c.add(o.pieces) && c.hangsTogether(depth) {
			c.step()
		}
		c.picked = c.picked[:depth]
		c.drop(o.pieces, mark)
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

// add takes amounts into the sums and tells whether they still fit: free room and max_unit count, min_unit and step_size do not
// again. Mirrors _consolidate_allocation_requests and exceeds_capacity.
func (c *combiner) add(pieces []piece) bool {
	fit := true
	for _, p := range pieces {
		i := c.place(p)
		if i < 0 {
			c.sums = append(c.sums, p)
			continue
		}
		c.sums[i].amount.n += p.amount.n
		sum := c.sums[i].amount.n
		inv := p.provider.inventories[p.amount.class]
		fit = fit && sum <= inv.MaxUnit && sum <= inv.capacity()-p.provider.used[p.amount.class]
	}
	return fit
}

// drop takes amounts out of the sums again, of which there were mark before.
func (c *combiner) drop(pieces []piece, mark int) {
	for _, p := range pieces {
		if i := c.place(p); i < mark {
			c.sums[i].amount.n -= p.amount.n
		}
	}
	c.sums = c.sums[:mark]
}

// place is where the sum of a piece's class and provider stands, -1 when there is none.
func (c *combiner) place(p piece) int {
	return slices.IndexFunc(c.sums, func(s piece) bool { return s.provider == p.provider && s.amount.class == p.amount.class })
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
