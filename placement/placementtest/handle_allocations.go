package placementtest

import (
	"maps"
	"net/http"
	"slices"
)

// The handlers of allocations mirror placement/handlers/allocation.py.

func getAllocations(s *Server, r *request) (*reply, *fault) {
	allocations := make(object)
	body := object{"allocations": allocations}
	c := s.store.consumers[r.item("consumer")]
	if c == nil || len(c.allocations) == 0 {
		return jsonReply(http.StatusOK, body), nil
	}
	for p, classes := range c.allocations {
		allocations[p.uuid] = object{"generation": p.generation, "resources": classes}
	}
	if r.atLeast(12) {
		body["project_id"], body["user_id"] = c.project, c.user
	}
	if r.atLeast(28) {
		body["consumer_generation"] = c.generation
	}
	if r.atLeast(38) {
		body["consumer_type"] = c.typeName()
	}
	return jsonReply(http.StatusOK, body), nil
}

func getProviderAllocations(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	allocations := make(object, len(p.consumers))
	for c := range p.consumers {
		item := object{"resources": c.allocations[p]}
		if r.atLeast(28) {
			item["consumer_generation"] = c.generation
		}
		allocations[c.uuid] = item
	}
	return jsonReply(http.StatusOK, object{"allocations": allocations, "resource_provider_generation": p.generation}), nil
}

func putAllocations(s *Server, r *request) (*reply, *fault) {
	uuid, ok := normalUUID(r.item("consumer"))
	if !ok {
		return nil, badRequest("Malformed consumer_uuid: %s", r.item("consumer"))
	}
	body, f := decodeObject(r.body, putAllocationsSchema(r.version.minor))
	if f != nil {
		return nil, f
	}
	return s.allocate(r, []claim{readClaim(uuid, body)}, "Unable to allocate inventory for consumer "+uuid+": ")
}

func postAllocations(s *Server, r *request) (*reply, *fault) {
	body, f := decodeObject(r.body, postAllocationsSchema(r.version.minor))
	if f != nil {
		return nil, f
	}
	return s.allocate(r, readClaims(body), "Unable to allocate inventory ")
}

// allocate runs a write of allocations and puts its refusal into words; missing is what a class that does not exist is met with.
func (s *Server) allocate(r *request, claims []claim, missing string) (*reply, *fault) {
	set, f := s.store.prepare(claims, r.version.minor)
	if f != nil {
		return nil, f
	}
	p := s.store.write(set)
	switch {
	case p == nil:
		return noContent(), nil
	case p.kind == unknownClass:
		return nil, badRequest("%s%s", missing, p.text)
	}
	return nil, conflict("Unable to allocate inventory: %s", p.text)
}

func deleteAllocations(s *Server, r *request) (*reply, *fault) {
	c := s.store.consumers[r.item("consumer")]
	if c == nil || len(c.allocations) == 0 {
		return nil, notFound("No allocations for consumer '%s'", r.item("consumer"))
	}
	swapAllocations(c, nil)
	delete(s.store.consumers, c.uuid)
	return noContent(), nil
}

// readClaims reads the body of a write for several consumers, in a fixed order.
func readClaims(body object) []claim {
	claims := make([]claim, 0, len(body))
	for _, uuid := range slices.Sorted(maps.Keys(body)) {
		one, _ := body[uuid].(object)
		claims = append(claims, readClaim(uuid, one))
	}
	return claims
}

// readClaim reads what one consumer is to have, in the form of any microversion.
func readClaim(uuid string, body object) claim {
	c := claim{
		uuid: uuid, project: incomplete, user: incomplete, kind: text(body, "consumer_type"),
		allocations: make(map[string]map[string]int64),
	}
	if _, ok := body["project_id"]; ok {
		c.project, c.user = text(body, "project_id"), text(body, "user_id")
	}
	c.generation, c.hasGeneration = integer(body, "consumer_generation")
	switch allocations := body["allocations"].(type) {
	case object:
		for provider, value := range allocations {
			c.allocations[provider] = readAmounts(value)
		}
	case list:
		for _, value := range allocations {
			item, _ := value.(object)
			named, _ := item["resource_provider"].(object)
			c.allocations[text(named, "uuid")] = readAmounts(value)
		}
	}
	return c
}

// readAmounts reads the resources of one provider.
func readAmounts(value any) map[string]int64 {
	item, _ := value.(object)
	resources, _ := item["resources"].(object)
	out := make(map[string]int64, len(resources))
	for class := range resources {
		out[class], _ = integer(resources, class)
	}
	return out
}
