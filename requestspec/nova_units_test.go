package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

const noRoot = "&root_required=%21COMPUTE_STATUS_DISABLED"

// TestNovaUnitCases are inputs of Nova's own unit tests (nova/tests/unit/scheduler/test_utils.py), with the root trait
// that the pre-filters add.
func TestNovaUnitCases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		in   requestspec.Input
		want string
	}{
		{
			name: "granular",
			in: requestspec.Input{Flavor: requestspec.Flavor{VCPUs: 1, MemoryMB: 1024, RootGB: 5, EphemeralGB: 5, ExtraSpecs: map[string]string{
				"resources1:VGPU": "1", "resources1:VGPU_DISPLAY_HEAD": "2",
				"resources3:VCPU": "2", "trait3:CUSTOM_GOLD": "required", "trait3:CUSTOM_SILVER": "required",
				"resources42:SRIOV_NET_VF": "1", "resources24:SRIOV_NET_VF": "2", "resources:CUSTOM_THING": "123",
				"resources86:MEMORY_MB": "0", "resources1:CUSTOM_BOGUS1": "minus one", "resources10:IPV4_ADDRESS": "0",
				"group_policy": "none",
			}}},
			want: "group_policy=none&limit=1000&required3=CUSTOM_GOLD%2CCUSTOM_SILVER&resources=CUSTOM_THING%3A123%2CDISK_GB%3A10" +
				"&resources1=VGPU%3A1%2CVGPU_DISPLAY_HEAD%3A2&resources24=SRIOV_NET_VF%3A2&resources3=VCPU%3A2&resources42=SRIOV_NET_VF%3A1" + noRoot,
		},
		{
			name: "extra specs",
			in: requestspec.Input{Flavor: baseFlavor(
				"resources:BOGUS", "1", "resources:MEMORY_MB", "seven", "resources1:CUSTOM_X", "-7",
				"trait:HW_CPU_X86_AVX", "required", "trait:CUSTOM_MAGIC", "required", "trait:CUSTOM_BRONZE", "forbidden",
				"trait:CUSTOM_Y", "preferred", "resources_*5:SRIOV_NET_VF", "7", "traitFoo$:HW_NIC_ACCEL_SSL", "required",
				"resources1:SRIOV_NET_VF", "1", "resources1:IPV4_ADDRESS", "1",
				"trait1:CUSTOM_PHYSNET_NET1", "required", "trait1:CUSTOM_PHYSNET_NET2", "forbidden",
				"resources2:SRIOV_NET_VF", "1", "resources2:IPV4_ADDRESS", "2",
				"trait2:CUSTOM_PHYSNET_NET2", "required", "trait2:HW_NIC_ACCEL_SSL", "required",
				"resources3:DISK_GB", "5", "group_policy", "isolate")},
			want: "group_policy=isolate&limit=1000&required=CUSTOM_MAGIC%2CHW_CPU_X86_AVX%2C%21CUSTOM_BRONZE" +
				"&required1=CUSTOM_PHYSNET_NET1%2C%21CUSTOM_PHYSNET_NET2&required2=CUSTOM_PHYSNET_NET2%2CHW_NIC_ACCEL_SSL" +
				"&resources=MEMORY_MB%3A2048%2CVCPU%3A2&resources1=IPV4_ADDRESS%3A1%2CSRIOV_NET_VF%3A1" +
				"&resources2=IPV4_ADDRESS%3A2%2CSRIOV_NET_VF%3A1&resources3=DISK_GB%3A5" + noRoot,
		},
		{
			name: "two ports, policy defaulted, extended request",
			in: requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{
				RequestGroups: []requestspec.PortRequestGroup{
					{ID: "group1", Resources: requestspec.ResourceAmounts{"CUSTOM_FOO": 1}},
					{ID: "group2", Resources: requestspec.ResourceAmounts{"CUSTOM_BAR": 2}, Required: []string{"CUSTOM_T"}},
				}, SameSubtree: []string{"group2", "group1"},
			}}}},
			want: "group_policy=none&limit=1000&requiredgroup2=CUSTOM_T&" + goldenSize +
				"&resourcesgroup1=CUSTOM_FOO%3A1&resourcesgroup2=CUSTOM_BAR%3A2" + noRoot + "&same_subtree=group1%2Cgroup2",
		},
		{
			name: "hint lifts the limit",
			in:   requestspec.Input{Flavor: baseFlavor(), Hints: map[string]any{"same_host": []string{"x"}}},
			want: goldenSize + noRoot,
		},
		{
			name: "two groups of the flavor, no policy",
			in:   requestspec.Input{Flavor: baseFlavor("resources1:VGPU", "1", "resources2:VGPU", "1")},
			want: "limit=1000&" + goldenSize + "&resources1=VGPU%3A1&resources2=VGPU%3A1" + noRoot,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			request, err := requestspec.Build(tc.in, requestspec.Lenient())
			require.NoError(t, err)
			assert.Equal(t, tc.want, request.Query())
		})
	}
}

// TestCPUPoliciesAndFeatures checks what flavor and image say about CPUs and guest features.
func TestCPUPoliciesAndFeatures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		specs   []string
		image   map[string]string
		want    string // the unsuffixed group's parameters
		wantErr error
	}{
		{"mixed", []string{"hw:cpu_policy", "mixed", "hw:cpu_dedicated_mask", "^0"}, nil, "resources=PCPU:1,VCPU:1", nil},
		{"mixed, whole mask", []string{"hw:cpu_policy", "mixed", "hw:cpu_dedicated_mask", "0-1"}, nil, "", requestspec.ErrCPUPolicy},
		{"mixed, mask beyond", []string{"hw:cpu_policy", "mixed", "hw:cpu_dedicated_mask", "1,9"}, nil, "", requestspec.ErrCPUPolicy},
		{"mixed, bad mask", []string{"hw:cpu_policy", "mixed", "hw:cpu_dedicated_mask", "1-"}, nil, "", requestspec.ErrCPUPolicy},
		{"mixed, huge mask", []string{"hw:cpu_policy", "mixed", "hw:cpu_dedicated_mask", "0-99999999999"}, nil, "", requestspec.ErrCPUPolicy},
		{"mixed, realtime", []string{"hw:cpu_policy", "mixed", "hw:cpu_realtime", "yes", "hw:cpu_realtime_mask", "1"}, nil, "resources=PCPU:1,VCPU:1", nil},
		{"realtime, whole", []string{"hw:cpu_policy", "mixed", "hw:cpu_realtime", "yes"}, nil, "", requestspec.ErrCPUPolicy},
		{"dedicated by image", nil, map[string]string{"hw_cpu_policy": "dedicated"}, "resources=PCPU:2", nil},
		{"shared, image dedicated", []string{"hw:cpu_policy", "shared"}, map[string]string{"hw_cpu_policy": "dedicated"}, "", requestspec.ErrCPUPolicy},
		{"isolated emulator", []string{"hw:cpu_policy", "dedicated", "hw:emulator_threads_policy", "isolate"}, nil, "resources=PCPU:3", nil},
		{"threads isolate", []string{"hw:cpu_policy", "dedicated", "hw:cpu_thread_policy", "isolate"}, nil, "required=!HW_CPU_HYPERTHREADING&resources=PCPU:2", nil},
		{"threads conflict", []string{"hw:cpu_thread_policy", "isolate"}, map[string]string{"hw_cpu_thread_policy": "require"}, "", requestspec.ErrCPUPolicy},
		{"bad emulator", []string{"hw:emulator_threads_policy", "own"}, nil, "", requestspec.ErrCPUPolicy},
		{"tpm", []string{"hw:tpm_version", "2.0", "hw:tpm_model", "tpm-crb"}, nil, "required=COMPUTE_SECURITY_TPM_2_0,COMPUTE_SECURITY_TPM_CRB&resources=VCPU:2", nil},
		{"tpm model of an old version", []string{"hw:tpm_version", "1.2", "hw:tpm_model", "tpm-crb"}, nil, "", requestspec.ErrFeature},
		{"tpm conflict", []string{"hw:tpm_version", "1.2"}, map[string]string{"hw_tpm_version": "2.0"}, "", requestspec.ErrFeature},
		{"secure boot", []string{"os:secure_boot", "required"}, nil, "required=COMPUTE_SECURITY_UEFI_SECURE_BOOT&resources=VCPU:2", nil},
		{"secure boot, bad", []string{"os:secure_boot", "yes"}, nil, "", requestspec.ErrFeature},
		{"socket", []string{"hw:pci_numa_affinity_policy", "socket"}, nil, "required=COMPUTE_SOCKET_PCI_NUMA_AFFINITY&resources=VCPU:2", nil},
		{"stateless", nil, map[string]string{"hw_firmware_stateless": "true", "hw_firmware_type": "uefi"}, "required=COMPUTE_SECURITY_STATELESS_FIRMWARE&resources=VCPU:2", nil},
		{"encryption", []string{"hw:mem_encryption", "true"}, map[string]string{"hw_firmware_type": "uefi", "hw_machine_type": "pc-q35-2.1"}, "required=HW_CPU_X86_AMD_SEV&resources=MEM_ENCRYPTION_CONTEXT:1,VCPU:2", nil},
		{"encryption, bios", []string{"hw:mem_encryption", "true"}, nil, "", requestspec.ErrFeature},
		{"encryption, not q35", []string{"hw:mem_encryption", "true"}, map[string]string{"hw_firmware_type": "uefi", "hw_machine_type": "pc"}, "", requestspec.ErrFeature},
		{"snp needs stateless", []string{"hw:mem_encryption", "true", "hw:mem_encryption_model", "amd-sev-snp"}, map[string]string{"hw_firmware_type": "uefi"}, "", requestspec.ErrFeature},
		{"pmem", []string{"hw:pmem", "a b, C ,c"}, nil, "resources=CUSTOM_PMEM_NAMESPACE_A_B:1,CUSTOM_PMEM_NAMESPACE_C:2,VCPU:2", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			request, err := requestspec.Build(requestspec.Input{
				Flavor: requestspec.Flavor{VCPUs: 2, ExtraSpecs: baseFlavor(tc.specs...).ExtraSpecs}, Image: tc.image, Limit: 7,
			})
			if tc.wantErr != nil {
				require.ErrorIs(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			want := requestspec.Request{Groups: request.Groups}
			assert.Equal(t, tc.want, unescape(t, want.Query()))
		})
	}
}
