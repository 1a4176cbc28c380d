package virtdriver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const maxTag = 255

// eventNames are the events in the schema's order, each with the compute
// microversion, 2.N, that brought it
// (nova/api/openstack/compute/schemas/server_external_events.py).
var eventNames = []struct {
	name  string
	since int
}{
	{"network-changed", minMinor},
	{"network-vif-plugged", minMinor},
	{"network-vif-unplugged", minMinor},
	{"network-vif-deleted", minMinor},
	{"volume-extended", 51},
	{"power-update", 76},
	{EventBound, 82},
	{"volume-reimaged", 93},
}

// eventSchema is the JSON schema of a body: which names and states it may have.
// Its messages are those of Nova, which validates with jsonschema and names the
// last part of the place (nova/api/validation/validators.py, _SchemaValidator).
type eventSchema struct{ names, states []string }

// schemaOf is the schema of a microversion; spec adds the words of Nova's specs,
// which plan no microversion.
func schemaOf(minor int, spec bool) eventSchema {
	s := eventSchema{states: []string{StatusFailed, StatusCompleted, StatusInProgress}}
	for _, event := range eventNames {
		if event.since <= minor {
			s.names = append(s.names, event.name)
		}
	}
	if spec {
		s.names = append(s.names, EventResolved, EventsBound)
		s.states = append(s.states, StatusOK)
	}
	return s
}

// check finds the first fault of a body, the outermost one first.
func (s eventSchema) check(body any) *fault {
	object, ok := body.(map[string]any)
	if !ok {
		return &fault{http.StatusBadRequest, fmt.Sprintf("%s is not of type 'object'", python(body))}
	}
	if message := keys(object, []string{"events"}, []string{"events"}); message != "" {
		return &fault{http.StatusBadRequest, message}
	}
	list, ok := object["events"].([]any)
	switch {
	case !ok:
		return invalid("events", object["events"], python(object["events"])+" is not of type 'array'")
	case len(list) == 0:
		return invalid("events", list, "[] is too short")
	}
	for i, event := range list {
		if bad := s.checkShape(i, event); bad != nil {
			return bad
		}
	}
	for _, event := range list {
		if bad := s.checkFields(event); bad != nil {
			return bad
		}
	}
	return nil
}

func (eventSchema) checkShape(index int, event any) *fault {
	object, ok := event.(map[string]any)
	message := python(event) + " is not of type 'object'"
	if ok {
		message = keys(object, []string{"server_uuid", "name"}, []string{"server_uuid", "name", "status", "tag"})
	}
	if message == "" {
		return nil
	}
	return invalid(strconv.Itoa(index), event, message)
}

func (s eventSchema) checkFields(event any) *fault {
	object, _ := event.(map[string]any) // checkShape has seen to it
	for _, name := range []string{"server_uuid", "name", "status", "tag"} {
		value, given := object[name]
		if !given {
			continue
		}
		if message := s.checkField(name, value); message != "" {
			return invalid(name, value, message)
		}
	}
	return nil
}

func (s eventSchema) checkField(name string, value any) string {
	text, ok := value.(string)
	switch {
	case !ok:
		return python(value) + " is not of type 'string'"
	case name == "server_uuid" && !uuidLike(text):
		return python(value) + " is not a 'uuid'"
	case name == "name" && !slices.Contains(s.names, text):
		return python(value) + " is not one of " + python(s.names)
	case name == "status" && !slices.Contains(s.states, text):
		return python(value) + " is not one of " + python(s.states)
	case name == "tag" && utf8.RuneCountInString(text) > maxTag:
		return python(value) + " is too long"
	}
	return ""
}

// keys checks the keys of an object.
func keys(object map[string]any, required, allowed []string) string {
	for _, key := range required {
		if _, ok := object[key]; !ok {
			return python(key) + " is a required property"
		}
	}
	var more []string
	for key := range object {
		if !slices.Contains(allowed, key) {
			more = append(more, python(key))
		}
	}
	slices.Sort(more)
	switch len(more) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Additional properties are not allowed (%s was unexpected)", more[0])
	}
	return fmt.Sprintf("Additional properties are not allowed (%s were unexpected)", strings.Join(more, ", "))
}

func invalid(place string, value any, message string) *fault {
	text, ok := value.(string)
	if !ok {
		text = python(value)
	}
	return &fault{http.StatusBadRequest, fmt.Sprintf("Invalid input for field/attribute %s. Value: %s. %s", place, text, message)}
}

// uuidLike is oslo.utils' is_uuid_like, which passes over dashes, braces and the
// prefixes of a urn.
func uuidLike(text string) bool {
	text = strings.NewReplacer("urn:", "", "uuid:", "").Replace(text)
	text = strings.ReplaceAll(strings.Trim(text, "{}"), "-", "")
	return len(text) == 32 && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

// python writes a value the way Nova's messages do.
func python(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[v]
	case string:
		return "'" + v + "'"
	case []string:
		quoted := make([]string, len(v))
		for i, text := range v {
			quoted[i] = python(text)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	text, _ := json.Marshal(value) //nolint:errchkjson // it came from JSON
	return string(text)
}
