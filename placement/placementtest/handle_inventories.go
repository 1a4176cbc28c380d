package placementtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
)

// The handlers of inventories mirror placement/handlers/inventory.py.

// inventoryEcho shows an inventory as the caller wrote it, so that 2.0 stays 2.0, with the defaults filled in.
func inventoryEcho(o object) object {
	out := object{
		"reserved": 0, "min_unit": 1, "max_unit": maxInt, "step_size": 1, "allocation_ratio": ratio(1),
	}
	maps.Copy(out, o)
	delete(out, "resource_class")
	delete(out, "resource_provider_generation")
	return out
}

// inventoryWithGeneration shows one inventory with its provider's generation.
func inventoryWithGeneration(body object, p *provider) object {
	body["resource_provider_generation"] = p.generation
	return body
}

// inventoryObject shows a stored inventory.
func inventoryObject(inv inventory) object {
	return object{
		"total": inv.Total, "reserved": inv.Reserved, "min_unit": inv.MinUnit, "max_unit": inv.MaxUnit, "step_size": inv.StepSize,
		"allocation_ratio": inv.Ratio,
	}
}

func getInventories(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	return jsonReply(http.StatusOK, object{"resource_provider_generation": p.generation, "inventories": p.inventories}), nil
}

func getInventory(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	class := r.item("class")
	inv, ok := p.inventories[class]
	if !ok {
		return nil, notFound("No inventory of class %s for %s", class, p.uuid)
	}
	return jsonReply(http.StatusOK, inventoryWithGeneration(inventoryObject(inv), p)), nil
}

func putInventories(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	body, f := decodeObject(r.body, putInventoriesSchema)
	if f != nil {
		return nil, f
	}
	if f := sameGeneration(p, body); f != nil {
		return nil, f
	}
	given, _ := body["inventories"].(object)
	next, f := readInventories(p, given, func(class string, inv inventory) *fault {
		return checkCapacity("update", p, class, inv, r.version.minor)
	})
	if f != nil {
		return nil, f
	}
	if f := s.store.replaceInventories(p, next); f != nil {
		return nil, f
	}
	echo := make(object, len(given))
	for class, value := range given {
		fields, _ := value.(object)
		echo[class] = inventoryEcho(fields)
	}
	return jsonReply(http.StatusOK, object{"resource_provider_generation": p.generation, "inventories": echo}), nil
}

// readInventories reads the inventories of a checked body. A value that is no object can only stand under a name that is no class
// name, which fails later as an unknown class.
func readInventories(p *provider, given object, check func(string, inventory) *fault) (map[string]inventory, *fault) {
	next := make(map[string]inventory, len(given))
	for _, class := range slices.Sorted(maps.Keys(given)) {
		fields, ok := given[class].(object)
		if _, total := integer(fields, "total"); !ok || !total {
			return nil, unknownInventoryClass(p, class)
		}
		inv := inventoryOf(fields)
		if f := check(class, inv); f != nil {
			return nil, f
		}
		next[class] = inv
	}
	return next, nil
}

func unknownInventoryClass(p *provider, class string) *fault {
	return badRequest("Unknown resource class in inventory for resource provider %s: No such resource class %s.", p.uuid, class)
}

// replaceInventories is the write of PUT and DELETE …/inventories.
func (s *store) replaceInventories(p *provider, next map[string]inventory) *fault {
	t := &tx{store: s}
	problem := t.setInventories(p, next)
	switch {
	case problem == nil:
		return nil
	case problem.kind == unknownClass:
		return badRequest("Unknown resource class in inventory for resource provider %s: %s", p.uuid, problem.text)
	}
	return conflict("update conflict: %s", problem.text).with(codeInventoryInUse)
}

func deleteInventories(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	if f := s.store.replaceInventories(p, make(map[string]inventory)); f != nil {
		return nil, f
	}
	return noContent(), nil
}

func postInventory(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	body, f := decodeObject(r.body, postInventorySchema)
	if f != nil {
		return nil, f
	}
	class, inv := text(body, "resource_class"), inventoryOf(body)
	if f := checkCapacity("create", p, class, inv, r.version.minor); f != nil {
		return nil, f
	}
	if !s.store.known.classes.has(class) {
		return nil, badRequest("Unable to create inventory for resource provider %s: No such resource class %s.", p.uuid, class)
	}
	if _, ok := p.inventories[class]; ok {
		return nil, conflict("Update conflict: inventory of class %s exists on resource provider %s", class, p.uuid).
			with(codeConcurrentUpdate)
	}
	s.store.setInventory(p, class, inv)
	made := jsonReply(http.StatusCreated, inventoryWithGeneration(inventoryEcho(body), p))
	made.location = "/resource_providers/" + p.uuid + "/inventories/" + class
	return made, nil
}

func putInventory(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	body, f := decodeObject(r.body, putInventorySchema)
	if f != nil {
		return nil, f
	}
	if f := sameGeneration(p, body); f != nil {
		return nil, f
	}
	class, inv := r.item("class"), inventoryOf(body)
	if f := checkCapacity("update", p, class, inv, r.version.minor); f != nil {
		return nil, f
	}
	if !s.store.known.classes.has(class) {
		return nil, unknownClassName(class)
	}
	if _, ok := p.inventories[class]; !ok {
		return nil, badRequest("No inventory record with resource class for resource provider %s: No inventory of class %s found.",
			p.uuid, class)
	}
	s.store.setInventory(p, class, inv)
	return jsonReply(http.StatusOK, inventoryWithGeneration(inventoryEcho(body), p)), nil
}

// setInventory writes one class, which is known to exist, and moves the generation.
func (s *store) setInventory(p *provider, class string, inv inventory) {
	next := maps.Clone(p.inventories)
	next[class] = inv
	s.swapInventories(p, next)
	p.generation++
}

func deleteInventory(s *Server, r *request) (*reply, *fault) {
	p, f := s.store.lookup(r.item("uuid"))
	if f != nil {
		return nil, f
	}
	class := r.item("class")
	if _, ok := p.inventories[class]; !ok {
		return nil, notFound("No inventory of class %s found for delete", class)
	}
	if p.used[class] > 0 {
		return nil, conflict("Unable to delete inventory of class %s: Inventory for '%s' on resource provider '%s' in use.", class, class,
			p.uuid).with(codeConcurrentUpdate)
	}
	next := maps.Clone(p.inventories)
	delete(next, class)
	s.store.swapInventories(p, next)
	p.generation++
	return noContent(), nil
}

// sameGeneration compares the provider generation of a body with the present one.
func sameGeneration(p *provider, body object) *fault {
	n, ok := body["resource_provider_generation"].(json.Number)
	if ok && toInt(n) == p.generation {
		return nil
	}
	return conflict("resource provider generation conflict").with(codeConcurrentUpdate)
}
