package requestspec_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

// TestMisspeltKeys gives flavors with a key that Nova ignores without a word. Strict mode names the right key, lenient
// mode asks for what Nova asks for.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	plain, err := requestspec.Build(requestspec.Input{Flavor: baseFlavor()})
	require.NoError(t, err)
	for _, tc := range []struct{ key, value, right string }{
		{"accel:device_profil", "gpu", "accel:device_profile"},
		{"accel_device_profile", "gpu", "accel:device_profile"},
		{"Accel:device_profile", "gpu", "accel:device_profile"},
		{"ACCEL:DEVICE_PROFILE", "gpu", "accel:device_profile"},
		{"accel:device-profile", "gpu", "accel:device_profile"},
		{"accel.device_profile", "gpu", "accel:device_profile"},
		{"accel: device_profile", "gpu", "accel:device_profile"},
		{" accel:device_profile", "gpu", "accel:device_profile"},
		{"accel:device_profile\n", "gpu", "accel:device_profile"},
		{"accel:deviceprofile", "gpu", "accel:device_profile"},
		{"acell:device_profile", "gpu", "accel:device_profile"},
		{"acel:devise_profile", "gpu", "accel:device_profile"},
		{"accelerator:device_profile", "gpu", "accel:device_profile"},
		{"device_profile", "gpu", "accel:device_profile"},
		{"device-profile-name", "gpu", "accel:device_profile"},
		{"accel:device_profile_names", "gpu", "accel:device_profile"},
		{"accel:profile", "gpu", "accel:device_profile"},
		{"accel:", "", "accel:device_profile"},
		{"aCCel:anything", "x", "accel:device_profile"},

		{"group-policy", "isolate", "group_policy"},
		{"Group_Policy", "isolate", "group_policy"},
		{"grouppolicy", "isolate", "group_policy"},
		{"group:policy", "isolate", "group_policy"},
		{"group_polcy", "isolate", "group_policy"},
		{"group_policy ", "isolate", "group_policy"},

		{"resource:FPGA", "1", "resources:FPGA"},
		{"resource1:FPGA", "1", "resources1:FPGA"},
		{"Resources:FPGA", "1", "resources:FPGA"},
		{"RESOURCES_NIC:FPGA", "1", "resources_NIC:FPGA"},
		{" resources:FPGA", "1", "resources:FPGA"},
		{"resources.FPGA", "1", "resources[S]:CLASS"},
		{"resources_*5:VGPU", "1", "resources[S]:CLASS"},
		{"resources", "1", "resources[S]:CLASS"},
		{"resoures:FPGA", "1", "resources:FPGA"},
		{"resorces1:FPGA", "1", "resources1:FPGA"},
		{"Trait:CUSTOM_X", "required", "trait:CUSTOM_X"},
		{"trait_CUSTOM_X", "required", "trait[S]:NAME"},
		{"triat:CUSTOM_X", "required", "trait:CUSTOM_X"},
		{"tait_A:CUSTOM_X", "forbidden", "trait_A:CUSTOM_X"},

		{"hw:cpu_polciy", "dedicated", "hw:cpu_policy"},
		{"hw:cpu_plcy", "dedicated", "hw:cpu_policy"},
		{"hw_cpu_policy", "dedicated", "hw:cpu_policy"},
		{"HW:CPU_POLICY", "dedicated", "hw:cpu_policy"},
		{"hv:cpu_policy", "dedicated", "hw:cpu_policy"},
		{"hw:cpu_thread_polcy", "isolate", "hw:cpu_thread_policy"},
		{"hw:emulator_thread_policy", "isolate", "hw:emulator_threads_policy"},
		{"hw:tpm_versionn", "2.0", "hw:tpm_version"},
		{"hw:tpm-version", "2.0", "hw:tpm_version"},
		{"hw:tpm_modell", "tpm-crb", "hw:tpm_model"},
		{"hw:numa_cpu.0", "1", "hw:numa_cpus.N"},
		{"hw:numa_cpus", "1", "hw:numa_cpus.N"},
		{"hw:pem", "a", "hw:pmem"},
		{"os:secureboot", "required", "os:secure_boot"},
		{"os:secure_bot", "required", "os:secure_boot"},
		{"pci_passthrough:aliases", "gpu:1", "pci_passthrough:alias"},
		{"pci_passthrough:alais", "gpu:1", "pci_passthrough:alias"},
		{"pci_passthru:alias", "gpu:1", "pci_passthrough:alias"},
		{"pci_passthrough:devices", "gpu:1", "pci_passthrough:alias"},
		{"pci_pasthrough:alias", "gpu:1", "pci_passthrough:alias"},
		{"pci-passthrough:alias", "gpu:1", "pci_passthrough:alias"},

		{"hw:cpu_sockets", "1", ""},
		{"hw:cpu_max_sockets", "1", ""},
		{"hw:numa_cpus.0", "1", ""},
		{"hw:numa_mem.12", "1", ""},
		{"hw:gpu_model", "x", ""},
		{"hw:cpu_model", "x", ""},
		{"my:cpu_policy", "x", ""},
		{"os:cpu_policy", "x", ""},
		{"os:type", "x", ""},
		{"hw:pm", "x", "hw:pmu"},
		{"hide_hypervisor_id", "true", ""},
		{"hw:group_policy", "isolate", ""},
		{"hw:device_profile", "gpu", ""},
		{"my:device_profile", "gpu", ""},
		{"quota:disk_read_iops_sec", "1", ""},
		{"quota:resources", "1", ""},
		{"pci_passthrough:alias", "gpu:1", ""},
		{"aggregate_instance_extra_specs:resources", "1", ""},
		{"capabilities:hypervisor_type", "QEMU", ""},
		{"train:model", "x", ""},
		{"train:MODEL", "x", ""},
		{"recourse:SLOTS", "many", ""},
		{"os:secure_boot", "optional", ""},
		{"group", "a", ""},
		{"policy", "a", ""},
		{":", "", ""},
		{"", "", ""},
		{"\xff:FPGA", "1", ""},
	} {
		t.Run(tc.key, func(t *testing.T) {
			t.Parallel()
			in := requestspec.Input{Flavor: baseFlavor(tc.key, tc.value)}
			request, err := requestspec.Build(in)
			if tc.right == "" {
				require.NoError(t, err)
				assert.Equal(t, plain.Query(), request.Query())
				return
			}
			require.ErrorIs(t, err, requestspec.ErrKey)
			assert.Equal(t, "key", requestspec.Code(err))
			require.ErrorContains(t, err, "write "+tc.right)
			request, err = requestspec.Build(in, requestspec.Lenient())
			require.NoError(t, err)
			assert.Equal(t, plain.Query(), request.Query())
			require.Len(t, request.Findings, 1)
		})
	}
}

// TestMisspeltProfileKeyProperty drops, doubles, swaps or replaces one letter of the key of the device profile. None of
// what comes out may boot a guest without its device.
func TestMisspeltProfileKeyProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := []byte("accel:device_profile")
		i := rapid.IntRange(0, len(key)-2).Draw(t, "place")
		switch rapid.SampledFrom([]string{"drop", "double", "swap", "replace"}).Draw(t, "fault") {
		case "drop":
			key = slices.Delete(key, i, i+1)
		case "double":
			key = slices.Insert(key, i, key[i])
		case "swap":
			key[i], key[i+1] = key[i+1], key[i]
		case "replace":
			key[i] = rapid.SampledFrom([]byte("abcxyzABC019_-.: ")).Draw(t, "letter")
		}
		if string(key) == "accel:device_profile" {
			return
		}
		flavor := baseFlavor(string(key), "gpu")
		_, err := requestspec.Build(requestspec.Input{Flavor: flavor})
		if err == nil || !strings.Contains(err.Error(), "write accel:device_profile") {
			t.Fatalf("%q: %v", key, err)
		}
	})
}

// TestNamespacesOfOthersProperty checks that strict mode leaves the keys of other namespaces alone.
func TestNamespacesOfOthersProperty(t *testing.T) {
	t.Parallel()
	namespaces := []string{"hw", "quota", "os", "capabilities", "aggregate_instance_extra_specs", "hide", "vmware", "my"}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(namespaces).Draw(t, "namespace") + ":x_" + rapid.StringMatching(`[a-zA-Z_]{0,20}`).Draw(t, "name")
		in := requestspec.Input{Flavor: baseFlavor(key, rapid.String().Draw(t, "value"))}
		request, err := requestspec.Build(in)
		if err != nil || len(request.Findings) > 0 {
			t.Fatalf("%v: %v", slices.Collect(maps.Keys(in.Flavor.ExtraSpecs)), err)
		}
	})
}

func FuzzMisspeltKeys(f *testing.F) {
	for _, seed := range []string{"accel:device_profil", "group-policy", "resource:FPGA", "triat:X", "\xff", "İ:X"} {
		f.Add(seed, "1")
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		_, lenient := requestspec.Build(requestspec.Input{Flavor: baseFlavor(key, value)}, requestspec.Lenient())
		_, strict := requestspec.Build(requestspec.Input{Flavor: baseFlavor(key, value)})
		if lenient != nil {
			assert.Error(t, strict, "strict mode takes less")
		}
	})
}
