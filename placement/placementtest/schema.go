package placementtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
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
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return hasType(v, t) }) {
		return fmt.Errorf("%s is not of type %s", show(v), "'"+strings.Join(s.types, "', '")+"'")
	}
	switch v := v.(type) {
	case map[string]any:
		return s.checkObject(v)
	case []any:
		return s.checkArray(v)
	case string:
		return s.checkString(v)
	case json.Number:
		return s.checkNumber(v)
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

func (s *schema) checkObject(o map[string]any) error {
	for _, key := range s.required {
		if _, ok := o[key]; !ok {
			return fmt.Errorf("'%s' is a required property", key)
		}
	}
	if len(o) < s.minProperties {
		return fmt.Errorf("%s does not have enough properties", show(o))
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if err := s.checkProperty(key, o[key]); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) checkProperty(key string, v any) error {
	known := false
	if p, ok := s.properties[key]; ok {
		known = true
		if err := p.check(v); err != nil {
			return fmt.Errorf("%w (at %s)", err, key)
		}
	}
	for _, p := range s.patterns {
		if p.name.MatchString(key) {
			known = true
			if err := p.schema.check(v); err != nil {
				return fmt.Errorf("%w (at %s)", err, key)
			}
		}
	}
	switch {
	case known || !s.closed:
		return nil
	case len(s.patterns) > 0:
		return fmt.Errorf("'%s' does not match any of the regexes: %s", key, s.patternNames())
	}
	return fmt.Errorf("Additional properties are not allowed ('%s' was unexpected)", key) //nolint:staticcheck // wire text
}

func (s *schema) patternNames() string {
	names := make([]string, 0, len(s.patterns))
	for _, p := range s.patterns {
		names = append(names, "'"+p.name.String()+"'")
	}
	return strings.Join(names, ", ")
}

func (s *schema) checkArray(a []any) error {
	if len(a) < s.minItems {
		return fmt.Errorf("%s is too short", show(a))
	}
	seen := make(map[string]bool)
	for i, v := range a {
		if s.items != nil {
			if err := s.items.check(v); err != nil {
				return fmt.Errorf("%w (at item %d)", err, i)
			}
		}
		text := show(v)
		if s.unique && seen[text] {
			return fmt.Errorf("%s has non-unique elements", show(a))
		}
		seen[text] = true
	}
	return nil
}

func (s *schema) checkString(v string) error {
	n := utf8.RuneCountInString(v)
	switch {
	case n < s.minLength:
		return fmt.Errorf("%s is too short", show(v))
	case s.maxLength > 0 && n > s.maxLength:
		return fmt.Errorf("%s is too long", show(v))
	case s.pattern != nil && !s.pattern.MatchString(v):
		return fmt.Errorf("%s does not match '%s'", show(v), s.pattern)
	case len(s.enum) > 0 && !slices.Contains(s.enum, v):
		return fmt.Errorf("%s is not one of ['%s']", show(v), strings.Join(s.enum, "', '"))
	}
	if _, ok := normalUUID(v); s.uuid && !ok {
		return fmt.Errorf("%s is not a 'uuid'", show(v))
	}
	return nil
}

func (s *schema) checkNumber(v json.Number) error {
	f := toFloat(v)
	switch {
	case s.minimum != nil && f < *s.minimum:
		return fmt.Errorf("%s is less than the minimum of %v", v, *s.minimum)
	case s.maximum != nil && f > *s.maximum:
		return fmt.Errorf("%s is greater than the maximum of %v", v, *s.maximum)
	}
	return nil
}

// show writes a value for an error text, with the quotes that the real service's texts have.
func show(v any) string {
	if s, ok := v.(string); ok {
		return "'" + s + "'"
	}
	text, err := json.Marshal(v)
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
