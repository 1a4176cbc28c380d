package fakecyborg

import (
	"slices"
	"strings"
)

// arqPatch is what a PATCH wants of one request.
type arqPatch struct {
	uuid string
	bind bool
	target
	project *string
}

// patchFields are the fields of a patch in the order of error texts.
var patchFields = []string{"hostname", "device_rp_uuid", "instance_uuid"}

// readPatches checks the body of a PATCH as a whole, before anything is done,
// and fails on what Python stumbles over first.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController.patch.
func readPatches(body any, who caller, version microversion) ([]arqPatch, error) {
	byUUID, ok := body.(*object)
	if !ok {
		return nil, noAttribute(body, "items")
	}
	patches := make([]arqPatch, 0, len(byUUID.keys))
	for _, uuid := range byUUID.keys {
		patch, err := readPatch(uuid, byUUID.values[uuid], who, version)
		if err != nil {
			return nil, err
		}
		patches = append(patches, patch)
	}
	if len(patches) == 0 {
		return nil, broken("list index out of range")
	}
	return patches, nil
}

func readPatch(uuid string, value any, who caller, version microversion) (arqPatch, error) {
	operations, err := operationsOf(value)
	if err != nil {
		return arqPatch{}, err
	}
	if err := checkOneKind(operations); err != nil {
		return arqPatch{}, err
	}
	fields := make(map[string]any)
	for _, operation := range operations {
		if err := readOperation(operation, version, fields); err != nil {
			return arqPatch{}, err
		}
	}
	if len(operations) == 0 {
		return arqPatch{}, broken("list index out of range")
	}
	patch := arqPatch{uuid: uuid, bind: operations[0].values["op"] == "add"}
	if !patch.bind {
		return patch, nil
	}
	return patch, patch.fill(fields, who)
}

// operationsOf is the list of operations; each is an object.
func operationsOf(value any) ([]*object, error) {
	list, ok := value.([]any)
	if !ok {
		switch value.(type) {
		case string, *object:
			return nil, notSubscriptable("")
		}
		return nil, notIterable(value)
	}
	operations := make([]*object, 0, len(list))
	for _, element := range list {
		operation, ok := element.(*object)
		if !ok {
			return nil, notSubscriptable(element)
		}
		operations = append(operations, operation)
	}
	return operations, nil
}

// notSubscriptable is Python's error for element["op"].
func notSubscriptable(element any) *fault {
	switch element.(type) {
	case string:
		return broken("string indices must be integers, not 'str'")
	case []any:
		return broken("list indices must be integers or slices, not str")
	}
	return broken("'%s' object is not subscriptable", pythonType(element))
}

// checkOneKind wants all operations to be add or all to be remove; a missing op
// counts only where Python would look at it.
func checkOneKind(operations []*object) error {
	for _, kind := range []string{"add", "remove"} {
		all := true
		for _, operation := range operations {
			op, ok := operation.values["op"]
			if !ok {
				return keyError("op")
			}
			if op != kind {
				all = false
				break
			}
		}
		if all {
			return nil
		}
	}
	return patchError("Every op must be add or remove")
}

func patchError(format string, args ...any) *fault {
	return badRequest("Couldn't apply patch. Reason: "+format, args...)
}

// readOperation checks one operation and, for an add, notes its value.
func readOperation(operation *object, version microversion, fields map[string]any) error {
	value, ok := operation.values["path"]
	if !ok {
		return keyError("path")
	}
	path, ok := value.(string)
	if !ok {
		return noAttribute(value, "lstrip")
	}
	name := strings.TrimLeft(path, "/")
	switch {
	case name == "project_id" && version < minorProjectInBind:
		return needsMicroversion(int(minorProjectInBind))
	case name != "project_id" && !slices.Contains(patchFields, name):
		return patchError("Invalid path in patch %s", path)
	case operation.values["op"] != "add":
		return nil
	}
	if _, ok := operation.values["value"]; !ok {
		return keyError("value")
	}
	fields[name] = operation.values["value"]
	return nil
}

// fill takes the values of a bind. The project is the caller's unless given.
func (p *arqPatch) fill(fields map[string]any, who caller) error {
	var absent []string
	for _, name := range patchFields {
		if fields[name] == nil {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		return patchError("Fields absent in patch %s", strings.Join(absent, ","))
	}
	p.project = &who.project
	for name, into := range map[string]**string{
		"hostname": &p.hostname, "device_rp_uuid": &p.deviceRP, "instance_uuid": &p.instance, "project_id": &p.project,
	} {
		if fields[name] == nil {
			continue
		}
		text, err := optionalText(fields[name], name)
		if err != nil {
			return err
		}
		*into = text
	}
	return nil
}
