package placementtest

import (
	"fmt"
	"slices"
	"strings"
)

// violation is where and how a value breaks a schema.
type violation struct {
	// reason says what is wrong, value what with.
	reason string
	value  any
	// keyword is the rule of the schema that is broken; inSchema leads to it, and inValue to the value, innermost step first.
	keyword  string
	inSchema []string
	inValue  []string
}

// broken makes a violation at the place where it is found.
func broken(keyword string, value any, format string, args ...any) *violation {
	return &violation{reason: fmt.Sprintf(format, args...), value: value, keyword: keyword}
}

// within puts a violation one level up: below a step of the value, and below steps of the schema, outermost first. Nil stays nil.
func (v *violation) within(step string, schema ...string) *violation {
	if v == nil {
		return nil
	}
	slices.Reverse(schema)
	v.inSchema = append(v.inSchema, schema...)
	v.inValue = append(v.inValue, step)
	return v
}

// Error describes the violation with the words that the jsonschema library uses, which clients of the real service look for; the
// schema itself is not shown.
func (v *violation) Error() string {
	return fmt.Sprintf("%s\n\nFailed validating '%s' in schema%s:\n\nOn instance%s:\n    %s",
		v.reason, v.keyword, steps(v.inSchema), steps(v.inValue), show(v.value))
}

// steps writes a path that is kept innermost first.
func steps(path []string) string {
	var b strings.Builder
	for _, step := range slices.Backward(path) {
		fmt.Fprintf(&b, "[%s]", step)
	}
	return b.String()
}

// named is the step to a property.
func named(key string) string { return "'" + key + "'" }
