package fault

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Parse reads rules from YAML or JSON: a list of rules, or one rule. It is
// strict: unknown and repeated keys, kinds that there are not and values of the
// wrong sort are an [*Error] with file, line and key; name is what errors call
// the file. Operations and names are checked by [Set.Add].
func Parse(name string, data []byte) ([]Rule, error) {
	return newReader(name).parse(data)
}

func (r reader) parse(data []byte) ([]Rule, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntax(r.file, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, syntax(r.file, err)
		}
		return nil, syntax(r.file, fmt.Errorf("yaml: line %d: a second document", second.Line))
	}
	return r.read(document.Content[0], "")
}

// lineOf finds the line in an error of yaml.
var lineOf = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?`)

func syntax(name string, err error) error {
	line := 1
	found := lineOf.FindStringSubmatch(err.Error())
	if found != nil && found[1] != "" {
		if number, err := strconv.Atoi(found[1]); err == nil {
			line = number
		}
	}
	return &Error{Place: fmt.Sprintf("%s:%d", name, line), Err: fmt.Errorf("%w: %s", ErrSyntax, lineOf.ReplaceAllString(err.Error(), ""))}
}

// ReadNode is [Parse] for a part of a document that was parsed already: n is at
// the path of keys at.
func ReadNode(name string, n *yaml.Node, at string) ([]Rule, error) {
	return newReader(name).read(n, at)
}

func (r reader) read(n *yaml.Node, at string) ([]Rule, error) {
	if n.Kind == yaml.MappingNode {
		rule, err := r.rule(n, at)
		if err != nil {
			return nil, err
		}
		return []Rule{rule}, nil
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, r.fail(n, at, ErrSyntax, "want a list of rules, got %s", describe(n))
	}
	rules := make([]Rule, 0, len(n.Content))
	for i, element := range n.Content {
		rule, err := r.rule(element, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}
