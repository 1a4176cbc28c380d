package placementtest

import "net/http"

// listProviders is GET /resource_providers. All filters must hold, each for the provider itself. Mirrors
// _get_all_by_filters_from_db of placement/objects/resource_provider.py.
func listProviders(s *Server, r *request) (*reply, *fault) {
	if f := r.query.check(providerListSchema(r.version.minor)); f != nil {
		return nil, f
	}
	w, f := readFilter(r)
	if f != nil {
		return nil, f
	}
	found, f := s.store.filter(w)
	if f != nil {
		return nil, f
	}
	bodies := make(list, 0, len(found))
	for _, p := range found {
		bodies = append(bodies, providerBody(s, r, p))
	}
	return jsonReply(http.StatusOK, object{"resource_providers": bodies}), nil
}

// providerFilter is the query of a provider list.
type providerFilter struct {
	name, uuid, inTree string
	resources          []amount
	traits             traitRule
	aggregates         aggregateRule
}

// readFilter reads the parameters of a provider list.
func readFilter(r *request) (w providerFilter, f *fault) {
	if values := r.query.all("member_of"); len(values) > 0 {
		if w.aggregates, f = parseAggregateRule(values, "", r.version.minor); f != nil {
			return w, f
		}
	}
	if values := r.query.all("required"); len(values) > 0 {
		if w.traits, f = parseTraitRule(values, r.version.minor); f != nil {
			return w, f
		}
	}
	w.uuid, _ = r.query.last("uuid")
	w.name, _ = r.query.last("name")
	w.inTree, _ = r.query.last("in_tree")
	if value, ok := r.query.last("resources"); ok {
		w.resources, f = parseResources(value)
	}
	return w, f
}

// filter finds the providers, oldest first. A filter that nothing meets ends the search before later names are looked at.
func (s *store) filter(w providerFilter) ([]*provider, *fault) {
	if w.inTree != "" && s.providers[w.inTree] == nil {
		return nil, nil
	}
	for _, f := range []func(providerFilter) (bool, *fault){s.checkRequired, s.checkForbidden, s.checkMembers, s.checkClasses} {
		if empty, f := f(w); empty || f != nil {
			return nil, f
		}
	}
	var found []*provider
	for _, p := range s.allProviders() {
		if s.passes(p, w) {
			found = append(found, p)
		}
	}
	return found, nil
}

func (s *store) checkRequired(w providerFilter) (empty bool, f *fault) {
	if len(w.traits.required) == 0 {
		return false, nil
	}
	if f := s.checkFilterTraits(traitRule{required: w.traits.required}.names()); f != nil {
		return false, f
	}
	for _, p := range s.providers {
		if hasEach(p.traits, w.traits.required) {
			return false, nil
		}
	}
	return true, nil
}

func (s *store) checkForbidden(w providerFilter) (bool, *fault) {
	return false, s.checkFilterTraits(w.traits.forbidden)
}

func (s *store) checkMembers(w providerFilter) (bool, *fault) {
	return len(w.aggregates.required) > 0 && !s.anyMember(w.aggregates.required), nil
}

func (s *store) checkClasses(w providerFilter) (bool, *fault) {
	for _, a := range w.resources {
		if !s.known.classes.has(a.class) {
			return false, badRequest("Invalid resource class in resources parameter: No such resource class %s.", a.class)
		}
	}
	return false, nil
}

func (s *store) checkFilterTraits(traits []string) *fault {
	if f := s.checkNames(traits); f != nil {
		return badRequest("Invalid trait(s) in \"required\" parameter: %s", f.reason)
	}
	return nil
}

// passes tells whether one provider meets a filter.
func (s *store) passes(p *provider, w providerFilter) bool {
	if w.name != "" && p.name != w.name || w.uuid != "" && p.uuid != w.uuid {
		return false
	}
	if w.inTree != "" && p.root != s.providers[w.inTree].root {
		return false
	}
	for _, a := range w.resources {
		if !p.fits(a.class, a.n) {
			return false
		}
	}
	return w.traits.allows(p.traits) && w.aggregates.allows(p.aggregates)
}

// allProviders lists every provider, oldest first.
func (s *store) allProviders() []*provider {
	all := make(map[*provider]struct{}, len(s.providers))
	for _, p := range s.providers {
		all[p] = struct{}{}
	}
	return inOrder(all)
}
