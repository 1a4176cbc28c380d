package placementtest

import (
	"net/http"
	"slices"
	"strings"
)

// The handlers of traits mirror placement/handlers/trait.py.

func listTraits(s *Server, r *request) (*reply, *fault) {
	if f := r.query.check(traitListSchema); f != nil {
		return nil, f
	}
	named, f := nameFilter(r.query)
	if f != nil {
		return nil, f
	}
	associated, asked := r.query.last("associated")
	associated = strings.ToLower(associated)
	if asked && associated != "true" && associated != "false" {
		return nil, badRequest("The query parameter \"associated\" only accepts \"true\" or \"false\"")
	}
	traits := make([]string, 0, len(s.store.traits))
	for _, name := range s.store.traits {
		used := len(s.store.byTrait[name]) > 0
		if named(name) && (!asked || used == (associated == "true")) {
			traits = append(traits, name)
		}
	}
	return jsonReply(http.StatusOK, object{"traits": traits}), nil
}

// nameFilter reads the name parameter of a trait list: in:A,B or startswith:P. An unknown word before the colon filters nothing.
func nameFilter(q query) (func(string) bool, *fault) {
	value, ok := q.last("name")
	if !ok {
		return func(string) bool { return true }, nil
	}
	word, rest, ok := strings.Cut(value, ":")
	switch {
	case !ok:
		return nil, badRequest("Badly formatted name parameter. Expected name query string parameter in form: "+
			"?name=[in|startswith]:[name1,name2|prefix]. Got: \"%s\"", value)
	case word == "in":
		wanted := strings.Split(rest, ",")
		return func(name string) bool { return slices.Contains(wanted, name) }, nil
	case word == "startswith":
		return func(name string) bool { return strings.HasPrefix(name, rest) }, nil
	}
	return func(string) bool { return true }, nil
}

func getTrait(s *Server, r *request) (*reply, *fault) {
	if name := r.item("name"); !s.store.known.traits.has(name) {
		return nil, unknownTraitName(name)
	}
	return &reply{status: http.StatusNoContent, cached: true}, nil
}

func putTrait(s *Server, r *request) (*reply, *fault) {
	name := r.item("name")
	if customName.check(name) != nil {
		return nil, badRequest("The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix " +
			"\"CUSTOM_\" and use following characters: \"A\"-\"Z\", \"0\"-\"9\" and \"_\"")
	}
	status := http.StatusNoContent
	if s.store.addTrait(name) {
		status = http.StatusCreated
	}
	return &reply{status: status, location: "/traits/" + name, cached: true}, nil
}

func deleteTrait(s *Server, r *request) (*reply, *fault) {
	name := r.item("name")
	switch {
	case !s.store.known.traits.has(name):
		return nil, unknownTraitName(name)
	case isStandard(name):
		return nil, badRequest("Cannot delete standard trait %s.", name)
	case len(s.store.byTrait[name]) > 0:
		return nil, conflict("The trait %s is in use by a resource provider.", name)
	}
	delete(s.store.known.traits, name)
	s.store.traits = slices.DeleteFunc(s.store.traits, func(t string) bool { return t == name })
	return noContent(), nil
}

func unknownTraitName(name string) *fault { return notFound("No such trait(s): %s.", name) }
