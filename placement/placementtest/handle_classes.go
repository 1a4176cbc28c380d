package placementtest

import (
	"net/http"
	"slices"
)

// The handlers of resource classes mirror placement/handlers/resource_class.py.

func classBody(s *Server, name string) object {
	return object{"name": name, "links": list{object{"rel": "self", "href": s.cfg.prefix + "/resource_classes/" + name}}}
}

func listClasses(s *Server, _ *request) (*reply, *fault) {
	classes := make(list, 0, len(s.store.classes))
	for _, name := range s.store.classes {
		classes = append(classes, classBody(s, name))
	}
	return jsonReply(http.StatusOK, object{"resource_classes": classes}), nil
}

func getClass(s *Server, r *request) (*reply, *fault) {
	name := r.item("name")
	if !s.store.known.classes.has(name) {
		return nil, unknownClassName(name)
	}
	return jsonReply(http.StatusOK, classBody(s, name)), nil
}

func postClass(s *Server, r *request) (*reply, *fault) {
	body, f := decodeObject(r.body, classSchema)
	if f != nil {
		return nil, f
	}
	name := text(body, "name")
	if !s.store.addClass(name) {
		return nil, conflict("Conflicting resource class already exists: %s", name)
	}
	return &reply{status: http.StatusCreated, location: "/resource_classes/" + name}, nil
}

// putClass makes sure that a class exists, from 1.7 on, and renames one before.
func putClass(s *Server, r *request) (*reply, *fault) {
	name := r.item("name")
	if !r.atLeast(7) {
		return renameClass(s, r, name)
	}
	if err := classSchema.check(object{"name": name}); err != nil {
		return nil, badRequest("JSON does not validate: %v", err)
	}
	status := http.StatusNoContent
	if s.store.addClass(name) {
		status = http.StatusCreated
	}
	return &reply{status: status, location: "/resource_classes/" + name}, nil
}

func renameClass(s *Server, r *request, name string) (*reply, *fault) {
	body, f := decodeObject(r.body, classSchema)
	if f != nil {
		return nil, f
	}
	next := text(body, "name")
	switch {
	case !s.store.known.classes.has(name):
		return nil, unknownClassName(name)
	case isStandard(name):
		return nil, badRequest("Cannot update standard resource class %s", name)
	case next != name && s.store.known.classes.has(next):
		return nil, conflict("Resource class already exists: %s", next)
	}
	s.store.renameClass(name, next)
	return jsonReply(http.StatusOK, classBody(s, next)), nil
}

func deleteClass(s *Server, r *request) (*reply, *fault) {
	name := r.item("name")
	switch {
	case !s.store.known.classes.has(name):
		return nil, unknownClassName(name)
	case isStandard(name):
		return nil, badRequest("Error in delete resource class: Cannot delete standard resource class %s.", name)
	case len(s.store.byClass[name]) > 0:
		return nil, conflict("Error in delete resource class: Cannot delete resource class %s. Class is in use in inventory.", name)
	}
	delete(s.store.known.classes, name)
	s.store.classes = slices.DeleteFunc(s.store.classes, func(c string) bool { return c == name })
	return noContent(), nil
}

func unknownClassName(name string) *fault { return notFound("No such resource class %s.", name) }
