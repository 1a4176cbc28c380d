package config

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// How the YAML library says where something is, and what it says of a key that nobody knows.
var (
	yamlLine     = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)
	unknownField = regexp.MustCompile(`^field (\S+) not found in type (\S+)$`)
)

// placed rewrites what the YAML library says as file:line: key: what is wrong.
func placed(name string, root *yaml.Node, err error) error {
	messages := []string{err.Error()}
	if of, ok := errors.AsType[*yaml.TypeError](err); ok {
		messages = of.Errors
	}
	errs := make([]error, len(messages))
	for i, message := range messages {
		line := "1"
		if found := yamlLine.FindStringSubmatch(message); found != nil {
			line, message = found[1], message[len(found[0]):]
		}
		if found := unknownField.FindStringSubmatch(message); found != nil {
			message = fmt.Sprintf("there is no key %q here%s", found[1], meant(found[1], found[2]))
		} else if key := keyOf(root, line, message); key != "" {
			message = key + ": " + message
		}
		errs[i] = fmt.Errorf("%s:%s: %s", name, line, message)
	}
	return errors.Join(errs...)
}

// keyOf returns the path of the only value on a line that a message quotes, or nothing.
func keyOf(root *yaml.Node, line, message string) string {
	if root == nil {
		return ""
	}
	var found []string
	walk(root, "", func(path string, node *yaml.Node) {
		quoted := firstRunes(node.Value)
		if node.Kind == yaml.ScalarNode && node.Value != "" && strconv.Itoa(node.Line) == line &&
			(strings.Contains(message, "`"+quoted) || strings.Contains(message, fmt.Sprintf("%q", node.Value))) {
			found = append(found, path)
		}
	})
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// firstRunes is as much of a value as the YAML library shows.
func firstRunes(text string) string {
	if len(text) > 10 {
		return text[:7]
	}
	return text
}

// walk calls visit for each value below a node.
func walk(node *yaml.Node, path string, visit func(path string, node *yaml.Node)) {
	visit(path, node)
	switch node.Kind {
	case yaml.SequenceNode:
		for i, item := range node.Content {
			walk(item, fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			walk(node.Content[i+1], strings.TrimPrefix(path+"."+node.Content[i].Value, "."), visit)
		}
	}
}

// located adds the line of each fault of a configuration.
func located(name string, root *yaml.Node, err error) error {
	joined, many := err.(interface{ Unwrap() []error })
	if !many {
		if fault, ok := errors.AsType[*elasticpool.PolicyError](err); ok {
			return fmt.Errorf("%s:%d: %w", name, lineOf(root, fault.Path), err)
		}
		return fmt.Errorf("%s:1: %w", name, err)
	}
	var errs []error
	for _, err := range joined.Unwrap() {
		errs = append(errs, located(name, root, err))
	}
	return errors.Join(errs...)
}

// lineOf returns the line of the deepest part of a path that the document has.
func lineOf(node *yaml.Node, path []any) int {
	line := node.Line
	for _, step := range path {
		if node = child(node, step); node == nil {
			break
		}
		line = node.Line
	}
	return line
}

func child(node *yaml.Node, step any) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	index, isIndex := step.(int)
	switch {
	case node.Kind == yaml.SequenceNode && isIndex && index < len(node.Content):
		return node.Content[index]
	case node.Kind != yaml.MappingNode:
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == fmt.Sprint(step) {
			return node.Content[i+1]
		}
	}
	return nil
}
