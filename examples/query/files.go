package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/requestspec"
)

//go:embed flavor.yaml profile.yaml
var builtin embed.FS

// readFiles reads the files that the user named. Without a flavor they are those beside this program.
func readFiles(flavorPath, profilePath string) (requestspec.Input, []requestspec.Profile, error) {
	read := os.ReadFile
	if flavorPath == "" && profilePath == "" {
		read, flavorPath, profilePath = builtin.ReadFile, "flavor.yaml", "profile.yaml"
	}
	var in requestspec.Input
	if err := readFile(read, flavorPath, &in.Flavor); err != nil {
		return in, nil, fmt.Errorf("flavor: %w", err)
	}
	if profilePath == "" {
		return in, nil, nil
	}
	// A description is of no use here, but part of what Cyborg stores.
	var profile struct {
		requestspec.Profile
		Description *string `json:"description"`
	}
	if err := readFile(read, profilePath, &profile); err != nil {
		return in, nil, fmt.Errorf("device profile: %w", err)
	}
	return in, []requestspec.Profile{profile.Profile}, nil
}

func readFile(read func(string) ([]byte, error), path string, into any) error {
	content, err := read(path)
	if err != nil {
		return err
	}
	if err := decode(content, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// decode reads YAML, which JSON is a part of. The order of keys is kept on the way.
func decode(content []byte, into any) error {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return err
	}
	if len(document.Content) != 1 {
		return errors.New("the file is empty")
	}
	var text bytes.Buffer
	if err := writeJSON(&text, document.Content[0]); err != nil {
		return err
	}
	decoder := json.NewDecoder(&text)
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}
