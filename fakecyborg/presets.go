package fakecyborg

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed seeds/*.yaml
var presetFiles embed.FS

// preset is a built-in seed with its token file, if it has one.
type preset struct {
	seed, tokens string
}

// presets are the seeds that come with this package.
var presets = map[string]preset{
	"example":  {seed: "seeds/example.yaml"},
	"recorded": {"seeds/recorded.yaml", "seeds/recorded-tokens.yaml"},
}

// WithPresetSeed fills the server with a seed that comes with this package.
// "example" is what the program fakecyborg takes when it gets no seed: a host
// fpga-1 with two Intel FPGAs, one of them with four virtual functions, a host
// gpu-1 with two GPUs and the device of Cyborg's fake driver, and the device
// profiles fpga, gpu, v100 and fakedev. "recorded" is the stack that the recordings in testdata were made on, one host
// realstack-cn1 with the device of Cyborg's fake driver.
func WithPresetSeed(name string) Option {
	return func(c *config) error {
		return withPreset(name, "seed", func(p preset) string { return p.seed }, WithSeedYAML, c)
	}
}

// WithPresetTokens knows callers by the tokens of a preset: those of "recorded"
// are admin, demo, demo-reader, other and nova, each its own token.
func WithPresetTokens(name string) Option {
	return func(c *config) error {
		return withPreset(name, "tokens", func(p preset) string { return p.tokens }, WithTokensYAML, c)
	}
}

func withPreset(name, what string, file func(preset) string, read func(string, []byte) Option, c *config) error {
	path := file(presets[name])
	if path == "" {
		return fmt.Errorf("%s preset %q: unknown, known are %s", what, name, strings.Join(presetsWith(file), ", "))
	}
	data, err := presetFiles.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s preset %q: %w", what, name, err)
	}
	return read("preset "+name, data)(c)
}

// presetsWith are the names of the presets that have such a file.
func presetsWith(file func(preset) string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(presets)), func(name string) bool { return file(presets[name]) == "" })
}

// PresetTokens is the file of [WithPresetTokens].
func PresetTokens(name string) (*Tokens, error) {
	var tokens *Tokens
	read := func(name string, data []byte) Option {
		return func(*config) (err error) {
			tokens, err = ParseTokens(name, data)
			return err
		}
	}
	err := withPreset(name, "tokens", func(p preset) string { return p.tokens }, read, nil)
	return tokens, err
}
