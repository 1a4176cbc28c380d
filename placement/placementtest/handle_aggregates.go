package placementtest

import (
	"maps"
	"net/http"
	"slices"
)

// The handlers of aggregates mirror placement/handlers/aggregate.py.

func aggregatesBody(r *request, p *provider, aggregates []string) *reply {
	body := object{"aggregates": aggregates}
	if r.atLeast(19) {
		body["resource_provider_generation"] = p.generation
	}
	return jsonReply(http.StatusOK, body)
}

func getAggregates(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	return aggregatesBody(r, p, slices.AppendSeq(make([]string, 0, len(p.aggregates)), maps.Keys(p.aggregates))), nil
}

// putAggregates replaces a provider's aggregates. Before 1.19 the body is a bare list and the generation is neither asked for nor
// moved.
func putAggregates(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	if !r.atLeast(19) {
		body, f := decodeBody(r.body, aggregateList)
		if f != nil {
			return nil, f
		}
		s.store.setAggregates(p, texts(body))
		return aggregatesBody(r, p, texts(body)), nil
	}
	body, f := decodeObject(r.body, aggregatesSchema)
	if f != nil {
		return nil, f
	}
	if f := sameGeneration(p, body); f != nil {
		return nil, conflict("Resource provider's generation already changed. Please update the generation and try again.").
			with(codeConcurrentUpdate)
	}
	aggregates := texts(body["aggregates"])
	s.store.setAggregates(p, aggregates)
	p.generation++
	return aggregatesBody(r, p, aggregates), nil
}
