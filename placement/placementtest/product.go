package placementtest

import "slices"

// product goes through all ways to pick one provider per class of the plain group, those that together have the traits required.
// Mirrors _alloc_candidates_multiple_providers and _check_traits_for_alloc_request.
type product struct {
	source
	budget *budget
	yield  func(option) bool
	// due is, per number of classes picked, the sets of traits that no later class can bring.
	due [][][]string
	// picked are the providers so far, one per class.
	picked []*provider
}

// product prepares the walk over the options of the plain group.
func (s source) product(b *budget, yield func(option) bool) *product {
	p := &product{source: s, budget: b, yield: yield, due: make([][][]string, len(s.choices)+1)}
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
		if !p.budget.spend(1 + len(p.due[n+1])*(n+1)) {
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
