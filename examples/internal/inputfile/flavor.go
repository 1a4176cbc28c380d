package inputfile

import "github.com/novacyborg/novacyborg/requestspec"

// shownKeys are the keys that Nova and its command-line client show a flavor with, and what they are here.
var shownKeys = map[string]string{
	"ram": "memory_mb", "disk": "root_gb", "swap": "swap_mb", "properties": "extra_specs",
	"OS-FLV-EXT-DATA:ephemeral": "ephemeral_gb", "ephemeral": "ephemeral_gb",
}

// Flavor reads a flavor. The values of its extra specs are taken as they are written, with or without quotes: 4 is "4".
// Keys of a flavor that Nova shows are passed over if they do not matter, and named by the error if they do.
func Flavor(file string, content []byte) (requestspec.Flavor, error) {
	var flavor requestspec.Flavor
	r := reader{file: file, renamed: shownKeys, ignored: []string{
		"id", "flavorid", "description", "access_project_ids", "links", "rxtx_factor", "os-flavor-access:is_public", "OS-FLV-DISABLED:disabled",
	}}
	err := r.read(content, fields{
		"name":         r.text(&flavor.Name),
		"vcpus":        r.number(&flavor.VCPUs),
		"memory_mb":    r.number(&flavor.MemoryMB),
		"root_gb":      r.number(&flavor.RootGB),
		"ephemeral_gb": r.number(&flavor.EphemeralGB),
		"swap_mb":      r.number(&flavor.SwapMB),
		"extra_specs":  r.texts(&flavor.ExtraSpecs),
	})
	return flavor, err
}
