package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

const (
	goldenPort = "7970ec1f-7ce0-4293-a2a3-92cbce8048b4"
	goldenNode = "c532cf11-02ed-4b03-9dd8-3e9a454131dc"
	goldenRoot = "&root_required=COMPUTE_ACCELERATORS%2C%21COMPUTE_STATUS_DISABLED"
	goldenSize = "resources=DISK_GB%3A20%2CMEMORY_MB%3A2048%2CVCPU%3A2"
)

func aggregate(end string) string { return "6be1b1b1-0000-4000-8000-0000000000" + end }

// baseFlavor has 2 VCPUs, 2048 MB and 20 GB, and the extra specs given as keys and values.
func baseFlavor(specs ...string) requestspec.Flavor {
	f := requestspec.Flavor{VCPUs: 2, MemoryMB: 2048, RootGB: 20, ExtraSpecs: map[string]string{}}
	for i := 0; i < len(specs); i += 2 {
		f.ExtraSpecs[specs[i]] = specs[i+1]
	}
	return f
}

// group makes a profile group of keys and values, in their order.
func group(pairs ...string) requestspec.ProfileGroup {
	g := requestspec.ProfileGroup{}
	for i := 0; i < len(pairs); i += 2 {
		g = append(g, requestspec.Property{Key: pairs[i], Value: pairs[i+1]})
	}
	return g
}

func groups(g ...requestspec.ProfileGroup) []requestspec.ProfileGroup { return g }

func acceleratorPort(g ...requestspec.ProfileGroup) requestspec.Port {
	return requestspec.Port{ID: goldenPort, VNICType: "accelerator-direct", DeviceProfile: "nic", Groups: g}
}

// TestGoldenQueries are the seven worked examples, of which only Q6 is refused in strict mode.
func TestGoldenQueries(t *testing.T) {
	t.Parallel()
	withProfile := baseFlavor("accel:device_profile", "gpu")
	for _, tc := range []struct {
		name       string
		in         requestspec.Input
		want       string
		wantStrict error
	}{
		{
			name: "Q1 one group",
			in: requestspec.Input{Flavor: withProfile, Profile: groups(
				group("resources:FPGA", "1", "trait:CUSTOM_FAKE_DEVICE", "required"))},
			want: "limit=1000&requireddevice_profile_0=CUSTOM_FAKE_DEVICE&" + goldenSize +
				"&resourcesdevice_profile_0=FPGA%3A1" + goldenRoot,
		},
		{
			name: "Q2 two groups, policy defaulted",
			in: requestspec.Input{Flavor: withProfile, Profile: groups(
				group("resources:FPGA", "2", "trait:CUSTOM_INTEL_PAC_ARRIA10", "required",
					"trait:CUSTOM_FUNCTION_NAME_FALCON_GZIP_1_1", "required"),
				group("resources:CUSTOM_GPU", "1", "trait:CUSTOM_SLOW", "forbidden"))},
			want: "group_policy=none&limit=1000" +
				"&requireddevice_profile_0=CUSTOM_FUNCTION_NAME_FALCON_GZIP_1_1%2CCUSTOM_INTEL_PAC_ARRIA10" +
				"&requireddevice_profile_1=%21CUSTOM_SLOW&" + goldenSize +
				"&resourcesdevice_profile_0=FPGA%3A2&resourcesdevice_profile_1=CUSTOM_GPU%3A1" + goldenRoot,
		},
		{
			name: "Q3 flavor group, profile and port",
			in: requestspec.Input{
				Flavor:  baseFlavor("accel:device_profile", "gpu", "resources1:VGPU", "1", "group_policy", "isolate"),
				Profile: groups(group("resources:FPGA", "1", "trait:CUSTOM_FAKE_DEVICE", "required")),
				Ports:   []requestspec.Port{acceleratorPort(group("resources:CUSTOM_NIC", "1", "trait:CUSTOM_PHYSNET_PHYSNET1", "required"))},
			},
			want: "group_policy=isolate&limit=1000&requireddevice_profile_0=CUSTOM_FAKE_DEVICE" +
				"&requireddevice_profile_0" + goldenPort + "=CUSTOM_PHYSNET_PHYSNET1&" + goldenSize +
				"&resources1=VGPU%3A1&resourcesdevice_profile_0=FPGA%3A1" +
				"&resourcesdevice_profile_0" + goldenPort + "=CUSTOM_NIC%3A1" + goldenRoot,
		},
		{
			name: "Q4 destination",
			in: requestspec.Input{
				Flavor: withProfile, Profile: groups(group("resources:FPGA", "1")),
				ComputeNodes: []requestspec.ComputeNode{{Host: "h", Node: "n", UUID: goldenNode}},
				Destination: requestspec.Destination{
					Node: "n", ForbiddenAggregates: []string{aggregate("a9")},
					Aggregates: [][]string{{aggregate("a2"), aggregate("a1")}, {aggregate("a3")}},
				},
			},
			want: "in_tree=" + goldenNode + "&limit=1000&member_of=%21in%3A" + aggregate("a9") +
				"&member_of=in%3A" + aggregate("a1") + "%2C" + aggregate("a2") + "&member_of=in%3A" + aggregate("a3") +
				"&" + goldenSize + "&resourcesdevice_profile_0=FPGA%3A1" + goldenRoot,
		},
		{
			name: "Q5 port only",
			in: requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{
				acceleratorPort(group("resources:CUSTOM_NIC", "1", "trait:CUSTOM_GTV1", "required")),
			}},
			want: "limit=1000&requireddevice_profile_0" + goldenPort + "=CUSTOM_GTV1&" + goldenSize +
				"&resourcesdevice_profile_0" + goldenPort + "=CUSTOM_NIC%3A1&root_required=%21COMPUTE_STATUS_DISABLED",
		},
		{
			name: "Q6 trait only",
			in:   requestspec.Input{Flavor: withProfile, Profile: groups(group("trait:CUSTOM_X", "required"))},
			want: "limit=1000&requireddevice_profile_0=CUSTOM_X&" + goldenSize + "&resourcesdevice_profile_0=" + goldenRoot,

			wantStrict: requestspec.ErrTraitOnly,
		},
		{
			name: "Q7 same subtree",
			in: requestspec.Input{
				Flavor:  baseFlavor("accel:device_profile", "gpu", "resources_NIC:SRIOV_NET_VF", "1"),
				Profile: groups(group("resources:FPGA", "1")), RootRequired: []string{"OWNER_NOVA"},
				SameSubtree: [][]string{{"device_profile_0", "_NIC"}},
			},
			want: "group_policy=none&limit=1000&" + goldenSize + "&resources_NIC=SRIOV_NET_VF%3A1&resourcesdevice_profile_0=FPGA%3A1" +
				"&root_required=COMPUTE_ACCELERATORS%2COWNER_NOVA%2C%21COMPUTE_STATUS_DISABLED&same_subtree=_NIC%2Cdevice_profile_0",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			request, err := requestspec.Build(tc.in, requestspec.Lenient())
			require.NoError(t, err)
			assert.Equal(t, tc.want, request.Query())

			request, err = requestspec.Build(tc.in)
			if tc.wantStrict != nil {
				require.ErrorIs(t, err, tc.wantStrict)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.want, request.Query())
		})
	}
}
