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
		return writeObject(out, node)
	case yaml.SequenceNode:
		return writeArray(out, node)
	}
	return writeScalar(out, node)
}

func writeObject(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return fmt.Errorf("line %d: a key must be a plain text", key.Line)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		text, err := json.Marshal(key.Value)
		if err != nil {
			return fmt.Errorf("line %d: %w", key.Line, err)
		}
		out.Write(text)
		out.WriteByte(':')
		if err := writeJSON(out, value); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func writeArray(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('[')
	for i, element := range node.Content {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeJSON(out, element); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// writeScalar writes numbers, truth values and null as such, digits as they stand, and all else as a text.
func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	var value any = node.Value
	switch node.ShortTag() {
	case "!!int", "!!float", "!!bool", "!!null":
		if json.Valid([]byte(node.Value)) {
			out.WriteString(node.Value)
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
