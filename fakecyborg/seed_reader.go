package fakecyborg

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// seedReader walks through a YAML tree by hand, because yaml's own strict mode
// does not name keys and places in all of its errors.
type seedReader struct {
	file string
	// dir is where files are that the seed names, "" when it may name none.
	dir string
	// lines are the lines of all paths that were seen.
	lines map[string]int
	// values counts what was read, and is at most maxValues.
	values, maxValues int
	// secret says that values may be secret: errors tell their kind only.
	secret bool
}

// aliasedValues is how many values aliases may add to those that a file has.
const aliasedValues = 10_000

// newSeedReader reads no more values than a file of that size holds, and those
// that aliases may add: a few aliases of aliases could fill any memory.
func newSeedReader(file string, size int) *seedReader {
	return &seedReader{file: file, lines: make(map[string]int), maxValues: size + aliasedValues}
}

// field reads the value of one key; at is the value's path.
type field func(n *yaml.Node, at string) error

// place is file, line and path. A path that is not in the file has the line of
// the nearest part that is.
func (r *seedReader) place(path string) string {
	line := 1
	for known := path; known != ""; known = known[:max(0, strings.LastIndexByte(known, '.'))] {
		if at, ok := r.lines[known]; ok {
			line = at
			break
		}
	}
	return r.placeAt(line, path)
}

// has says whether the path was seen.
func (r *seedReader) has(path string) bool {
	_, seen := r.lines[path]
	return seen
}

// placeAt leaves out the path of the whole document, which is empty.
func (r *seedReader) placeAt(line int, path string) string {
	if path == "" {
		return fmt.Sprintf("%s:%d", r.file, line)
	}
	return fmt.Sprintf("%s:%d: %s", r.file, line, path)
}

func (r *seedReader) fail(n *yaml.Node, at, format string, args ...any) error {
	return &SeedError{Place: r.placeAt(n.Line, at), Err: fmt.Errorf(format, args...)}
}

// open follows an alias to its anchor and counts the value.
func (r *seedReader) open(n *yaml.Node, at string) (*yaml.Node, error) {
	if r.values++; r.values > r.maxValues {
		return nil, r.fail(n, at, "aliases repeat more than %d values, write them out or leave them out", aliasedValues)
	}
	if n.Kind == yaml.AliasNode {
		return n.Alias, nil
	}
	return n, nil
}

// mapping reads an object of known keys.
func (r *seedReader) mapping(n *yaml.Node, at string, fields map[string]field) error {
	if r.secret {
		if err := r.refuseUnknown(n, at, fields); err != nil {
			return err
		}
	}
	return r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
		read, ok := fields[key]
		if !ok {
			return r.fail(value, at, "unknown key %q, %s", key, knownKeys(fields))
		}
		return read(value, at)
	})
}

func knownKeys(fields map[string]field) string {
	return "known are " + strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// refuseUnknown refuses keys that are not known without showing them: a secret may
// have got there.
func (r *seedReader) refuseUnknown(n *yaml.Node, at string, fields map[string]field) error {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.MappingNode {
		return nil // which is told by pairs
	}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, known := fields[key.Value]; key.Kind == yaml.ScalarNode && !known {
			near := nearest(key.Value, slices.Sorted(maps.Keys(fields)))
			return r.fail(key, at, "unknown key, %s%s", knownKeys(fields), near)
		}
	}
	return nil
}

// pairs calls read for each key of an object, in order; a key may come once.
func (r *seedReader) pairs(n *yaml.Node, at string, read func(key string, value *yaml.Node, at string) error) error {
	n, err := r.open(n, at)
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		return r.fail(n, at, "want keys and values, got %s", r.describe(n))
	}
	seen := make(map[string]int)
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Value == "" {
			return r.fail(key, at, "want a plain key, got %s", r.describe(key))
		}
		below := strings.TrimPrefix(at+"."+key.Value, ".")
		if line, twice := seen[key.Value]; twice {
			return r.fail(key, below, "the key is already in line %d", line)
		}
		seen[key.Value], r.lines[below] = key.Line, key.Line
		if err := read(key.Value, value, below); err != nil {
			return err
		}
	}
	return nil
}

// list calls read for each element.
func (r *seedReader) list(read field) field {
	return func(n *yaml.Node, at string) error {
		n, err := r.open(n, at)
		if err != nil {
			return err
		}
		if n.Kind != yaml.SequenceNode {
			return r.fail(n, at, "want a list, got %s", r.describe(n))
		}
		for i, element := range n.Content {
			below := fmt.Sprintf("%s[%d]", at, i)
			r.lines[below] = element.Line
			if err := read(element, below); err != nil {
				return err
			}
		}
		return nil
	}
}

// text takes a scalar as it is written: 1 and "1" are the same.
func (r *seedReader) text(into *string) field {
	return func(n *yaml.Node, at string) error {
		n, err := r.open(n, at)
		if err != nil {
			return err
		}
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return r.fail(n, at, "want text, got %s", r.describe(n))
		}
		*into = n.Value
		return nil
	}
}

// number takes a whole number.
func (r *seedReader) number(into *int) field {
	return func(n *yaml.Node, at string) error {
		n, err := r.open(n, at)
		if err != nil {
			return err
		}
		value, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			return r.fail(n, at, "want a whole number, got %s", r.describe(n))
		}
		*into = value
		return nil
	}
}

// duration takes a time with its unit, as 20s or 1m30s.
func (r *seedReader) duration(into *time.Duration) field {
	return func(n *yaml.Node, at string) error {
		var text string
		if err := r.text(&text)(n, at); err != nil {
			return err
		}
		value, err := time.ParseDuration(text)
		if err != nil {
			return r.fail(n, at, "want a time with its unit such as 20s, got %s", r.describe(n))
		}
		*into = value
		return nil
	}
}

// flag takes true or false.
func (r *seedReader) flag(into *bool) field {
	return func(n *yaml.Node, at string) error {
		n, err := r.open(n, at)
		if err != nil {
			return err
		}
		if n.Kind != yaml.ScalarNode || (n.Value != "true" && n.Value != "false") {
			return r.fail(n, at, "want true or false, got %s", r.describe(n))
		}
		*into = n.Value == "true"
		return nil
	}
}

// describe is the value itself where it is text that may be shown, and its kind
// otherwise.
func (r *seedReader) describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null" && r.secret:
		return "plain text"
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
