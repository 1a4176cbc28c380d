package cyborgclient_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{{UUID: "a"}, {UUID: "b"}, {UUID: "c", DeviceProfileGroupID: 1}}
	tests := []struct {
		name    string
		mapping map[string][]string
		owner   string
		want    map[string]string
		err     string
	}{
		{
			name:    "two ARQs of one group share its provider",
			mapping: map[string][]string{"": {"root"}, "device_profile_0": {"rp1"}, "device_profile_1": {"rp2"}},
			want:    map[string]string{"a": "rp1", "b": "rp1", "c": "rp2"},
		},
		{
			name:    "of a port",
			mapping: map[string][]string{"device_profile_0": {"no"}, "device_profile_0port": {"rp1"}, "device_profile_1port": {"rp2"}},
			owner:   "port",
			want:    map[string]string{"a": "rp1", "b": "rp1", "c": "rp2"},
		},
		{
			name:    "group without provider",
			mapping: map[string][]string{"device_profile_0": {"rp1"}},
			err:     "match ARQ c: no single provider: request group device_profile_1 has 0 providers in the mapping",
		},
		{
			name:    "group with two providers",
			mapping: map[string][]string{"device_profile_0": {"rp1", "rp2"}, "device_profile_1": {"rp2"}},
			err:     "match ARQ a: no single provider: request group device_profile_0 has 2 providers in the mapping",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := cyborgclient.Match(arqs, tt.mapping, tt.owner)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.ErrorIs(t, err, cyborgclient.ErrNoProvider)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestMatchProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		owner := rapid.SampledFrom([]string{"", "port-1"}).Draw(t, "owner")
		groups := rapid.SliceOfN(rapid.StringMatching(`rp[0-9]`), 1, 5).Draw(t, "providers")
		mapping := map[string][]string{"": {"root"}}
		for i, rp := range groups {
			mapping[requestspec.RequesterID(i, owner)] = []string{rp}
		}
		var arqs []cyborgclient.ARQ
		for i, group := range rapid.SliceOf(rapid.IntRange(0, len(groups)-1)).Draw(t, "arqs") {
			arqs = append(arqs, cyborgclient.ARQ{UUID: string(rune('a' + i)), DeviceProfileGroupID: group})
		}
		got, err := cyborgclient.Match(arqs, mapping, owner)
		require.NoError(t, err)
		assert.Len(t, got, len(arqs))
		for _, arq := range arqs {
			assert.Equal(t, groups[arq.DeviceProfileGroupID], got[arq.UUID])
		}
	})
}
