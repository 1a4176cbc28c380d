package casefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Flavor is a flavor whose sizes are what JSON has there, with Nova's meaning; a size that is left out is 0.
type Flavor struct {
	Name        string            `json:"name"`
	VCPUs       Size              `json:"vcpus"`
	MemoryMB    Size              `json:"memory_mb"`
	RootGB      Size              `json:"root_gb"`
	EphemeralGB Size              `json:"ephemeral_gb"`
	SwapMB      Size              `json:"swap_mb"`
	ExtraSpecs  map[string]string `json:"extra_specs"`
}

// convert makes a flavor of it. Lenient mode converts the sizes as Nova's fields do
// (nova/objects/flavor.py:Flavor, whose fields are integers); strict mode takes whole numbers only.
func (f Flavor) convert(mode Mode) (requestspec.Flavor, error) {
	flavor := requestspec.Flavor{Name: f.Name, ExtraSpecs: f.ExtraSpecs}
	for _, size := range []struct {
		key   string
		value Size
		into  *int
	}{
		{"vcpus", f.VCPUs, &flavor.VCPUs},
		{"memory_mb", f.MemoryMB, &flavor.MemoryMB},
		{"root_gb", f.RootGB, &flavor.RootGB},
		{"ephemeral_gb", f.EphemeralGB, &flavor.EphemeralGB},
		{"swap_mb", f.SwapMB, &flavor.SwapMB},
	} {
		var err error
		if *size.into, err = size.value.convert(mode); err != nil {
			return requestspec.Flavor{}, fmt.Errorf("flavor.%s: %w", size.key, err)
		}
	}
	return flavor, nil
}

// Size is one size of a flavor.
type Size struct {
	value any
	given bool
}

// UnmarshalJSON takes any value; null is one too.
func (s *Size) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	s.given = true
	return decoder.Decode(&s.value)
}

func (s Size) convert(mode Mode) (int, error) {
	if !s.given {
		return 0, nil
	}
	if mode == Strict {
		number, _ := s.value.(json.Number)
		n, err := strconv.Atoi(string(number))
		if err != nil {
			return 0, fmt.Errorf("want a whole number, got %s", shown(s.value))
		}
		return n, nil
	}
	n, err := requestspec.ParseAmount(s.value)
	switch {
	case err != nil:
		return 0, err
	case !n.IsInt64():
		return 0, fmt.Errorf("%s is too large for a flavor", shown(s.value))
	}
	return int(n.Int64()), nil
}

// shown is a value as JSON writes it.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}
