package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	return os.ReadFile(path) //nolint:gosec // the user names the file
}

// readJSON reads a file of one JSON object; errors name the file and the line.
func readJSON(path, otherwise string, into any) error {
	content, err := readFile(path, otherwise)
	if err != nil {
		return err
	}
	if path == "" {
		path = otherwise
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if err == nil {
		if _, next := decoder.Token(); errors.Is(next, io.EOF) {
			return nil
		}
		err = errors.New("text after the JSON object")
	}
	line := 1 + bytes.Count(content[:errorOffset(decoder, err)], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", path, line, err)
}

// errorOffset is where in the file the decoder stopped.
func errorOffset(decoder *json.Decoder, err error) int64 {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return syntax.Offset
	}
	if wrongType, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrongType.Offset
	}
	return decoder.InputOffset()
}
