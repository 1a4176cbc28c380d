package inputfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader walks through a YAML tree by hand, because yaml's own strict mode does not name keys and places in all of
// its errors. JSON is YAML.
type reader struct {
	file string
	// renamed are other names of the document's keys, ignored those that do not matter.
	renamed map[string]string
	ignored []string
	// open finds the object in the document; nil means that the document is the object.
	open func(*yaml.Node) *yaml.Node
	// show is the command that prints one such object; "" means that there is none.
	show string
}

// field reads the value of one key; at is the path of the key.
type field func(n *yaml.Node, at string) error

// fields are the known keys of an object.
type fields map[string]field

func (f fields) known() string {
	return "known keys are " + strings.Join(slices.Sorted(maps.Keys(f)), ", ")
}

func (r reader) fail(n *yaml.Node, at, format string, args ...any) error {
	return r.failAt(n.Line, at, format, args...)
}

func (r reader) failAt(line int, at, format string, args ...any) error {
	place := fmt.Sprintf("%s:%d: ", r.file, max(1, line))
	if at != "" {
		place += at + ": "
	}
	return fmt.Errorf(place+"%w", fmt.Errorf(format, args...))
}

// read reads the file's one document, an object of known keys.
func (r reader) read(content []byte, known fields) error {
	if err := r.checkJSON(content); err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var document, second yaml.Node
	err := decoder.Decode(&document)
	switch {
	case errors.Is(err, io.EOF), err == nil && isNothing(document.Content[0]):
		return r.failAt(1, "", "the file is empty, %s", known.known())
	case err != nil:
		return r.syntax(content, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return r.fail(&second, "", "a second document begins here, the file must have one")
	case !errors.Is(err, io.EOF):
		return r.syntax(content, err)
	}
	root := document.Content[0]
	if r.open != nil {
		root = r.open(root)
	}
	if r.show != "" && root.Kind == yaml.SequenceNode {
		return r.fail(root, "", "want one object, got a list: give what `%s` prints", r.show)
	}
	return r.objectAt(root, "", known)
}

// objectAt reads the known keys of the object at a path.
func (r reader) objectAt(n *yaml.Node, at string, known fields) error {
	return r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
		read, found := known[key]
		switch {
		case found:
			return read(value, at)
		case slices.Contains(r.ignored, key):
			return nil
		}
		return r.fail(value, at, "unknown key, %s", known.known())
	})
}

// pairs calls read for each key of an object, in order; a key may come once, by whatever name. The error is of all keys.
func (r reader) pairs(n *yaml.Node, at string, read func(key string, value *yaml.Node, at string) error) error {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return r.fail(n, at, "want keys and values, got %s", describe(n))
	}
	var errs []error
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		below := strings.TrimPrefix(at+"."+key.Value, ".")
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			errs = append(errs, r.fail(key, at, "want a plain key, got %s", describe(key)))
			continue
		}
		name := key.Value
		if shown := r.renamed[name]; at == "" && shown != "" {
			name = shown
		}
		if line, twice := lines[name]; twice {
			errs = append(errs, r.fail(key, below, "the key is already in line %d%s", line, r.alias(name, at)))
			continue
		}
		lines[name] = key.Line
		errs = append(errs, read(name, value, below))
	}
	return errors.Join(errs...)
}

// alias says by what other names a key of the document goes.
func (r reader) alias(name, at string) string {
	var others []string
	for other, of := range r.renamed {
		if at == "" && of == name {
			others = append(others, other)
		}
	}
	if others == nil {
		return ""
	}
	slices.Sort(others)
	return ", " + name + " and " + strings.Join(others, " and ") + " are one"
}

// list calls read for each element.
func (r reader) list(read field) field {
	return func(n *yaml.Node, at string) error {
		n = resolve(n)
		if n.Kind != yaml.SequenceNode {
			return r.fail(n, at, "want a list, got %s", describe(n))
		}
		var errs []error
		for i, element := range n.Content {
			errs = append(errs, read(element, fmt.Sprintf("%s[%d]", at, i)))
		}
		return errors.Join(errs...)
	}
}
