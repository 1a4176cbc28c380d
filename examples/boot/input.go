package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

//go:embed flavor.json profile.json domain.xml seed.yaml
var builtin embed.FS

type inputFiles struct{ flavor, profile, domain string }

type input struct {
	flavor  requestspec.Flavor
	profile cyborgclient.DeviceProfileCreate
	domain  []byte
}

func (f inputFiles) read() (input, error) {
	var in input
	if err := readJSON(f.flavor, "flavor.json", &in.flavor); err != nil {
		return in, err
	}
	if err := readJSON(f.profile, "profile.json", &in.profile); err != nil {
		return in, err
	}
	var err error
	in.domain, err = readFile(f.domain, "domain.xml")
	return in, err
}

// readFile reads the file that the user named, or the one beside this program.
func readFile(path, otherwise string) ([]byte, error) {
	if path == "" {
		return builtin.ReadFile(otherwise)
	}
	return os.ReadFile(path)
}

func readJSON(path, otherwise string, into any) error {
	content, err := readFile(path, otherwise)
	if err != nil {
		return err
	}
	if path == "" {
		path = otherwise
	}
	if err := json.Unmarshal(content, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
