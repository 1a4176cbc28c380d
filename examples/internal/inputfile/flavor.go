package inputfile

import "github.com/novacyborg/novacyborg/requestspec"

// Flavor reads a flavor. The values of its extra specs are taken as they are written, with or without quotes: 4 is "4".
func Flavor(file string, content []byte) (requestspec.Flavor, error) {
	var flavor requestspec.Flavor
	r := reader{file: file}
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
