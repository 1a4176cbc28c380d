package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Values of -seed and -tokens that name no file but what is built in.
const (
	// preset asks for the recorded stack.
	preset = "recorded"
	// example is the value of -seed that asks for the built-in example, as none does.
	example = "example"
)

// orPreset adds what is built in to the error about a file of -seed or -tokens that is not there.
func (s *settings) orPreset(err error) error {
	missing, is := errors.AsType[*fs.PathError](err)
	if !is || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	for _, flag := range []struct {
		path    string
		presets []string
	}{{s.seed, []string{example, preset}}, {s.tokens, []string{preset}}} {
		if missing.Path != flag.path {
			continue
		}
		if meant := didYouMean(flag.path, flag.presets, ""); meant != "" {
			return fmt.Errorf("%w%s", err, meant)
		}
		return fmt.Errorf("%w; built in: %s", err, strings.Join(flag.presets, ", "))
	}
	return err
}
