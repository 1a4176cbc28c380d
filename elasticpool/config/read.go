package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
)

// maxBytes is how long a file may be.
const maxBytes = 4 << 20

// Load reads a file.
func Load(path string) (*Config, error) {
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file, path)
}

// Read reads a configuration; name is what errors call it.
func Read(r io.Reader, name string) (*Config, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: longer than %d bytes", name, maxBytes)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, placed(name, nil, err)
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("%s:1: empty; see elasticpool example-config", name)
	}
	c := Config{name: name, root: document.Content[0]}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		return nil, placed(name, c.root, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is more than one document", name)
	}
	c.DecisionLog.MaxBytes = cmp.Or(c.DecisionLog.MaxBytes, defaultLogBytes)
	if err := c.validate(); err != nil {
		return nil, located(name, c.root, err)
	}
	return &c, nil
}
