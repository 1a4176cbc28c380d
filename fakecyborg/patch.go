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
	// invalid is what the first value that is no text ends in, once the request was
	// found and may be bound.
	invalid *fault
}

// patchFields are the fields of a patch in the order of error texts.
var patchFields = []string{"hostname", "device_rp_uuid", "instance_uuid"}

// patchFieldsWithProject are those of a release where a bind can name a project.
var patchFieldsWithProject = append(slices.Clone(patchFields), "project_id")

// readPatches checks the body of a PATCH as a whole, before anything is done,
// and fails on what Python stumbles over first.
// It mirrors cyborg/api/controllers/v2/arqs.py:ARQsController.patch.
func (r Release) readPatches(body any, who caller, version microversion) ([]arqPatch, error) {
	byUUID, ok := body.(*object)
	if !ok {
		return nil, noAttribute(body, "items")
	}
	patches := make([]arqPatch, 0, len(byUUID.keys))
	for _, uuid := range byUUID.keys {
		patch, err := r.readPatch(uuid, byUUID.values[uuid], who, version)
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

func (r Release) readPatch(uuid string, value any, who caller, version microversion) (arqPatch, error) {
	operations, err := operationsOf(value)
	if err != nil {
		return arqPatch{}, err
	}
	if err := r.checkOneKind(operations); err != nil {
		return arqPatch{}, err
	}
	fields := make(map[string]any)
	for _, operation := range operations {
		if err := r.readOperation(operation, who, version, fields); err != nil {
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
	err = r.fill(&patch, fields, who, version)
	return patch, err
}

// operationsOf is the list of operations; each is an object.
func operationsOf(value any) ([]*object, error) {
	list, ok := value.([]any)
	if !ok {
		switch value := value.(type) {
		case string:
			if value == "" {
				return nil, broken("string index out of range")
			}
			return nil, notSubscriptable("")
		case *object:
			if len(value.keys) == 0 {
				return nil, broken("0")
			}
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
func (r Release) checkOneKind(operations []*object) error {
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
	return r.patchError("Every op must be add or remove")
}

// readOperation checks one operation and, for an add, notes its value.
func (r Release) readOperation(operation *object, who caller, version microversion, fields map[string]any) error {
	value, ok := operation.values["path"]
	if !ok {
		return keyError("path")
	}
	path, ok := value.(string)
	if !ok {
		return noAttribute(value, "lstrip")
	}
	name := strings.TrimLeft(path, "/")
	if refusal := r.checkField(name, path, who, version); refusal != nil {
		return refusal
	}
	if operation.values["op"] != "add" {
		return nil
	}
	if _, ok := operation.values["value"]; !ok {
		return keyError("value")
	}
	fields[name] = operation.values["value"]
	return nil
}

// checkField checks the path of an operation; project_id is for those who know
// it, and may name one.
func (r Release) checkField(name, path string, who caller, version microversion) *fault {
	names := patchFields
	if r.BindProject != ProjectUnknown {
		names = patchFieldsWithProject
	}
	isProject := name == "project_id" && r.BindProject != ProjectUnknown
	switch {
	case isProject && version < minorProjectInBind:
		return needsMicroversion(int(minorProjectInBind))
	case isProject && r.BindProject == ProjectOfAdmins && !who.admin:
		return denied("arq:update")
	case !slices.Contains(names, name):
		return r.patchError("Invalid path in patch " + path)
	}
	return nil
}

// fill takes the values of a bind. The project is the caller's unless given, or
// null in releases that do not know the caller's.
func (r Release) fill(p *arqPatch, fields map[string]any, who caller, version microversion) error {
	needed := patchFields
	if r.BindProject == ProjectRequired && version >= minorProjectInBind {
		needed = patchFieldsWithProject
	}
	var absent []string
	for _, name := range needed {
		if fields[name] == nil {
			absent = append(absent, name)
		}
	}
	if len(absent) > 0 {
		return r.patchError("Fields absent in patch " + strings.Join(absent, ","))
	}
	if r.BindProject == ProjectOfAdmins {
		p.project = textOrNull(who.Project)
		if !truth(fields["project_id"]) {
			delete(fields, "project_id")
		}
	}
	for _, field := range []struct {
		name string
		into **string
	}{{"hostname", &p.hostname}, {"device_rp_uuid", &p.deviceRP}, {"instance_uuid", &p.instance}, {"project_id", &p.project}} {
		if fields[field.name] == nil {
			continue
		}
		text, err := optionalText(fields[field.name], field.name)
		if err != nil {
			p.invalid = asFault(err)
			return nil
		}
		*field.into = text
	}
	return nil
}
