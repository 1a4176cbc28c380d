package lifecycle

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestRecordSurvivesJSON(t *testing.T) {
	t.Parallel()
	profile, err := snapshot(&cyborgclient.DeviceProfile{
		UUID: "p1", Name: "gpu", Groups: []requestspec.ProfileGroup{{{Key: "resources:PGPU", Value: "1"}, {Key: "accel:x", Value: "y"}}},
	})
	require.NoError(t, err)
	want := Record{
		Version: RecordVersion, Instance: "i1", Hostname: "cn1", Profiles: []ProfileSnapshot{profile},
		Claim: placement.Claim{
			Consumer: placement.Consumer{UUID: "i1", ProjectID: "p", UserID: "u"}, Generation: 1,
			Allocations: map[string]map[string]int64{"rp": {"PGPU": 1}},
		},
		ARQs: []string{"a1"}, PortARQs: map[string]string{"port": "a1"},
	}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got Record
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Empty(t, cmp.Diff(want, got))
}

func TestSnapshotHash(t *testing.T) {
	t.Parallel()
	hash := func(groups ...requestspec.ProfileGroup) string {
		s, err := snapshot(&cyborgclient.DeviceProfile{Groups: groups})
		require.NoError(t, err)
		return s.Hash
	}
	one := requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})
	two := requestspec.GroupOf(map[string]string{"resources:PGPU": "2"})
	again := requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})
	assert.Equal(t, hash(one, two), hash(again, two))
	assert.NotEqual(t, hash(one, two), hash(two, one), "the index of a group is part of its requester id")
	assert.NotEqual(t, hash(one), hash(two))
	assert.Len(t, hash(one), 64)
}

func TestDeleteRefusesAnUnknownRecordVersion(t *testing.T) {
	t.Parallel()
	m, err := New(&placement.Client{}, &cyborgclient.Client{})
	require.NoError(t, err)
	err = m.Delete(t.Context(), Record{Version: 2, Instance: "i1"})
	require.EqualError(t, err, "delete instance i1: the record has version 2, this program knows version 1")
}
