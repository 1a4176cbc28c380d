package osapi

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	// mostValues and deepest bound what aliases can make of a short file.
	mostValues = 100_000
	deepest    = 50
)

// parseYAML reads a file whose values are texts, as they stand: a password 0123
// is no number. Lists and sections are []any and map[string]any, null is nil. No
// error shows a value, which may be a password in the wrong place: it has the
// line and, where it is one of those that are known, the key.
func parseYAML(text []byte) (map[string]any, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, unreadable(text, err)
	}
	if document.Kind == 0 { // nothing but comments
		return nil, nil
	}
	value, err := new(yamlReader).value(document.Content[0], 0)
	if err != nil {
		return nil, err
	}
	section, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, errors.New("line 1: it does not consist of keys and values")
	}
	return section, nil
}

// lineOf is the line of the value that the keys lead to, 0 when that goes through
// aliases or <<.
func lineOf(text []byte, keys ...string) int {
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil || document.Kind == 0 {
		return 0
	}
	node := document.Content[0]
	for _, key := range keys {
		i := slices.IndexFunc(node.Content, func(n *yaml.Node) bool { return n.Value == key })
		if node.Kind != yaml.MappingNode || i < 0 || i+1 >= len(node.Content) {
			return 0
		}
		node = node.Content[i+1]
	}
	return node.Line
}

// yamlReader counts what it reads.
type yamlReader struct{ values int }

func (r *yamlReader) value(node *yaml.Node, depth int) (any, error) {
	if r.values++; r.values > mostValues || depth > deepest {
		return nil, fmt.Errorf("line %d: it is nested too deeply, or aliases make too much of it", node.Line)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return r.value(node.Alias, depth+1)
	case yaml.MappingNode:
		return r.section(node, depth)
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, element := range node.Content {
			var err error
			if list[i], err = r.value(element, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	switch tag := node.ShortTag(); {
	case tag == "!!null":
		return nil, nil
	case !slices.Contains(plainTags, tag):
		return nil, fmt.Errorf("line %d: a value begins with !: quote it if it is meant as text", node.Line)
	}
	return node.Value, nil
}

// plainTags are the types that YAML itself gives to values.
var plainTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp", "!!merge"}

// section reads a mapping. What << names goes below the mapping's own keys.
func (r *yamlReader) section(node *yaml.Node, depth int) (any, error) {
	section, merged := make(map[string]any), make(map[string]any)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		value, err := r.value(node.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		_, twice := section[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("line %d: a key is no text", key.Line)
		case key.ShortTag() == "!!merge":
			if err := merge(merged, value); err != nil {
				return nil, fmt.Errorf("line %d: %w", key.Line, err)
			}
		case twice:
			return nil, fmt.Errorf("line %d%s: a key stands there for the second time", key.Line, keyText(key.Value))
		default:
			section[key.Value] = value
		}
	}
	return map[string]any(cloudEntry(section).overKeys(merged)), nil
}

// merge adds a section, or the sections of a list, of which the first counts.
func merge(into map[string]any, value any) error {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, element := range list {
		section, ok := element.(map[string]any)
		if !ok {
			return errors.New("<< must name sections")
		}
		for key, value := range section {
			if _, there := into[key]; !there {
				into[key] = value
			}
		}
	}
	return nil
}

var (
	yamlLine = regexp.MustCompile(`line (\d+)`)
	yamlName = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced`)
	yamlKey  = regexp.MustCompile(`^[\s{-]*["']?(\w+)["']?\s*:`)
)

// unreadable says where a file is no YAML, and nothing of what stands there.
func unreadable(text []byte, err error) error {
	lines := bytes.Split(text, []byte("\n"))
	var line int
	if found := yamlLine.FindStringSubmatch(err.Error()); found != nil {
		_, _ = fmt.Sscan(found[1], &line)
	} else if found := yamlName.FindStringSubmatch(err.Error()); found != nil {
		line = 1 + slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte("*"+found[1])) })
	}
	if line < 1 || line > len(lines) {
		return errors.New("it is no YAML")
	}
	var key string
	if found := yamlKey.FindSubmatch(lines[line-1]); found != nil {
		key = keyText(string(found[1]))
	}
	return fmt.Errorf("line %d%s: it is no YAML: quote values with special characters", line, key)
}

// keyText is the key for an error, if it is one of those that are known: what
// looks like a key may be a part of a password.
func keyText(key string) string {
	_, inAuth := envAuth[key]
	_, inEntry := envPlace[key]
	if !inAuth && !inEntry && !strings.HasSuffix(key, overrideSuffix) && !slices.Contains(otherKeys, key) {
		return ""
	}
	return ", key " + key
}

var otherKeys = []string{"clouds", "public-clouds", "auth", "auth_type", "profile", "cloud", "regions", "interface", "verify", "insecure", "allow_reauth"}
