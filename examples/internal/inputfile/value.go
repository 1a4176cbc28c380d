package inputfile

import (
	"encoding/json"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// text takes a scalar as it is written.
func (r reader) text(into *string) field {
	return func(n *yaml.Node, at string) error {
		n = resolve(n)
		if n.Kind != yaml.ScalarNode || isNothing(n) {
			return r.fail(n, at, "want a text, got %s", describe(n))
		}
		*into = n.Value
		return nil
	}
}

// texts takes any keys, each with a scalar.
func (r reader) texts(into *map[string]string) field {
	return func(n *yaml.Node, at string) error {
		*into = map[string]string{}
		return r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
			var text string
			err := r.text(&text)(value, at)
			(*into)[key] = text
			return err
		})
	}
}

// number takes a whole number.
func (r reader) number(into *int) field {
	return func(n *yaml.Node, at string) error {
		n = resolve(n)
		value, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			return r.fail(n, at, "want a whole number, got %s", describe(n))
		}
		*into = value
		return nil
	}
}

// scalar takes a text, a number, a truth value or null, as JSON would give it. Digits are kept as they are written
// where JSON can write them so.
func (r reader) scalar(into *any) field {
	return func(n *yaml.Node, at string) error {
		n = resolve(n)
		if n.Kind != yaml.ScalarNode {
			return r.fail(n, at, "want a text or a number, got %s", describe(n))
		}
		var err error
		switch n.ShortTag() {
		case "!!null":
			*into = nil
		case "!!bool":
			var truth bool
			err = n.Decode(&truth)
			*into = truth
		case "!!int", "!!float":
			*into, err = number(n)
		default:
			*into = n.Value
		}
		if err != nil {
			return r.fail(n, at, "want a text or a number, got %s", describe(n))
		}
		return nil
	}
}

func number(n *yaml.Node) (json.Number, error) {
	if json.Valid([]byte(n.Value)) {
		return json.Number(n.Value), nil
	}
	if n.ShortTag() == "!!int" {
		var whole int64
		err := n.Decode(&whole)
		return json.Number(strconv.FormatInt(whole, 10)), err
	}
	var value float64
	if err := n.Decode(&value); err != nil {
		return "", err
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "", strconv.ErrRange
	}
	return json.Number(strconv.FormatFloat(value, 'f', -1, 64)), nil
}

// resolve follows an alias to its anchor.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNothing(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// describe says what stands where something else is wanted.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNothing(n):
		return "nothing"
	}
	return strconv.Quote(n.Value)
}
