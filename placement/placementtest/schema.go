package placementtest

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// schema is the part of JSON Schema that Placement's own schemas (placement/schemas/) use.
type schema struct {
	// types are the JSON types allowed; none means any.
	types []string
	// required, properties, patterns, closed and minProperties are about objects. A closed object has no other properties than
	// those named or matched by a pattern.
	required      []string
	properties    map[string]*schema
	patterns      []patternSchema
	closed        bool
	minProperties int
	// items, minItems and unique are about arrays.
	items    *schema
	minItems int
	unique   bool
	// minLength, maxLength (0: none), pattern, uuid and enum are about strings.
	minLength, maxLength int
	pattern              *regexp.Regexp
	uuid                 bool
	enum                 []string
	// minimum and maximum are about numbers.
	minimum, maximum *float64
}

// patternSchema is the schema of the properties whose name matches a pattern.
type patternSchema struct {
	name   *regexp.Regexp
	schema *schema
}

// check gives the first thing that is wrong with a value, nil when it fits. Numbers must be [json.Number].
func (s *schema) check(v any) error {
	if found := s.find(v); found != nil {
		return found
	}
	return nil
}

// find is check with the place of what is wrong.
func (s *schema) find(v any) *violation {
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return hasType(v, t) }) {
		return broken("type", v, "%s is not of type %s", show(v), "'"+strings.Join(s.types, "', '")+"'")
	}
	switch v := v.(type) {
	case map[string]any:
		return s.findInObject(v)
	case []any:
		return s.findInArray(v)
	case string:
		return s.findInString(v)
	case json.Number:
		return s.findInNumber(v)
	}
	return nil
}

// hasType tells whether a value is of a JSON type. As in Python, 2.0 is an integer and true is not a number.
func hasType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && isInteger(v)
	}
	return false
}

func (s *schema) findInObject(o map[string]any) *violation {
	for _, key := range s.required {
		if _, ok := o[key]; !ok {
			return broken("required", o, "'%s' is a required property", key)
		}
	}
	if len(o) < s.minProperties {
		return broken("minProperties", o, "%s does not have enough properties", show(o))
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		known, found := s.findInProperty(key, o[key])
		switch {
		case found != nil:
			return found
		case known || !s.closed:
		case len(s.patterns) > 0:
			return broken("additionalProperties", o, "'%s' does not match any of the regexes: %s", key, s.patternNames())
		default:
			return broken("additionalProperties", o, "Additional properties are not allowed ('%s' was unexpected)", key)
		}
	}
	return nil
}

// findInProperty checks one property, and tells whether the schema knows its name.
func (s *schema) findInProperty(key string, v any) (known bool, found *violation) {
	if p, ok := s.properties[key]; ok {
		known, found = true, p.find(v).within(named(key), "'properties'", named(key))
	}
	for _, p := range s.patterns {
		if found == nil && p.name.MatchString(key) {
			known, found = true, p.schema.find(v).within(named(key), "'patternProperties'", named(p.name.String()))
		}
	}
	return known, found
}

func (s *schema) patternNames() string {
	names := make([]string, 0, len(s.patterns))
	for _, p := range s.patterns {
		names = append(names, "'"+p.name.String()+"'")
	}
	return strings.Join(names, ", ")
}

func (s *schema) findInArray(a []any) *violation {
	if len(a) < s.minItems {
		return broken("minItems", a, "%s is too short", show(a))
	}
	seen := make(map[string]bool)
	for i, v := range a {
		if s.items != nil {
			if found := s.items.find(v).within(strconv.Itoa(i), "'items'"); found != nil {
				return found
			}
		}
		text := show(v)
		if s.unique && seen[text] {
			return broken("uniqueItems", a, "%s has non-unique elements", show(a))
		}
		seen[text] = true
	}
	return nil
}

func (s *schema) findInString(v string) *violation {
	n := utf8.RuneCountInString(v)
	switch {
	case n < s.minLength:
		return broken("minLength", v, "%s is too short", show(v))
	case s.maxLength > 0 && n > s.maxLength:
		return broken("maxLength", v, "%s is too long", show(v))
	case s.pattern != nil && !s.pattern.MatchString(v):
		return broken("pattern", v, "%s does not match '%s'", show(v), s.pattern)
	case len(s.enum) > 0 && !slices.Contains(s.enum, v):
		return broken("enum", v, "%s is not one of ['%s']", show(v), strings.Join(s.enum, "', '"))
	}
	if _, ok := normalUUID(v); s.uuid && !ok {
		return broken("format", v, "%s is not a 'uuid'", show(v))
	}
	return nil
}

func (s *schema) findInNumber(v json.Number) *violation {
	f := toFloat(v)
	switch {
	case s.minimum != nil && f < *s.minimum:
		return broken("minimum", v, "%s is less than the minimum of %v", v, *s.minimum)
	case s.maximum != nil && f > *s.maximum:
		return broken("maximum", v, "%s is greater than the maximum of %v", v, *s.maximum)
	}
	return nil
}

// show writes a value for an error text, with the quotes that the real service's texts have.
func show(v any) string {
	if s, ok := v.(string); ok {
		return "'" + s + "'"
	}
	text, err := encode(v)
	if err != nil {
		return "a value"
	}
	return string(text)
}

// isInteger tells whether a number has no fraction, in whatever form it is written.
func isInteger(n json.Number) bool {
	f := toFloat(n)
	return !math.IsInf(f, 0) && f == math.Trunc(f)
}

// toFloat is a number as a float, infinite when it is too large for one.
func toFloat(n json.Number) float64 {
	f, err := n.Float64()
	if err != nil {
		return math.Inf(1)
	}
	return f
}

// toInt is an integer number as int64, the nearest one when it is too large. Exact for every int64 written as an integer.
func toInt(n json.Number) int64 {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, ok := new(big.Float).SetString(n.String())
	if !ok {
		return math.MaxInt64
	}
	i, _ := f.Int64()
	return i
}
