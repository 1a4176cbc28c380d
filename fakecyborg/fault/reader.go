package fault

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader fills rules from a YAML tree by hand: yaml's own strict mode does not
// name keys and places in all of its errors.
type reader struct {
	file string
	// lines are the lines of all paths that were seen.
	lines map[string]int
}

func newReader(file string) reader { return reader{file: file, lines: make(map[string]int)} }

// locate turns a path of keys into file, line and path. A path that is not in the
// file has the line of the nearest part that is.
func (r reader) locate(path string) string {
	line := 1
	for known := path; known != ""; known = known[:max(0, strings.LastIndexAny(known, ".["))] {
		if at, ok := r.lines[known]; ok {
			line = at
			break
		}
	}
	return fmt.Sprintf("%s:%d: %s", r.file, line, path)
}

func (r reader) fail(n *yaml.Node, at string, kind error, format string, args ...any) error {
	return r.at(n, &Error{Place: at, Err: fmt.Errorf("%w: "+format, append([]any{kind}, args...)...)})
}

// at puts file and line before the path of an error.
func (r reader) at(n *yaml.Node, err *Error) error {
	place := fmt.Sprintf("%s:%d", r.file, n.Line)
	if err.Place != "" {
		place += ": " + err.Place
	}
	return &Error{Place: place, Err: err.Err}
}

func (r reader) rule(n *yaml.Node, at string) (Rule, error) {
	var rule Rule
	r.lines[at] = n.Line
	if err := r.fields(n, at, reflect.ValueOf(&rule).Elem()); err != nil {
		return rule, err
	}
	return rule, r.refuseZero(n, at)
}

// refuseZero refuses the amounts that stand for nothing in a [Rule], and so for all
// that matches.
func (r reader) refuseZero(n *yaml.Node, at string) error {
	return r.pairs(n, at, func(key, value *yaml.Node, at string) error {
		if number, err := strconv.Atoi(value.Value); (key.Value == "first" || key.Value == "nth") && err == nil && number == 0 {
			return r.fail(value, at, ErrValue, "want 1 or more, or leave it out to hit all that matches, got %q", value.Value)
		}
		return nil
	})
}

// fields fills a struct from keys and values.
func (r reader) fields(n *yaml.Node, at string, into reflect.Value) error {
	return r.pairs(n, at, func(key, value *yaml.Node, at string) error {
		for _, p := range parameters(into.Type()) {
			if p.name == key.Value {
				return r.value(value, at, into.Field(p.index))
			}
		}
		return r.fail(key, at, ErrSyntax, "unknown key %q, known are %s", key.Value, strings.Join(names(into.Type()), ", "))
	})
}

// pairs calls read for each key; a key may come once.
func (r reader) pairs(n *yaml.Node, at string, read func(key, value *yaml.Node, at string) error) error {
	if n.Kind != yaml.MappingNode {
		return r.fail(n, at, ErrSyntax, "want keys and values, got %s", describe(n))
	}
	seen := make(map[string]bool)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return r.fail(key, at, ErrSyntax, "want a plain key, got %s", describe(key))
		}
		below := strings.TrimPrefix(at+"."+key.Value, ".")
		if seen[key.Value] {
			return r.fail(key, below, ErrSyntax, "the key is there twice")
		}
		seen[key.Value], r.lines[below] = true, key.Line
		if err := read(key, value, below); err != nil {
			return err
		}
	}
	return nil
}

// value fills one field by its type.
func (r reader) value(n *yaml.Node, at string, into reflect.Value) error {
	switch into := into.Addr().Interface().(type) {
	case *Fault:
		return r.fault(n, at, into)
	case *[]Fault:
		return r.sequence(n, at, into)
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return r.fail(n, at, ErrSyntax, "want a single value, got %s", describe(n))
	}
	if want := setText(n.Value, into); want != "" {
		return r.fail(n, at, ErrValue, "want %s, got %q", want, n.Value)
	}
	return nil
}

// setText gives a field the value that a text stands for; the result says what
// was wanted instead, "" for nothing.
func setText(text string, into reflect.Value) (want string) {
	var err error
	switch field := into.Addr().Interface().(type) {
	case *time.Duration:
		*field, err = time.ParseDuration(text)
		want = `a time such as "2s"`
	case *int:
		*field, err = strconv.Atoi(text)
		want = "a whole number"
	case *bool:
		*field = text == "true"
		if text != "true" && text != "false" {
			return "true or false"
		}
	default:
		into.SetString(text)
	}
	if err != nil {
		return want
	}
	return ""
}

func (r reader) sequence(n *yaml.Node, at string, into *[]Fault) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return r.fail(n, at, ErrSyntax, "want a list of faults, got %s", describe(n))
	}
	for i, element := range n.Content {
		var f Fault
		below := fmt.Sprintf("%s[%d]", at, i)
		r.lines[below] = element.Line
		if err := r.fault(element, below, &f); err != nil {
			return err
		}
		*into = append(*into, f)
	}
	return nil
}

// fault reads {kind: status, code: 503}; a bare word is a kind without parameters.
func (r reader) fault(n *yaml.Node, at string, into *Fault) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return r.kind(n, n.Value, &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}, at, into)
	}
	rest := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	kind := ""
	err := r.pairs(n, at, func(key, value *yaml.Node, at string) error {
		if key.Value != "kind" {
			rest.Content = append(rest.Content, key, value)
			return nil
		}
		return r.value(value, at, reflect.ValueOf(&kind).Elem())
	})
	if err != nil {
		return err
	}
	return r.kind(n, kind, rest, at, into)
}

func (r reader) kind(n *yaml.Node, name string, rest *yaml.Node, at string, into *Fault) error {
	of, ok := kinds[name]
	if !ok {
		return r.fail(n, at+".kind", ErrUnknownKind, "%q, known are %s", name, strings.Join(Kinds(), ", "))
	}
	filled := reflect.New(of).Elem()
	if err := r.fields(rest, at, filled); err != nil {
		return err
	}
	f, ok := reflect.TypeAssert[Fault](filled)
	if !ok {
		return r.fail(n, at, ErrUnknownKind, "%q", name)
	}
	if wrong := f.Check(); wrong != nil {
		return r.at(n, below(at, wrong))
	}
	*into = f
	return nil
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "keys and values"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.Tag == "!!null":
		return "nothing"
	}
	return strconv.Quote(n.Value)
}
