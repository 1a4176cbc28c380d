package placementtest

import (
	"net/http"

	"github.com/google/uuid"
)

// The handlers of resource providers mirror placement/handlers/resource_provider.py.

// providerLinks are the sub-resources of a provider and the microversions that brought them.
var providerLinks = []struct {
	since int
	rel   string
}{{0, "inventories"}, {0, "usages"}, {1, "aggregates"}, {6, "traits"}, {11, "allocations"}}

// providerBody shows a provider.
func providerBody(s *Server, r *request, p *provider) object {
	self := s.cfg.prefix + "/resource_providers/" + p.uuid
	links := list{object{"rel": "self", "href": self}}
	for _, l := range providerLinks {
		if r.atLeast(l.since) {
			links = append(links, object{"rel": l.rel, "href": self + "/" + l.rel})
		}
	}
	body := object{"uuid": p.uuid, "name": p.name, "generation": p.generation, "links": links}
	if r.atLeast(14) {
		body["parent_provider_uuid"], body["root_provider_uuid"] = p.parentUUID(), p.root.uuid
	}
	return body
}

func getProvider(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	return jsonReply(http.StatusOK, providerBody(s, r, p)), nil
}

func postProvider(s *Server, r *request) (*reply, *fault) {
	body, f := decodeObject(r.body, providerSchema(r.version.minor, true))
	if f != nil {
		return nil, f
	}
	id, ok := normalUUID(text(body, "uuid"))
	if !ok {
		id = uuid.NewString()
	}
	p, f := s.create(id, text(body, "name"), body["parent_provider_uuid"])
	if f != nil {
		return nil, f
	}
	made := &reply{status: http.StatusCreated}
	if r.atLeast(20) {
		made = jsonReply(http.StatusOK, providerBody(s, r, p))
	}
	made.location = "/resource_providers/" + p.uuid
	return made, nil
}

// create checks what a new provider is to be, and makes it.
func (s *Server) create(id, name string, parent any) (*provider, *fault) {
	const refusal = "Unable to create resource provider \"%s\", %s: Object action create failed because: %s"
	if name == "" {
		return nil, badRequest(refusal, name, id, "name is required")
	}
	var above *provider
	if uuid, ok := parent.(string); ok {
		if uuid == id {
			return nil, badRequest(refusal, name, id, "parent provider UUID cannot be same as UUID. Please set parent provider "+
				"UUID to None if there is no parent.")
		}
		if above, ok = s.store.providers[uuid]; !ok {
			return nil, badRequest(refusal, name, id, "parent provider UUID does not exist.")
		}
	}
	return s.store.addProvider(id, name, above)
}

func putProvider(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	body, f := decodeObject(r.body, providerSchema(r.version.minor, false))
	if f != nil {
		return nil, f
	}
	name := text(body, "name")
	above := p.parent
	if value, given := body["parent_provider_uuid"]; given {
		if above, f = s.parentFor(p, value); f != nil {
			return nil, f
		}
	}
	holder, taken := s.store.byName[name]
	if f := mayMove(p, above, r.atLeast(37)); f != nil {
		return nil, f
	}
	if taken && holder != p {
		return nil, conflict("Conflicting resource provider %s already exists.", name).with(codeDuplicateName)
	}
	move(p, above)
	s.store.rename(p, name)
	return jsonReply(http.StatusOK, providerBody(s, r, p)), nil
}

// parentFor finds the parent that a PUT names; null is none.
func (s *Server) parentFor(p *provider, value any) (*provider, *fault) {
	uuid, ok := value.(string)
	if !ok {
		return nil, nil
	}
	above, ok := s.store.providers[uuid]
	if !ok {
		return nil, badRequest("Unable to save resource provider %s: Object action create failed because: parent provider UUID does "+
			"not exist.", p.uuid)
	}
	return above, nil
}

func deleteProvider(s *Server, r *request) (*reply, *fault) {
	p, ok := s.store.providers[r.item("uuid")]
	if !ok {
		return nil, notFound("No resource provider with uuid %s found for delete", r.item("uuid"))
	}
	if f := s.store.removeProvider(p); f != nil {
		return nil, f
	}
	return noContent(), nil
}
