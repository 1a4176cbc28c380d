package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// TestSeveralGPUsInOneGroup checks what is said to two GPUs in one group: nothing is known of the providers, one is large
// enough, and none is.
func TestSeveralGPUsInOneGroup(t *testing.T) {
	t.Parallel()
	in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", "gpu"), Profile: groups(group("resources:PGPU", "2"))}
	request, err := requestspec.Build(in)
	require.NoError(t, err)
	require.Len(t, request.Findings, 1)
	assert.Equal(t, "resources:PGPU", request.Findings[0].Key)
	require.ErrorIs(t, request.Findings[0], requestspec.ErrNeverFits)
	assert.Contains(t, request.Findings[0].Message, "use 2 groups of 1")

	in.LargestProvider = map[string]int64{"PGPU": 2}
	request, err = requestspec.Build(in)
	require.NoError(t, err)
	assert.Empty(t, request.Findings)

	in.LargestProvider["PGPU"] = 1
	_, err = requestspec.Build(in)
	require.ErrorIs(t, err, requestspec.ErrNeverFits)
	assert.ErrorContains(t, err, "use several groups")
}

// TestWishesThatPlacementTakes gives uuids in both forms and a port's id that is a suffix but no uuid.
func TestWishesThatPlacementTakes(t *testing.T) {
	t.Parallel()
	const bare = "7970ec1f7ce04293a2a392cbce8048b4"
	request, err := requestspec.Build(requestspec.Input{
		Flavor:       baseFlavor("resources_a:FPGA", "1", "resources_b:FPGA", "1", "group_policy", "none"),
		Destination:  requestspec.Destination{Host: "h", Aggregates: [][]string{{bare, goldenPort}}, ForbiddenAggregates: []string{bare}},
		ComputeNodes: []requestspec.ComputeNode{{Host: "h", Node: "n", UUID: goldenPort}},
		RootRequired: []string{"CUSTOM_A"}, SameSubtree: [][]string{{"_b", "_a"}},
		Ports: []requestspec.Port{{ID: "p-1", ResourceRequest: &requestspec.PortResourceRequest{Resources: requestspec.ResourceAmounts{"CUSTOM_A": 1}}}},
		Image: map[string]string{"hw_x": "1", "trait": "required", "traits": "required", "resources": "1", "os:x": "2"},
	})
	require.NoError(t, err)
	assert.Empty(t, request.Findings)
}

// TestBadProfileNameHidesNothing checks that a profile's bad name is told together with what else is wrong.
func TestBadProfileNameHidesNothing(t *testing.T) {
	t.Parallel()
	in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", "my profile")}
	profiles := []requestspec.Profile{{Name: "my profile", Groups: groups(group("resources:FPGAS", "1"))}}
	in, err := requestspec.Resolve(in, profiles)
	require.NoError(t, err)
	_, err = requestspec.Build(in)
	require.ErrorIs(t, err, requestspec.ErrProfile)
	require.ErrorIs(t, err, requestspec.ErrClass)
	assert.Equal(t, "profile", requestspec.Code(err))

	_, err = requestspec.Resolve(in, nil)
	require.ErrorContains(t, err, "is not a valid profile name")
}
