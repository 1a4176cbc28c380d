package placementtest

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

// providerTraitsBody shows a provider's traits.
func providerTraitsBody(p *provider) *reply {
	traits := slices.AppendSeq(make([]string, 0, len(p.traits)), maps.Keys(p.traits))
	return jsonReply(http.StatusOK, object{"traits": traits, "resource_provider_generation": p.generation})
}

func getProviderTraits(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	return providerTraitsBody(p), nil
}

// putProviderTraits replaces a provider's traits; here the body is looked at before the provider.
func putProviderTraits(s *Server, r *request) (*reply, *fault) {
	body, f := decodeObject(r.body, providerTraitsSchema)
	if f != nil {
		return nil, f
	}
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	if f := sameGeneration(p, body); f != nil {
		return nil, conflict("Resource provider's generation already changed. Please update the generation and try again.").
			with(codeConcurrentUpdate)
	}
	traits := texts(body["traits"])
	unknown := slices.DeleteFunc(slices.Clone(traits), s.store.known.traits.has)
	if len(unknown) > 0 {
		return nil, badRequest("No such trait %s", strings.Join(unknown, ", "))
	}
	if s.store.setTraits(p, traits) {
		p.generation++
	}
	return providerTraitsBody(p), nil
}

func deleteProviderTraits(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	if s.store.setTraits(p, nil) {
		p.generation++
	}
	return noContent(), nil
}
