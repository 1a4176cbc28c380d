package inputfile

import (
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/requestspec"
)

// shownKeys are the keys that Nova and its command-line client show a flavor with, and what they are here.
var shownKeys = map[string]string{
	"ram": "memory_mb", "disk": "root_gb", "swap": "swap_mb", "properties": "extra_specs",
	"OS-FLV-EXT-DATA:ephemeral": "ephemeral_gb", "ephemeral": "ephemeral_gb",
}

// Flavor reads a flavor. The values of its extra specs are taken as they are written, with or without quotes: 4 is "4".
// It may be what Nova or its command-line client shows: with ram, disk, swap and properties, or as flavor. Keys of it that
// do not matter are passed over.
func Flavor(file string, content []byte) (requestspec.Flavor, error) {
	var flavor requestspec.Flavor
	r := reader{file: file, open: openFlavor, show: "openstack flavor show NAME -f json", renamed: shownKeys, ignored: []string{
		"id", "flavorid", "description", "access_project_ids", "links", "rxtx_factor", "os-flavor-access:is_public", "OS-FLV-DISABLED:disabled",
	}}
	err := r.read(content, fields{
		"name":         r.text(&flavor.Name),
		"vcpus":        r.number(&flavor.VCPUs),
		"memory_mb":    r.number(&flavor.MemoryMB),
		"root_gb":      r.number(&flavor.RootGB),
		"ephemeral_gb": r.number(&flavor.EphemeralGB),
		"swap_mb":      r.swap(&flavor.SwapMB),
		"extra_specs":  r.extraSpecs(&flavor.ExtraSpecs),
	})
	return flavor, err
}

// openFlavor takes a flavor out of what Nova puts around it. A list of one, as a list command prints it, stays: its keys are
// others.
func openFlavor(n *yaml.Node) *yaml.Node {
	if resolve(n).Kind == yaml.SequenceNode {
		return n
	}
	return unwrap(n)
}

// swap takes a whole number; Nova shows none as an empty text.
func (r reader) swap(into *int) field {
	return func(n *yaml.Node, at string) error {
		if value := resolve(n); value.Kind == yaml.ScalarNode && value.ShortTag() == "!!str" && value.Value == "" {
			*into = 0
			return nil
		}
		return r.number(into)(n, at)
	}
}

// extraSpecs takes keys and values, or the text that the command-line client makes of them.
func (r reader) extraSpecs(into *map[string]string) field {
	return func(n *yaml.Node, at string) error {
		value := resolve(n)
		if value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			return r.texts(into)(n, at)
		}
		specs, ok := parseProperties(value.Value)
		if !ok {
			return r.fail(n, at, "want keys and values, or a text such as key='value', key='value', got %s", describe(value))
		}
		*into = specs
		return nil
	}
}
