package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// FuzzFeatures gives any value to the extra specs and image properties that ask for guest features and CPU policies.
// Whatever they say, the sizes of the flavor are asked for once, and strict mode takes less than lenient mode.
func FuzzFeatures(f *testing.F) {
	keys := []struct{ flavor, image string }{
		{"hw:cpu_policy", "hw_cpu_policy"},
		{"hw:cpu_thread_policy", "hw_cpu_thread_policy"},
		{"hw:emulator_threads_policy", "hw_firmware_type"},
		{"hw:cpu_dedicated_mask", "hw_machine_type"},
		{"hw:cpu_realtime", "hw_cpu_realtime_mask"},
		{"hw:tpm_version", "hw_tpm_version"},
		{"hw:tpm_model", "hw_tpm_model"},
		{"hw:mem_encryption", "hw_mem_encryption"},
		{"hw:mem_encryption_model", "hw_mem_encryption_model"},
		{"hw:pmem", "hw_firmware_stateless"},
		{"os:secure_boot", "os_secure_boot"},
		{"hw:pci_numa_affinity_policy", "hw_pci_numa_affinity_policy"},
		{"hw:maxphysaddr_mode", "hw_maxphysaddr_mode"},
	}
	f.Add(uint8(0), "mixed", "dedicated", uint8(3), "^0", "q35")
	f.Add(uint8(5), "2.0", "", uint8(6), "tpm-crb", "tpm-tis")
	f.Add(uint8(7), "true", "True", uint8(9), "a b, c", "é")
	f.Fuzz(func(t *testing.T, first uint8, flavor1, image1 string, second uint8, flavor2, image2 string) {
		a, b := keys[int(first)%len(keys)], keys[int(second)%len(keys)]
		in := requestspec.Input{
			Flavor: baseFlavor(a.flavor, flavor1, b.flavor, flavor2),
			Image:  map[string]string{a.image: image1, b.image: image2},
		}
		_, strict := requestspec.Build(in)
		request, err := requestspec.Build(in, requestspec.Lenient())
		if err != nil {
			assert.Contains(t, []string{"cpu_policy", "feature"}, requestspec.Code(err))
			require.Error(t, strict)
			return
		}
		group, found := request.Group("")
		require.True(t, found)
		assert.Equal(t, int64(2048), group.Resources["MEMORY_MB"])
		assert.Equal(t, int64(20), group.Resources["DISK_GB"])
		if in.Flavor.ExtraSpecs["hw:emulator_threads_policy"] != "isolate" {
			assert.Equal(t, int64(2), group.Resources["VCPU"]+group.Resources["PCPU"])
		}
	})
}
