package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // the default files
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

var (
	//go:embed domain.xml
	defaultDomain []byte
	//go:embed arqs.json
	defaultARQs []byte
)

// input is what an operation works on.
type input struct {
	domain       []byte
	arqs, before []cyborgclient.ARQ
}

func (a arguments) read(ctx context.Context, stdin io.Reader) (in input, opts []virtdriver.ComposeOption, err error) {
	if in.domain, err = readFile(a.domain, stdin, defaultDomain); err != nil {
		return in, nil, err
	}
	if a.instance != "" {
		in.arqs, err = a.ask(ctx)
	} else {
		in.arqs, err = readARQs(a.arqs, stdin, defaultARQs)
	}
	if err != nil {
		return in, nil, err
	}
	if a.before != "" {
		if in.before, err = readARQs(a.before, stdin, nil); err != nil {
			return in, nil, err
		}
	}
	opts, err = a.composeOptions(in, stdin)
	return in, opts, err
}

// readFile reads a file, or standard input for -; an empty name gives the default.
func readFile(name string, stdin io.Reader, otherwise []byte) ([]byte, error) {
	switch name {
	case "":
		return otherwise, nil
	case "-":
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name) //nolint:gosec // the user names the file
}

// ask reads the ARQs of the instance from Cyborg.
func (a arguments) ask(ctx context.Context) ([]cyborgclient.ARQ, error) {
	opts := []cyborgclient.Option{cyborgclient.WithCloud(a.cloud)}
	if a.cyborg != "" {
		opts = []cyborgclient.Option{
			cyborgclient.WithEndpoint(a.cyborg), cyborgclient.WithToken(cmp.Or(os.Getenv("OS_TOKEN"), "admin")),
		}
	}
	client, err := cyborgclient.New(ctx, opts...)
	if err != nil {
		return nil, err
	}
	return client.ARQsByInstance(ctx, a.instance)
}

// readARQs reads a list of ARQs, bare or as Cyborg's API wraps it.
func readARQs(name string, stdin io.Reader, otherwise []byte) ([]cyborgclient.ARQ, error) {
	text, err := readFile(name, stdin, otherwise)
	if err != nil {
		return nil, err
	}
	var list []cyborgclient.ARQ
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		var wrapped struct {
			ARQs *[]cyborgclient.ARQ `json:"arqs"`
		}
		if err := json.Unmarshal(text, &wrapped); err != nil {
			return nil, fmt.Errorf("%s: %w", cmp.Or(name, "arqs.json"), err)
		}
		if wrapped.ARQs == nil {
			return nil, fmt.Errorf(`%s: want a list of ARQs, or an object with "arqs"`, name)
		}
		return *wrapped.ARQs, nil
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", cmp.Or(name, "arqs.json"), err)
	}
	return list, nil
}

// readStrict reads a JSON file that has no unknown keys.
func readStrict(name string, stdin io.Reader, value any) error {
	text, err := readFile(name, stdin, nil)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
