package requestspec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

func TestProfileGroupKeepsOrderAndDigits(t *testing.T) {
	t.Parallel()
	text := `{"z":"1","a":100000000000000000000,"m":null,"l":[1,{"x":true}],"f":2.50}`
	var g requestspec.ProfileGroup
	require.NoError(t, json.Unmarshal([]byte(text), &g))
	keys := make([]string, len(g))
	for i, p := range g {
		keys[i] = p.Key
	}
	assert.Equal(t, []string{"z", "a", "m", "l", "f"}, keys)
	again, err := json.Marshal(g)
	require.NoError(t, err)
	assert.Equal(t, text, string(again))
}

func TestProfileGroupKeyTwice(t *testing.T) {
	t.Parallel()
	var g requestspec.ProfileGroup
	require.NoError(t, json.Unmarshal([]byte(`{"a":"1","b":"2","a":"3"}`), &g))
	assert.Equal(t, requestspec.ProfileGroup{{Key: "a", Value: "3"}, {Key: "b", Value: "2"}}, g)
}

func TestProfileGroupRefusesOtherJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `[]`, `"x"`, `1`, `{"a"}`, `{"a":}`, `{"a":1`} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var g requestspec.ProfileGroup
			require.Error(t, g.UnmarshalJSON([]byte(text)))
			assert.Nil(t, g)
		})
	}
}

func TestProfileGroupThatIsNoJSON(t *testing.T) {
	t.Parallel()
	_, err := json.Marshal(requestspec.ProfileGroup{{Key: "resources:FPGA", Value: func() {}}})
	require.ErrorContains(t, err, "resources:FPGA")
}

func TestGroupOf(t *testing.T) {
	t.Parallel()
	got := requestspec.GroupOf(map[string]string{"trait:X": "required", "resources:FPGA": "1"})
	assert.Empty(t, cmp.Diff(group("resources:FPGA", "1", "trait:X", "required"), got))
}

func FuzzProfileGroup(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":"1","b":2}`, `{"a":"1","a":"2"}`, `{"a":[1e400]}`, `null`, `{"\u00e9":"\n"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g requestspec.ProfileGroup
		if err := json.Unmarshal(data, &g); err != nil || g == nil {
			return
		}
		text, err := json.Marshal(g)
		require.NoError(t, err)
		var again requestspec.ProfileGroup
		require.NoError(t, json.Unmarshal(text, &again))
		assert.Empty(t, cmp.Diff(g, again))
		counts, err := requestspec.ExpectedARQs([]requestspec.ProfileGroup{g})
		if err != nil {
			require.ErrorIs(t, err, requestspec.ErrAmount)
			return
		}
		assert.GreaterOrEqual(t, counts[0], 0)
	})
}

func TestCheckProfileName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gpu", "a_b-C9", "-"} {
		require.NoError(t, requestspec.CheckProfileName(name))
	}
	for _, name := range []string{"", "<profile_name>", "a b", "é", "gpu\n", "a/b"} {
		err := requestspec.CheckProfileName(name)
		require.ErrorIs(t, err, requestspec.ErrProfile)
		require.ErrorContains(t, err, "not a valid profile name")
	}
}

// TestRequesterIDsDiffer checks that groups of one flavor profile and of ports never share an id, as long as owners
// are uuids.
func TestRequesterIDsDiffer(t *testing.T) {
	t.Parallel()
	owner := rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}`))
	rapid.Check(t, func(t *rapid.T) {
		i, j := rapid.IntRange(0, 99).Draw(t, "i"), rapid.IntRange(0, 99).Draw(t, "j")
		a, b := owner.Draw(t, "a"), owner.Draw(t, "b")
		same := requestspec.RequesterID(i, a) == requestspec.RequesterID(j, b)
		assert.Equal(t, i == j && a == b, same)
		assert.True(t, strings.HasSuffix(requestspec.RequesterID(i, a), a))
	})
}

func TestResolve(t *testing.T) {
	t.Parallel()
	profiles := []requestspec.Profile{
		{Name: "gpu", Groups: groups(group("resources:PGPU", "1"))},
		{Name: "nic", Groups: groups(group("resources:CUSTOM_NIC", "1"))},
		{Name: "two", Groups: groups(group("resources:CUSTOM_NIC", "2"))},
		{Name: "twin"},
		{Name: "twin"},
	}
	port := func(profile string) requestspec.Port {
		return requestspec.Port{ID: "p", VNICType: "accelerator-direct", DeviceProfile: profile}
	}
	flavor := func(profile string) requestspec.Flavor { return baseFlavor("accel:device_profile", profile) }
	for _, tc := range []struct {
		name    string
		in      requestspec.Input
		wantErr string
	}{
		{"flavor and port", requestspec.Input{Flavor: flavor("gpu"), Ports: []requestspec.Port{port("nic")}}, ""},
		{"second spelling", requestspec.Input{Flavor: baseFlavor("accel:device_profile_name", "gpu"), Ports: []requestspec.Port{port("nic")}}, ""},
		{"unknown", requestspec.Input{Flavor: flavor("fpga")}, "there is no device profile of this name"},
		{"ambiguous", requestspec.Input{Flavor: flavor("twin")}, "several device profiles"},
		{"ambiguous for the port", requestspec.Input{Flavor: flavor("gpu"), Ports: []requestspec.Port{port("twin")}}, "port p"},
		{"two devices for the port", requestspec.Input{Flavor: flavor("gpu"), Ports: []requestspec.Port{port("two")}}, "asks for 2 devices"},
		{"none for the port", requestspec.Input{Flavor: flavor("gpu"), Ports: []requestspec.Port{port("")}}, "has no device profile"},
		{"impossible name", requestspec.Input{Flavor: flavor("<profile_name>")}, "not a valid profile name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Resolve(tc.in, profiles)
			if tc.wantErr != "" {
				require.ErrorIs(t, err, requestspec.ErrProfile)
				require.ErrorContains(t, err, tc.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, profiles[0].Groups, got.Profile)
			assert.Equal(t, profiles[1].Groups, got.Ports[0].Groups)
			assert.Nil(t, tc.in.Ports[0].Groups, "the input is not changed")
		})
	}
	t.Run("no profile at all", func(t *testing.T) {
		t.Parallel()
		got, err := requestspec.Resolve(requestspec.Input{Flavor: baseFlavor(), Ports: []requestspec.Port{{ID: "q", DeviceProfile: "nope"}}}, nil)
		require.NoError(t, err)
		assert.Nil(t, got.Profile)
	})
}
