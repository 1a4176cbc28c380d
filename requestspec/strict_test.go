package requestspec_test

import (
	"net/url"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

func unescape(t *testing.T, query string) string {
	t.Helper()
	text, err := url.QueryUnescape(query)
	require.NoError(t, err)
	return text
}

// TestStrictFaults checks the place, reason and code word of each fault that strict mode refuses and lenient lets pass.
func TestStrictFaults(t *testing.T) {
	t.Parallel()
	gpu := baseFlavor("accel:device_profile", "gpu")
	one := group("resources:PGPU", "1")
	profile := func(g ...requestspec.ProfileGroup) requestspec.Input {
		return requestspec.Input{Flavor: gpu, Profile: g}
	}
	flavor := func(specs ...string) requestspec.Input { return requestspec.Input{Flavor: baseFlavor(specs...)} }
	for _, tc := range []struct {
		name   string
		in     requestspec.Input
		where  string
		key    string
		reason error
		code   string
	}{
		{"base class in profile", profile(one, group("resources:PGPU", "1", "resources:MEMORY_MB", "1")), "device profile gpu, group 1", "resources:MEMORY_MB", requestspec.ErrBaseClass, "base_class"},
		{"base class in port profile", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{acceleratorPort(group("resources:PCPU", "1"))}}, "port " + goldenPort + ", device profile nic, group 0", "resources:PCPU", requestspec.ErrBaseClass, "base_class"},
		{"trait only", profile(group("trait:CUSTOM_X", "required")), "device profile gpu, group 0", "", requestspec.ErrTraitOnly, "trait_only"},
		{"trait only in flavor", flavor("trait1:CUSTOM_X", "required"), "flavor, group 1", "", requestspec.ErrTraitOnly, "trait_only"},
		{"misspelt class", profile(group("resources:PGPU", "1", "resources:FGPA", "1")), "device profile gpu, group 0", "resources:FGPA", requestspec.ErrClass, "resource_class"},
		{"misspelt prefix", profile(group("resources:PGPU", "1", "resource:FPGA", "1")), "device profile gpu, group 0", "resource:FPGA", requestspec.ErrKey, "key"},
		{"blank in key", profile(group("resources:PGPU", "1", "trait: CUSTOM_X", "required")), "device profile gpu, group 0", "trait: CUSTOM_X", requestspec.ErrTrait, "trait"},
		{"suffix in profile", profile(group("resources1:PGPU", "1")), "device profile gpu, group 0", "resources1:PGPU", requestspec.ErrKey, "key"},
		{"class twice", profile(group("resources:PGPU", "1", "resources1:PGPU", "2")), "device profile gpu, group 0", "resources1:PGPU", requestspec.ErrKey, "key"},
		{"fraction", requestspec.Input{Flavor: gpu, Profile: groups(requestspec.ProfileGroup{{Key: "resources:PGPU", Value: 1.5}})}, "device profile gpu, group 0", "resources:PGPU", requestspec.ErrAmount, "bad_amount"},
		{"too many", profile(group("resources:PGPU", "2147483648")), "device profile gpu, group 0", "resources:PGPU", requestspec.ErrNeverFits, "never_fits"},
		{"more than the largest provider", requestspec.Input{Flavor: gpu, Profile: groups(group("resources:PGPU", "2")), LargestProvider: map[string]int64{"PGPU": 1}}, "device profile gpu, group 0", "resources:PGPU", requestspec.ErrNeverFits, "never_fits"},
		{"no groups", profile(), "device profile gpu", "", requestspec.ErrProfile, "profile"},
		{"all zero", profile(one, group("resources:FPGA", "0")), "device profile gpu, group 1", "", requestspec.ErrEmptyGroup, "empty_group"},
		{"trait both ways", profile(group("resources:PGPU", "1", "trait:CUSTOM_X", "required", "trait1:CUSTOM_X", "forbidden")), "device profile gpu, group 0", "CUSTOM_X", requestspec.ErrTrait, "trait"},
		{"two spellings", requestspec.Input{Flavor: baseFlavor("accel:device_profile", "gpu", "accel:device_profile_name", "fpga"), Profile: groups(one)}, "flavor", "accel:device_profile", requestspec.ErrProfile, "profile"},
		{"plural", flavor("traits:CUSTOM_X", "required"), "flavor", "traits:CUSTOM_X", requestspec.ErrKey, "key"},
		{"line feed", flavor("resources:FPGA\n", "1"), "flavor", "resources:FPGA\n", requestspec.ErrKey, "key"},
		{"no policy", flavor("resources1:VGPU", "1", "resources2:VGPU", "1"), "flavor", "group_policy", requestspec.ErrGroupPolicy, "group_policy"},
		{"image trait", requestspec.Input{Flavor: baseFlavor(), Image: map[string]string{"trait:CUSTOM_X": "forbidden"}}, "image", "trait:CUSTOM_X", requestspec.ErrTrait, "trait"},
		{"threads without pinning", flavor("hw:cpu_thread_policy", "require"), "flavor", "hw:cpu_thread_policy", requestspec.ErrCPUPolicy, "cpu_policy"},
		{"emulator without pinning", flavor("hw:emulator_threads_policy", "isolate"), "flavor", "hw:emulator_threads_policy", requestspec.ErrCPUPolicy, "cpu_policy"},
		{"mixed without mask", flavor("hw:cpu_policy", "mixed"), "flavor", "hw:cpu_policy", requestspec.ErrCPUPolicy, "cpu_policy"},
		{"subtree of nothing", requestspec.Input{Flavor: baseFlavor(), SameSubtree: [][]string{{"x"}}}, "request", "same_subtree", requestspec.ErrKey, "key"},
		{"root trait both ways", requestspec.Input{Flavor: baseFlavor(), RootRequired: []string{"COMPUTE_STATUS_DISABLED"}}, "root provider", "COMPUTE_STATUS_DISABLED", requestspec.ErrTrait, "trait"},
		{"root trait of no name", requestspec.Input{Flavor: baseFlavor(), RootRequired: []string{"A,B"}}, "request", "root_required", requestspec.ErrTrait, "trait"},
		{"root trait in small letters", requestspec.Input{Flavor: baseFlavor(), RootForbidden: []string{"custom_a"}}, "request", "root_forbidden", requestspec.ErrTrait, "trait"},
		{"empty root trait", requestspec.Input{Flavor: baseFlavor(), RootRequired: []string{""}}, "request", "root_required", requestspec.ErrTrait, "trait"},
		{"empty subtree", requestspec.Input{Flavor: baseFlavor(), SameSubtree: [][]string{{}}}, "request", "same_subtree", requestspec.ErrKey, "key"},
		{"subtree of the unsuffixed group", requestspec.Input{Flavor: baseFlavor(), SameSubtree: [][]string{{""}}}, "request", "same_subtree", requestspec.ErrKey, "key"},
		{"aggregate of no uuid", requestspec.Input{Flavor: baseFlavor(), Destination: requestspec.Destination{Aggregates: [][]string{{goldenPort, "x"}}}}, "request", "destination.aggregates", requestspec.ErrKey, "key"},
		{"no aggregate", requestspec.Input{Flavor: baseFlavor(), Destination: requestspec.Destination{Aggregates: [][]string{{}}}}, "request", "destination.aggregates", requestspec.ErrKey, "key"},
		{"forbidden aggregate", requestspec.Input{Flavor: baseFlavor(), Destination: requestspec.Destination{ForbiddenAggregates: []string{"x"}}}, "request", "destination.forbidden_aggregates", requestspec.ErrKey, "key"},
		{"node of no uuid", requestspec.Input{Flavor: baseFlavor(), ForceHosts: []string{"h"}, ComputeNodes: []requestspec.ComputeNode{{Host: "h", Node: "n", UUID: "zzz"}}}, "request", "compute_nodes", requestspec.ErrKey, "key"},
		{"port id of no suffix", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "a b", ResourceRequest: &requestspec.PortResourceRequest{Resources: requestspec.ResourceAmounts{"CUSTOM_A": 1}}}}}, "port a b, resource request", "", requestspec.ErrKey, "key"},
		{"suffix in image trait", requestspec.Input{Flavor: baseFlavor(), Image: map[string]string{"trait1:CUSTOM_X": "required"}}, "image", "trait1:CUSTOM_X", requestspec.ErrKey, "key"},
		{"plural in image", requestspec.Input{Flavor: baseFlavor(), Image: map[string]string{"traits:CUSTOM_X": "required"}}, "image", "traits:CUSTOM_X", requestspec.ErrKey, "key"},
		{"capital in image", requestspec.Input{Flavor: baseFlavor(), Image: map[string]string{"Trait:CUSTOM_X": "required"}}, "image", "Trait:CUSTOM_X", requestspec.ErrKey, "key"},
		{"resource in image", requestspec.Input{Flavor: baseFlavor(), Image: map[string]string{"resources:FPGA": "1"}}, "image", "resources:FPGA", requestspec.ErrKey, "key"},
		{"more than the largest in a flavor", requestspec.Input{Flavor: baseFlavor("resources1:PGPU", "2"), LargestProvider: map[string]int64{"PGPU": 1}}, "flavor, group 1", "resources1:PGPU", requestspec.ErrNeverFits, "never_fits"},
		{"port without id", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{}}}, "port", "", requestspec.ErrKey, "key"},
		{"port request", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{Resources: requestspec.ResourceAmounts{"NET": 1}}}}}, "port p, resource request", "NET", requestspec.ErrClass, "resource_class"},
		{"PCI alias", flavor("pci_passthrough:alias", "gpu"), "flavor", "pci_passthrough:alias", requestspec.ErrKey, "key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := requestspec.Build(tc.in)
			require.ErrorIs(t, err, tc.reason)
			var all *requestspec.Error
			require.ErrorAs(t, err, &all)
			require.NotEmpty(t, all.Findings)
			i := slices.IndexFunc(all.Findings, func(f requestspec.Finding) bool { return f.Where == tc.where && f.Key == tc.key })
			require.GreaterOrEqual(t, i, 0, "%v", err)
			require.ErrorIs(t, all.Findings[i], tc.reason)
			assert.Contains(t, err.Error(), tc.where)
			assert.Equal(t, tc.code, requestspec.Code(all.Findings[i]))

			request, err := requestspec.Build(tc.in, requestspec.Lenient())
			require.NoError(t, err, "Nova lets it pass")
			assert.Equal(t, tc.name == "two spellings", len(request.Findings) == 0)
		})
	}
}

// TestBothModesRefuse checks what Nova refuses too.
func TestBothModesRefuse(t *testing.T) {
	t.Parallel()
	gpu := baseFlavor("accel:device_profile", "gpu")
	for _, tc := range []struct {
		name string
		in   requestspec.Input
		code string
	}{
		{"limit below one", requestspec.Input{Flavor: baseFlavor(), Limit: -5}, "bad_amount"},
		{"amount of a port is no number", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{acceleratorPort(group("resources:CUSTOM_NIC", "one"))}}, "bad_amount"},
		{"port of two devices", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{acceleratorPort(group("resources:CUSTOM_NIC", "1"), group("resources:CUSTOM_NIC", "1"))}}, "profile"},
		{"port without profile", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", VNICType: "accelerator-direct"}}}, "profile"},
		{"empty group", requestspec.Input{Flavor: gpu, Profile: groups(group("accel:function_id", "x"))}, "empty_group"},
		{"empty port request", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{Resources: requestspec.ResourceAmounts{}}}}}, "empty_group"},
		{"port group without id", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "p", ResourceRequest: &requestspec.PortResourceRequest{RequestGroups: []requestspec.PortRequestGroup{{Resources: requestspec.ResourceAmounts{"FPGA": 1}}}}}}}, "empty_group"},
		{"amount is null", requestspec.Input{Flavor: gpu, Profile: groups(requestspec.ProfileGroup{{Key: "resources:FPGA", Value: nil}})}, "bad_amount"},
		{"unknown host", requestspec.Input{Flavor: baseFlavor(), ForceHosts: []string{"h"}}, "no_valid_host"},
		{"policy", requestspec.Input{Flavor: baseFlavor("hw:cpu_policy", "any")}, "cpu_policy"},
		{"suffix twice", requestspec.Input{Flavor: baseFlavor("accel:device_profile", "gpu", "resourcesdevice_profile_0:FPGA", "0"), Profile: groups(group("resources:FPGA", "1"))}, "suffix_conflict"},
		{"port twice", requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{acceleratorPort(group("resources:FPGA", "1")), acceleratorPort(group("resources:FPGA", "1"))}}, "suffix_conflict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, opts := range [][]requestspec.Option{nil, {requestspec.Lenient()}} {
				_, err := requestspec.Build(tc.in, opts...)
				require.Error(t, err)
				assert.Equal(t, tc.code, requestspec.Code(err), "%v", err)
			}
		})
	}
}

// TestStrictDoesBetter checks requests that strict mode builds and that Placement accepts, where Nova's are refused.
func TestStrictDoesBetter(t *testing.T) {
	t.Parallel()
	t.Run("second spelling of the profile key", func(t *testing.T) {
		t.Parallel()
		in := requestspec.Input{Flavor: baseFlavor("accel:device_profile_name", "gpu"), Profile: groups(group("resources:PGPU", "1"))}
		request, err := requestspec.Build(in)
		require.NoError(t, err)
		assert.Equal(t, []string{"device_profile_0"}, request.RequesterIDs())
		assert.Contains(t, request.RootRequired, "COMPUTE_ACCELERATORS")
		request, err = requestspec.Build(in, requestspec.Lenient())
		require.NoError(t, err)
		assert.Empty(t, request.RequesterIDs(), "Nova does not know the key")
		assert.NotContains(t, request.RootRequired, "COMPUTE_ACCELERATORS")
	})
	t.Run("trait-only group in a subtree", func(t *testing.T) {
		t.Parallel()
		request, err := requestspec.Build(requestspec.Input{
			Flavor:  baseFlavor("trait_SWITCH:CUSTOM_X", "required", "accel:device_profile", "gpu"),
			Profile: groups(group("resources:PGPU", "1")), SameSubtree: [][]string{{"_SWITCH", "device_profile_0"}},
		})
		require.NoError(t, err)
		assert.Contains(t, request.Query(), "required_SWITCH=CUSTOM_X")
		assert.NotContains(t, request.Query(), "resources_SWITCH", "Placement refuses an empty parameter")
	})
	t.Run("empty suffixes of the flavor do not count", func(t *testing.T) {
		t.Parallel()
		request, err := requestspec.Build(requestspec.Input{
			Flavor:  baseFlavor("resources1:MEMORY_MB", "0", "resources2:DISK_GB", "0", "accel:device_profile", "gpu"),
			Profile: groups(group("resources:PGPU", "1"), group("resources:FPGA", "1")),
		})
		require.NoError(t, err)
		assert.Equal(t, "none", request.GroupPolicy)
	})
	t.Run("advice is no error", func(t *testing.T) {
		t.Parallel()
		request, err := requestspec.Build(requestspec.Input{
			Flavor: baseFlavor("accel:device_profile", "gpu", "member_of", "x"), Profile: groups(group("resources:PGPU", "2")),
		})
		require.NoError(t, err)
		require.Len(t, request.Findings, 2)
		for _, finding := range request.Findings {
			assert.True(t, finding.Advice)
		}
		assert.Contains(t, request.Findings[1].Error(), "use 2 groups of 1")
	})
}
