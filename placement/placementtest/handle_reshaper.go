package placementtest

import (
	"maps"
	"slices"
)

// reshaped is the new inventory of one provider.
type reshaped struct {
	provider    *provider
	inventories map[string]inventory
}

// postReshaper is POST /reshaper: inventories and allocations together, as one transaction. Mirrors
// placement/handlers/reshaper.py.
func postReshaper(s *Server, r *request) (*reply, *fault) {
	body, f := decodeObject(r.body, reshaperSchema(r.version.minor))
	if f != nil {
		return nil, f
	}
	given, _ := body["inventories"].(object)
	shapes, f := s.readShapes(given)
	if f != nil {
		return nil, f
	}
	allocations, _ := body["allocations"].(object)
	set, f := s.store.prepare(readClaims(allocations), r.version.minor)
	if f != nil {
		return nil, f
	}
	t := &tx{store: s.store}
	if p := t.reshape(shapes, set); p != nil {
		t.rollback()
		s.store.dropConsumers(set.created)
		return nil, reshapeFault(p)
	}
	return noContent(), nil
}

// readShapes finds the providers, compares their generations and reads their new inventories.
func (s *Server) readShapes(given object) ([]reshaped, *fault) {
	var shapes []reshaped
	for _, uuid := range slices.Sorted(maps.Keys(given)) {
		p, ok := s.store.providers[uuid]
		if !ok {
			return nil, badRequest("Resource provider %s in inventories not found: No resource provider with uuid %s found", uuid, uuid).
				with(codeProviderNotFound)
		}
		body, _ := given[uuid].(object)
		if sameGeneration(p, body) != nil {
			return nil, conflict("resource provider generation conflict for provider %s: actual: %d, given: %v", uuid, p.generation,
				body["resource_provider_generation"]).with(codeConcurrentUpdate)
		}
		inventories, _ := body["inventories"].(object)
		next, f := readInventories(p, inventories, func(string, inventory) *fault { return nil })
		if f != nil {
			return nil, f
		}
		shapes = append(shapes, reshaped{provider: p, inventories: next})
	}
	return shapes, nil
}

// reshape adds the new inventories to the old, moves the allocations, then cuts the inventories to the new. Mirrors reshape of
// placement/objects/reshaper.py.
func (t *tx) reshape(shapes []reshaped, set *claimSet) *problem {
	for _, shape := range shapes {
		if len(shape.inventories) == 0 {
			continue
		}
		interim := maps.Clone(shape.provider.inventories)
		maps.Copy(interim, shape.inventories)
		if p := t.setInventories(shape.provider, interim); p != nil {
			return p
		}
	}
	if p := t.replace(set); p != nil {
		return p
	}
	for _, shape := range shapes {
		if p := t.setInventories(shape.provider, shape.inventories); p != nil {
			return p
		}
	}
	return nil
}

// reshapeFault puts a refusal of the reshaper into words.
func reshapeFault(p *problem) *fault {
	switch p.kind {
	case unknownClass:
		return badRequest("malformed reshaper data: %s", p.text)
	case inventoryInUse:
		return conflict("update conflict: %s", p.text).with(codeInventoryInUse)
	}
	return conflict("Unable to allocate inventory: %s", p.text)
}
