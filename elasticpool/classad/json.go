package classad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// UnmarshalJSON reads one ad as condor_q -json and condor_status -json print it, so that their whole output is read
// with json.Unmarshal into a []Ad (it is empty, not [], when there are no ads). Numbers with a point or exponent are
// reals, strings that Unwrap knows are expressions, arrays lists, objects nested ads, and null is undefined. An error
// names the attribute.
func (a *Ad) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var attributes map[string]any
	if err := decoder.Decode(&attributes); err != nil {
		return err
	}
	ad, err := fromObject(attributes, 0)
	if err == nil {
		*a = ad
	}
	return err
}

func fromObject(attributes map[string]any, depth int) (Ad, error) {
	ad := newAd()
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		n, err := fromJSON(attributes[name], depth+1)
		if err == nil && strings.Contains(name, "\x00") {
			err = fmt.Errorf("zero byte in the name: %w", ErrSyntax)
		}
		if err != nil {
			return Ad{}, fmt.Errorf("attribute %q: %w", name, err)
		}
		ad.SetExpr(name, &Expr{n})
	}
	return ad, nil
}

func fromJSON(value any, depth int) (node, error) {
	if depth > maxDepth {
		return nil, ErrTooLarge
	}
	switch v := value.(type) {
	case bool:
		return &literal{Bool(v)}, nil
	case json.Number:
		return fromNumber(v)
	case string:
		return fromString(v)
	case []any:
		return fromArray(v, depth)
	case map[string]any:
		ad, err := fromObject(v, depth)
		return &record{ad}, err
	default: // null
		return &literal{}, nil
	}
}

func fromNumber(n json.Number) (node, error) {
	if strings.ContainsAny(n.String(), ".eE") {
		f, _ := n.Float64() // only the range can be wrong: then it is infinite
		return &literal{Real(f)}, nil
	}
	i, err := n.Int64()
	return &literal{Int(i)}, err
}

func fromString(text string) (node, error) {
	expression, ok := Unwrap(text)
	if !ok {
		return &literal{Text(text)}, nil
	}
	e, err := Parse(expression)
	if err != nil {
		return nil, err
	}
	return e.root, nil
}

func fromArray(values []any, depth int) (node, error) {
	elements := make([]node, len(values))
	for i, value := range values {
		n, err := fromJSON(value, depth+1)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		elements[i] = n
	}
	return &list{elements}, nil
}

// MarshalJSON writes the ad in the form that UnmarshalJSON reads.
func (a Ad) MarshalJSON() ([]byte, error) { return json.Marshal(toObject(a)) }

func toObject(a Ad) map[string]any {
	attributes := make(map[string]any, len(a.attributes))
	for _, found := range a.attributes {
		attributes[found.name] = toJSON(found.expr.root)
	}
	return attributes
}

func toJSON(n node) any {
	switch n := n.(type) {
	case *literal:
		return literalToJSON(n.value)
	case *list:
		elements := make([]any, len(n.elements))
		for i, element := range n.elements {
			elements[i] = toJSON(element)
		}
		return elements
	case *record:
		return toObject(n.ad)
	default:
		return wrap((&Expr{n}).String())
	}
}

func literalToJSON(v Value) any {
	switch v.kind {
	case KindUndefined:
		return nil
	case KindBoolean:
		return v.integer != 0
	case KindInteger:
		return v.integer
	case KindReal:
		if !math.IsInf(v.real(), 0) && !math.IsNaN(v.real()) {
			return json.RawMessage(realToJSON(v.real()))
		}
	case KindString:
		if _, ambiguous := Unwrap(v.text); !ambiguous {
			return v.text
		}
	}
	return wrap(v.String())
}

// realToJSON keeps a point or an exponent in the number, by which it is known to be a real.
func realToJSON(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
