package requestspec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// TestExtraProfiles: profiles beside the flavor's are groups of their own, with their owner in the requester ids, also
// where the flavor has none.
func TestExtraProfiles(t *testing.T) {
	t.Parallel()
	gpu := requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})
	fpga := requestspec.GroupOf(map[string]string{"resources:FPGA": "2"})
	in := requestspec.Input{
		Flavor: requestspec.Flavor{VCPUs: 1, ExtraSpecs: map[string]string{"accel:device_profile": "gpu"}}, Profile: []requestspec.ProfileGroup{gpu},
		Extra: []requestspec.ExtraProfile{{Name: "fpga", Owner: "-request", Groups: []requestspec.ProfileGroup{fpga, gpu}}},
	}
	request, err := requestspec.Build(in)
	require.NoError(t, err)
	assert.Equal(t, []string{"device_profile_0", "device_profile_0-request", "device_profile_1-request"}, request.RequesterIDs())
	group, there := request.Group("device_profile_0-request")
	require.True(t, there)
	assert.Equal(t, map[string]int64{"FPGA": 2}, group.Resources)

	request, err = requestspec.Build(requestspec.Input{Extra: in.Extra})
	require.NoError(t, err)
	assert.Equal(t, []string{"COMPUTE_ACCELERATORS"}, request.RootRequired)
	assert.Len(t, request.Groups, 2, "nothing but the profile is asked for")
}

func TestExtraProfilesRefused(t *testing.T) {
	t.Parallel()
	gpu := []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})}
	for _, test := range []struct {
		name  string
		extra []requestspec.ExtraProfile
		want  error
	}{
		{"no groups", []requestspec.ExtraProfile{{Name: "none", Owner: "-1"}}, requestspec.ErrProfile},
		{"one owner twice", []requestspec.ExtraProfile{{Name: "a", Owner: "-1", Groups: gpu}, {Name: "b", Owner: "-1", Groups: gpu}}, requestspec.ErrSuffixConflict},
		{"owner that is no suffix", []requestspec.ExtraProfile{{Name: "a", Owner: "a b", Groups: gpu}}, requestspec.ErrKey},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := requestspec.Build(requestspec.Input{Flavor: requestspec.Flavor{VCPUs: 1}, Extra: test.extra})
			require.ErrorIs(t, err, test.want)
		})
	}
}

// TestInputSurvivesJSON: what an instance was asked for is stored with it.
func TestInputSurvivesJSON(t *testing.T) {
	t.Parallel()
	want := requestspec.Input{
		Flavor:      requestspec.Flavor{Name: "f", VCPUs: 1, ExtraSpecs: map[string]string{"hw:x": "y"}},
		Ports:       []requestspec.Port{{ID: "p", VNICType: "normal"}},
		Image:       map[string]string{"hw_x": "y"},
		Destination: requestspec.Destination{Host: "cn1", Aggregates: [][]string{{"a"}}}, ForceHosts: []string{"cn1"},
		ComputeNodes: []requestspec.ComputeNode{{Host: "cn1", Node: "cn1", UUID: "u"}}, Hints: map[string]any{"group": "g"},
		RootRequired: []string{"CUSTOM_A"}, RootForbidden: []string{"CUSTOM_B"}, SameSubtree: [][]string{{"_a", "_b"}}, Limit: 5,
		LargestProvider: map[string]int64{"PGPU": 1}, BootFromVolume: true,
	}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got requestspec.Input
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Empty(t, cmp.Diff(want, got))
}
