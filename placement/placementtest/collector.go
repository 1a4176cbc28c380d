package placementtest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// candidate is one answer: what to take from whom, and who serves which group.
type candidate struct {
	pieces []piece
	// serving is, per group of the query, the providers that serve it.
	serving [][]*provider
}

// collector keeps the answers found so far.
type collector struct {
	budget *budget
	limit  int
	// nested is false below 1.29, where an answer takes from one provider of a tree at most.
	nested bool
	found  []candidate
	// seen is how equal answers are told; nil where there cannot be any, since two anchors give the same answer only when
	// sharing providers are about.
	seen map[string]struct{}
}

func newCollector(q *candidatesQuery, b *budget, sharing bool) *collector {
	c := &collector{budget: b, limit: q.limit, nested: q.minor >= 29}
	if sharing {
		c.seen = make(map[string]struct{})
	}
	return c
}

// full tells whether the limit is reached.
func (c *collector) full() bool { return c.limit > 0 && len(c.found) >= c.limit }

// add takes one combination.
func (c *collector) add(q *candidatesQuery, picked []option, sums []piece) {
	next := candidate{pieces: slices.Clone(sums), serving: make([][]*provider, len(picked))}
	parts := len(sums)
	for i, o := range picked {
		next.serving[i] = o.providers
		parts += len(o.providers)
	}
	if !c.nested && next.usesTreeTwice() {
		return
	}
	if c.seen != nil {
		key := next.key(q)
		if _, seen := c.seen[key]; seen {
			return
		}
		c.seen[key] = struct{}{}
	}
	if c.budget.spend(stepsPerPart * parts) {
		c.found = append(c.found, next)
	}
}

// usesTreeTwice tells whether two providers of one tree give something.
func (c *candidate) usesTreeTwice() bool {
	by := make(map[*provider]*provider, len(c.pieces))
	for _, p := range c.pieces {
		if other, ok := by[p.provider.root]; ok && other != p.provider {
			return true
		}
		by[p.provider.root] = p.provider
	}
	return false
}

// key is a text that two answers share only when they are equal.
func (c *candidate) key(q *candidatesQuery) string {
	parts := make([]string, 0, len(c.pieces)+len(c.serving))
	for _, p := range c.pieces {
		parts = append(parts, p.provider.uuid+p.amount.class+":"+strconv.FormatInt(p.amount.n, 10))
	}
	for i, providers := range c.serving {
		sorted := slices.SortedFunc(slices.Values(providers), func(a, b *provider) int { return cmp.Compare(a.seq, b.seq) })
		for _, p := range sorted {
			parts = append(parts, q.groups[i].suffix+"="+p.uuid)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
