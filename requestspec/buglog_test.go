package requestspec_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// The tests of this file are public bug reports, each as small as it can be.

// A group with forbidden traits only was judged empty and dropped (Launchpad nova 1821824).
func TestForbiddenTraitAloneIsKept(t *testing.T) {
	t.Parallel()
	request, err := requestspec.Build(requestspec.Input{Flavor: requestspec.Flavor{
		VCPUs: 1, MemoryMB: 1024, RootGB: 10, EphemeralGB: 5, ExtraSpecs: map[string]string{"trait:CUSTOM_FLAVOR_TRAIT": "forbidden"},
	}})
	require.NoError(t, err)
	assert.Contains(t, request.Query(), "required=%21CUSTOM_FLAVOR_TRAIT")

	request, err = requestspec.Build(requestspec.Input{Flavor: baseFlavor("trait1:CUSTOM_T", "forbidden")}, requestspec.Lenient())
	require.NoError(t, err)
	assert.Contains(t, request.Query(), "required1=%21CUSTOM_T")
}

// Swap is in MB, disks are in GB (Launchpad nova 1659266).
func TestSwapCountsInWholeGB(t *testing.T) {
	t.Parallel()
	for swap, want := range map[int]int64{0: 15, 1: 16, 1023: 16, 1024: 16, 1025: 17, 2048: 17} {
		request, err := requestspec.Build(requestspec.Input{Flavor: requestspec.Flavor{VCPUs: 1, RootGB: 10, EphemeralGB: 5, SwapMB: swap}})
		require.NoError(t, err)
		assert.Equal(t, want, request.Groups[0].Resources["DISK_GB"], "swap %d", swap)
	}
}

// Blanks inside an alias name were removed (Launchpad nova 1638200).
func TestPCIAliasKeepsBlanksInside(t *testing.T) {
	t.Parallel()
	aliases, err := requestspec.ParsePCIAliases(" my gpu : 2 ,b:1")
	require.NoError(t, err)
	assert.Equal(t, []requestspec.PCIAlias{{Name: "my gpu", Count: 2}, {Name: "b", Count: 1}}, aliases)
	for _, bad := range []string{"", "gpu", "gpu:", ":1", "gpu:0", "gpu:-1", "gpu:x", "gpu:1:2", "gpu:1,", "gpu:99999999999999999999"} {
		_, err := requestspec.ParsePCIAliases(bad)
		require.ErrorContains(t, err, "PCI alias", "%q", bad)
	}
}

func FuzzParsePCIAliases(f *testing.F) {
	f.Add(" my gpu : 2 ,b:1")
	f.Add("a:1,,")
	f.Fuzz(func(t *testing.T, value string) {
		aliases, err := requestspec.ParsePCIAliases(value)
		if err == nil {
			assert.NotEmpty(t, aliases)
		}
		for _, alias := range aliases {
			assert.NotEmpty(t, alias.Name)
			assert.Positive(t, alias.Count)
		}
	})
}

// One alias name for two kinds of devices failed late (Launchpad nova 2102038).
func TestPCIAliasDefinedTwice(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, requestspec.CheckPCIAliases([]string{"gpu", "b", "gpu"}, true), `PCI alias "gpu": defined more than once`)
	require.NoError(t, requestspec.CheckPCIAliases([]string{"gpu", "b", "gpu"}, false))
	require.NoError(t, requestspec.CheckPCIAliases([]string{"gpu", "b"}, true))
}

// More devices than asked for were handed out (Launchpad nova 2098496).
func TestMatchRefusesMoreDevicesThanAsked(t *testing.T) {
	t.Parallel()
	group := []requestspec.Group{asks("p", amounts{"SRIOV_NET_VF": 1})}
	_, err := requestspec.Match(t.Context(), group, []requestspec.ProviderAllocation{gives("a", amounts{"SRIOV_NET_VF": 1}), gives("b", amounts{"SRIOV_NET_VF": 1})}, nil)
	require.ErrorIs(t, err, requestspec.ErrNoMapping)
	got, err := requestspec.Match(t.Context(), group, []requestspec.ProviderAllocation{gives("a", amounts{"SRIOV_NET_VF": 1})}, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{"p": {"a"}}, got)
}

// An example flavor was shipped with its placeholder (cubecos issue 1264).
func TestPlaceholderProfileName(t *testing.T) {
	t.Parallel()
	flavor := baseFlavor("accel:device_profile", "<profile_name>")
	err := flavor.CheckDeviceProfile()
	require.ErrorIs(t, err, requestspec.ErrProfile)
	require.ErrorContains(t, err, "not a valid profile name")
	_, err = requestspec.Build(requestspec.Input{Flavor: flavor, Profile: groups(group("resources:FPGA", "1"))})
	require.ErrorContains(t, err, `flavor: "accel:device_profile" = "<profile_name>": "<profile_name>" is not a valid profile name`)
}

// An amount of N makes N accelerator requests; one vendor's make two each (Cyborg's v2 controller).
func TestExpectedARQs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		text string
		want []int
	}{
		{"amounts", `[{"resources:FPGA":"1"},{"resources:PGPU":"2","trait:X":"required"}]`, []int{1, 2}},
		{"all classes count", `[{"resources:FPGA":"1","resources:CUSTOM_NIC":2,"accel:x":"5"}]`, []int{3}},
		{"two functions", `[{"resources:FPGA":"1","trait:CUSTOM_FPGA_XILINX":"required"}]`, []int{2}},
		{"two functions, forbidden", `[{"resources:FPGA":"1","trait:CUSTOM_FPGA_XILINX":"forbidden"}]`, []int{1}},
		{"none", `[{"trait:X":"required"},{"resources:FPGA":"-1"}]`, []int{0, 0}},
		{"bad amount", `[{"resources:FPGA":"1.5"}]`, nil},
		{"too many", `[{"resources:FPGA":"9999999999"}]`, nil},
		{"two functions of nothing", `[{"trait:CUSTOM_FPGA_XILINX":"required"}]`, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var profile []requestspec.ProfileGroup
			require.NoError(t, json.Unmarshal([]byte(tc.text), &profile))
			got, err := requestspec.ExpectedARQs(profile)
			if tc.want == nil {
				require.ErrorIs(t, err, requestspec.ErrAmount)
				require.ErrorContains(t, err, "group 0")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

// A resize asked for the old flavor's device (Launchpad nova 1941005).
func TestNewFlavorDecidesAlone(t *testing.T) {
	t.Parallel()
	in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", "old", "resources1:VGPU", "1"), Profile: groups(group("resources:FPGA", "1"))}
	_, err := requestspec.Build(in)
	require.NoError(t, err)
	in.Flavor, in.Profile = baseFlavor("accel:device_profile", "new"), groups(group("resources:PGPU", "1"))
	request, err := requestspec.Build(in)
	require.NoError(t, err)
	assert.Contains(t, request.Query(), "resourcesdevice_profile_0=PGPU%3A1")
	assert.NotContains(t, request.Query(), "VGPU")
	assert.NotContains(t, request.Query(), "FPGA")
}

// Traits that any one of is enough and forbidden ones were mixed in one value (the rules of Placement 1.39). A request says
// only traits that are all required or forbidden, so that no such value leaves the machine.
func TestAnyOfTraitsIsRefused(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"in:HW_CPU_X86_SSE,!HW_CPU_X86_SSE2", "in:HW_CPU_X86_SSE", "!HW_CPU_X86_SSE", "A,!B"} {
		for _, in := range []requestspec.Input{
			{Flavor: baseFlavor("trait:"+value, "required")},
			{Flavor: baseFlavor("accel:device_profile", "gpu"), Profile: groups(group("resources:PGPU", "1", "trait:"+value, "required"))},
			{Flavor: baseFlavor(), RootRequired: []string{value}},
			{Flavor: baseFlavor(), Image: map[string]string{"trait:" + value: "required"}},
			{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{
				Resources: requestspec.ResourceAmounts{"CUSTOM_NIC": 1}, Required: []string{value},
			}}}},
		} {
			_, err := requestspec.Build(in)
			require.ErrorIs(t, err, requestspec.ErrTrait, value)
			require.ErrorContains(t, err, "Placement has no such trait")
		}
	}
}
