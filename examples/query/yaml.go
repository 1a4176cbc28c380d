package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// writeJSON writes a YAML node as JSON, keys in their order.
func writeJSON(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.AliasNode:
		return writeJSON(out, node.Alias)
	case yaml.MappingNode:
		return writeList(out, node, '{', '}')
	case yaml.SequenceNode:
		return writeList(out, node, '[', ']')
	}
	var value any = node.Value
	if tag := node.ShortTag(); tag == "!!int" || tag == "!!float" || tag == "!!bool" || tag == "!!null" {
		if json.Valid([]byte(node.Value)) {
			out.WriteString(node.Value) // digits as they stand
			return nil
		}
		if err := node.Decode(&value); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	out.Write(text)
	return nil
}

func writeList(out *bytes.Buffer, node *yaml.Node, open, end byte) error {
	out.WriteByte(open)
	for i, child := range node.Content {
		key := node.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case key && (child.Kind != yaml.ScalarNode || child.Tag == "!!merge"):
			return fmt.Errorf("line %d: a key must be a plain text", child.Line)
		case i == 0:
		case node.Kind == yaml.MappingNode && !key:
			out.WriteByte(':')
		default:
			out.WriteByte(',')
		}
		if key {
			text, err := json.Marshal(child.Value)
			if err != nil {
				return err
			}
			out.Write(text)
			continue
		}
		if err := writeJSON(out, child); err != nil {
			return err
		}
	}
	out.WriteByte(end)
	return nil
}
