package differential_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// step is one request, the same to both services but for what they named themselves: {{7.0}} stands for the first uuid that the answer
// to step 7 told, {{device.0}} for one that was there before. Where a service told none, unknown takes its place.
type step struct {
	id             int
	method, target string // target is path and query, as sent
	user, service  string // whose tokens; "" for none
	header         map[string]string
	body           string
	bodied         bool // there is a body, maybe an empty one
}

// unknown is the uuid of nothing.
const unknown = "00000000-0000-4000-8000-00000000dead"

// referenceForm is a reference to what a service named; a word behind the bar changes its form.
var referenceForm = regexp.MustCompile(`\{\{(\w+)\.(\d+)(?:\|(\w+))?\}\}`)

// resolve puts a service's own uuids into a text.
func resolve(text string, told map[string][]string) string {
	return referenceForm.ReplaceAllStringFunc(text, func(reference string) string {
		parts := referenceForm.FindStringSubmatch(reference)
		index, err := strconv.Atoi(parts[2])
		id := unknown
		if list := told[parts[1]]; err == nil && index < len(list) {
			id = list[index]
		}
		return inForm(id, parts[3])
	})
}

// inForm writes a uuid otherwise.
func inForm(id, form string) string {
	switch form {
	case "upper":
		return strings.ToUpper(id)
	case "hex":
		return strings.ReplaceAll(id, "-", "")
	case "cut":
		return id[:len(id)-1]
	default:
		return id
	}
}

// mutates says whether the request may change something.
func (s step) mutates() bool { return s.method != "GET" && s.method != "HEAD" && s.method != "OPTIONS" }

// String is the step on a few lines.
func (s step) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d: %s %s", s.id, s.method, s.target)
	fmt.Fprintf(&text, "   as %s", orNobody(s.user))
	if s.service != "" {
		fmt.Fprintf(&text, ", service token of %s", s.service)
	}
	for _, name := range slices.Sorted(maps.Keys(s.header)) {
		fmt.Fprintf(&text, "\n     %s: %s", name, s.header[name])
	}
	if s.bodied {
		fmt.Fprintf(&text, "\n     %s", s.body)
	}
	return text.String()
}

func orNobody(user string) string {
	if user == "" {
		return "nobody"
	}
	return user
}

// quoted is a JSON string.
func quoted(text string) string {
	encoded, err := json.Marshal(text)
	if err != nil { // a string always can be
		return `""`
	}
	return string(encoded)
}
