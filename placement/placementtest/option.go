package placementtest

import (
	"iter"
	"slices"
)

// piece is an amount of one class from one provider.
type piece struct {
	provider *provider
	amount   amount
}

// option is one way to meet one group: what it takes, and who gives or stands for it.
type option struct {
	pieces    []piece
	providers []*provider
}

// source is all options of one group under one anchor. They are made one by one as they are asked for: the ways to spread the plain
// group over a tree can be very many.
type source struct {
	group *resolved
	// single is who can meet a group with a suffix alone.
	single []*provider
	// choices is, for the plain group, who can give each class.
	choices [][]*provider
}

// source finds who can take part in meeting a group under an anchor; false when nobody can.
func (sr *search) source(g *resolved, root *provider) (source, bool) {
	if !sr.budget.spend(g.steps * (len(root.members) + len(sr.shared[root]))) {
		return source{}, false
	}
	if g.suffix != "" {
		s := source{group: g, single: sr.single(g, root)}
		return s, len(s.single) > 0
	}
	if g.tree != nil && g.tree != root || hasOne(root.aggregates, g.aggregates.forbidden) {
		return source{}, false
	}
	s := source{group: g, choices: make([][]*provider, len(g.resources))}
	for i, a := range g.resources {
		if s.choices[i] = sr.givers(g, root, a); len(s.choices[i]) == 0 {
			return source{}, false
		}
	}
	return s, true
}

// single finds the providers that meet a group with a suffix. Mirrors get_provider_ids_matching and
// _alloc_candidates_single_provider.
func (sr *search) single(g *resolved, root *provider) []*provider {
	if len(g.resources) == 0 && len(g.traits.required) == 0 && len(g.aggregates.required) == 0 {
		return nil
	}
	var out []*provider
	for _, providers := range [][]*provider{root.members, sr.shared[root]} {
		for _, p := range providers {
			if g.metBy(p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// metBy tells whether one provider meets a whole group. in_tree narrows only groups that ask for resources.
func (g *resolved) metBy(p *provider) bool {
	for _, a := range g.resources {
		if !p.fits(a.class, a.n) {
			return false
		}
	}
	if len(g.resources) > 0 && g.tree != nil && p.root != g.tree {
		return false
	}
	return g.traits.allows(p.traits) && g.aggregates.allows(p.aggregates)
}

// givers lists who can give one class of the plain group under an anchor: a provider of the tree or a sharing one. The root lends
// its aggregates to the providers of its own tree, not to sharing ones. Mirrors get_trees_matching_all.
func (sr *search) givers(g *resolved, root *provider, a amount) []*provider {
	lent := hasEach(root.aggregates, g.aggregates.required)
	var out []*provider
	for _, p := range root.members {
		if (lent || hasEach(p.aggregates, g.aggregates.required)) && g.takes(p, a) {
			out = append(out, p)
		}
	}
	if g.tree != nil {
		return out
	}
	for _, p := range sr.shared[root] {
		if hasEach(p.aggregates, g.aggregates.required) && g.takes(p, a) {
			out = append(out, p)
		}
	}
	return out
}

// takes tells whether the plain group may take an amount from a provider, required aggregates aside.
func (g *resolved) takes(p *provider, a amount) bool {
	return p.fits(a.class, a.n) && !hasOne(p.traits, g.traits.forbidden) && !hasOne(p.aggregates, g.aggregates.forbidden)
}

// options makes the options, one by one, as long as the budget lasts.
func (s source) options(b *budget) iter.Seq[option] {
	return func(yield func(option) bool) {
		if s.group.suffix == "" {
			s.product(b, yield).walk()
			return
		}
		for i, p := range s.single {
			o := option{pieces: make([]piece, len(s.group.resources)), providers: s.single[i : i+1 : i+1]}
			for j, a := range s.group.resources {
				o.pieces[j] = piece{provider: p, amount: a}
			}
			if !yield(o) {
				return
			}
		}
	}
}

// option puts together what is taken: the class at each place from the provider at that place.
func (s source) option(from, providers []*provider) option {
	o := option{pieces: make([]piece, len(from)), providers: providers}
	for i, p := range from {
		o.pieces[i] = piece{provider: p, amount: s.group.resources[i]}
	}
	return o
}

// givers lists, per class of the group, who may give it.
func (s source) givers(i int) []*provider {
	if s.group.suffix == "" {
		return s.choices[i]
	}
	return s.single
}

// distinct gives each provider once, in order of first appearance.
func distinct(providers []*provider) []*provider {
	out := make([]*provider, 0, len(providers))
	for _, p := range providers {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}
