package placementtest

import (
	"context"
	"slices"
)

// product goes through all ways to pick one provider per class of the plain group, those that together have the traits required.
// Mirrors _alloc_candidates_multiple_providers and _check_traits_for_alloc_request.
type product struct {
	source
	ctx   context.Context //nolint:containedctx // the walk is one call, this is its frame
	yield func(option) bool
	// due is, per number of classes picked, the sets of traits that no later class can bring.
	due [][][]string
	// picked are the providers so far, one per class.
	picked []*provider
	// steps counts the picks, so that the context is looked at now and then: most of them may come to nothing.
	steps int
}

// stepsPerLook is the number of picks from one look at the context to the next.
const stepsPerLook = 1024

// product prepares the walk over the options of the plain group.
func (s source) product(ctx context.Context, yield func(option) bool) *product {
	p := &product{source: s, ctx: ctx, yield: yield, due: make([][][]string, len(s.choices)+1)}
	for _, names := range s.group.traits.required {
		n := len(s.choices)
		for n > 0 && !anyHas(s.choices[n-1], names) {
			n--
		}
		p.due[n] = append(p.due[n], names)
	}
	return p
}

// walk extends the pick by one class; false ends the whole walk.
func (p *product) walk() bool {
	n := len(p.picked)
	if slices.ContainsFunc(p.due[n], func(names []string) bool { return !anyHas(p.picked, names) }) {
		return true
	}
	if n == len(p.choices) {
		return p.yield(p.option(p.picked, distinct(p.picked)))
	}
	for _, next := range p.choices[n] {
		if p.steps++; p.steps%stepsPerLook == 0 && p.ctx.Err() != nil {
			return false
		}
		p.picked = append(p.picked, next)
		if !p.walk() {
			return false
		}
		p.picked = p.picked[:n]
	}
	return true
}

// anyHas tells whether any of the providers has one of the traits.
func anyHas(providers []*provider, traits []string) bool {
	return slices.ContainsFunc(providers, func(p *provider) bool { return hasOne(p.traits, traits) })
}
