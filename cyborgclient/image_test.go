package cyborgclient_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

func fpga(more ...string) requestspec.ProfileGroup {
	group := requestspec.ProfileGroup{{Key: "resources:FPGA", Value: "1"}}
	for i := 0; i+1 < len(more); i += 2 {
		group = append(group, requestspec.Property{Key: more[i], Value: more[i+1]})
	}
	return group
}

func TestApplyImage(t *testing.T) {
	t.Parallel()
	const bitstream, function = "accel:bitstream_id", "accel:function_id"
	gpu := requestspec.ProfileGroup{{Key: "resources:PGPU", Value: "1"}}
	tests := []struct {
		name   string
		groups []requestspec.ProfileGroup
		image  map[string]string
		want   []requestspec.ProfileGroup
		kind   error
		text   string
	}{
		{name: "nothing to say", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{"hw_x": "y"}, want: []requestspec.ProfileGroup{fpga()}},
		{name: "empty values", groups: []requestspec.ProfileGroup{gpu}, image: map[string]string{bitstream: "", function: ""}, want: []requestspec.ProfileGroup{gpu}},
		{name: "bitstream", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{bitstream: arq1}, want: []requestspec.ProfileGroup{fpga(bitstream, arq1)}},
		{name: "function", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{function: "f"}, want: []requestspec.ProfileGroup{fpga(function, "f")}},
		{name: "FPGAs only", groups: []requestspec.ProfileGroup{gpu, fpga(), fpga()}, image: map[string]string{function: "f"}, want: []requestspec.ProfileGroup{gpu, fpga(function, "f"), fpga(function, "f")}},
		{name: "they agree", groups: []requestspec.ProfileGroup{fpga(bitstream, arq1)}, image: map[string]string{bitstream: arq1}, want: []requestspec.ProfileGroup{fpga(bitstream, arq1)}},
		{name: "both in the image", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{bitstream: arq1, function: "f"}, kind: cyborgclient.ErrImageConflict, text: "the image has both"},
		{name: "one each", groups: []requestspec.ProfileGroup{fpga(), fpga(function, "f")}, image: map[string]string{bitstream: arq1}, kind: cyborgclient.ErrImageConflict, text: "group 1: "},
		{name: "one each, the other way", groups: []requestspec.ProfileGroup{fpga(bitstream, arq1)}, image: map[string]string{function: "f"}, kind: cyborgclient.ErrImageConflict, text: "it has accel:bitstream_id, the image has accel:function_id"},
		{name: "two bitstreams", groups: []requestspec.ProfileGroup{fpga(bitstream, arq1)}, image: map[string]string{bitstream: arq2}, kind: cyborgclient.ErrImageConflict, text: "the image's is " + arq2},
		{name: "two forms of one uuid", groups: []requestspec.ProfileGroup{fpga(bitstream, arq1)}, image: map[string]string{bitstream: strings.ToUpper(arq1)}, want: []requestspec.ProfileGroup{fpga(bitstream, arq1)}},
		{name: "a uuid is written as Glance does", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{bitstream: strings.ToUpper(arq1)}, want: []requestspec.ProfileGroup{fpga(bitstream, arq1)}},
		{name: "functions differ by case", groups: []requestspec.ProfileGroup{fpga(function, "f")}, image: map[string]string{function: "F"}, kind: cyborgclient.ErrImageConflict, text: "its accel:function_id is f"},
		{name: "both in a group", groups: []requestspec.ProfileGroup{fpga(bitstream, arq1, function, "f")}, image: map[string]string{bitstream: arq1}, kind: cyborgclient.ErrImageConflict, text: "group 0: conflict about what to program: it has both"},
		{name: "both in a group, and the image has none", groups: []requestspec.ProfileGroup{gpu, fpga(bitstream, arq1, function, "f")}, kind: cyborgclient.ErrImageConflict, text: "group 1: "},
		{name: "nothing to program", groups: []requestspec.ProfileGroup{gpu}, image: map[string]string{function: "f"}, kind: cyborgclient.ErrImageConflict, text: "no group asks for an FPGA"},
		{name: "no uuid", groups: []requestspec.ProfileGroup{fpga()}, image: map[string]string{bitstream: "b"}, kind: cyborgclient.ErrInvalid, text: `"b" is no uuid`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tt.groups[0])
			got, err := cyborgclient.ApplyImage(tt.groups, tt.image)
			assert.Empty(t, cmp.Diff(before, tt.groups[0]), "the argument is left alone")
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
				require.ErrorContains(t, err, tt.text)
				return
			}
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(tt.want, got))
		})
	}
}

// Whatever profile and image say: no group of the result has both keys, an
// image's wish is in every group with an FPGA, and applying it again changes
// nothing.
func TestApplyImageProperty(t *testing.T) {
	t.Parallel()
	keys := []string{"accel:bitstream_id", "accel:function_id", "accel:x"}
	rapid.Check(t, func(r *rapid.T) {
		properties := func(label string) map[string]string {
			return rapid.MapOf(rapid.SampledFrom(keys), rapid.SampledFrom([]string{arq1, arq2})).Draw(r, label)
		}
		var groups []requestspec.ProfileGroup
		for range rapid.IntRange(1, 3).Draw(r, "groups") {
			group := requestspec.GroupOf(properties("group"))
			class := rapid.SampledFrom([]string{"FPGA", "PGPU"}).Draw(r, "class")
			groups = append(groups, append(group, requestspec.Property{Key: "resources:" + class, Value: "1"}))
		}
		image := properties("image")
		applied, err := cyborgclient.ApplyImage(groups, image)
		if err != nil {
			require.ErrorIs(r, err, cyborgclient.ErrImageConflict)
			return
		}
		for i, group := range applied {
			for _, key := range keys[:2] {
				if value, ok := image[key]; ok && group[slices.IndexFunc(group, func(p requestspec.Property) bool { return strings.HasPrefix(p.Key, "resources:") })].Key == "resources:FPGA" {
					assert.Contains(r, group, requestspec.Property{Key: key, Value: value})
				}
			}
			assert.Empty(r, cmp.Diff(groups[i], group[:len(groups[i])]))
		}
		again, err := cyborgclient.ApplyImage(applied, image)
		require.NoError(r, err)
		assert.Empty(r, cmp.Diff(applied, again))
	})
}

// profileStore is a Cyborg that keeps profiles.
type profileStore struct {
	mu       sync.Mutex
	profiles []map[string]any
	created  int
	hidden   int // lists that do not show the profiles yet
}

func (s *profileStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		list := append([]map[string]any{}, s.profiles...)
		list = slices.DeleteFunc(list, func(p map[string]any) bool { return p["name"] != r.URL.Query().Get("name") })
		if s.hidden > 0 {
			s.hidden--
			list = []map[string]any{}
		}
		text, _ := json.Marshal(map[string]any{"device_profiles": list})
		respond(http.StatusOK, string(text))(w, r)
		return
	}
	var body []map[string]any
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &body)
	for _, profile := range s.profiles {
		if profile["name"] == body[0]["name"] {
			respond(http.StatusConflict, `{"error_message": "{\"faultstring\": \"exists\"}"}`)(w, r)
			return
		}
	}
	body[0]["uuid"] = arq3
	s.profiles = append(s.profiles, body[0])
	s.created++
	text, _ = json.Marshal(body[0])
	respond(http.StatusCreated, string(text))(w, r)
}

func TestDeviceProfileForImage(t *testing.T) {
	t.Parallel()
	profile := &cyborgclient.DeviceProfile{UUID: arq1, Name: "p", Groups: []requestspec.ProfileGroup{fpga()}}
	image := map[string]string{"accel:bitstream_id": arq2}
	store := new(profileStore)
	client, _ := newClient(t, store.ServeHTTP)

	same, err := client.DeviceProfileForImage(t.Context(), profile, map[string]string{"os_type": "linux"})
	require.NoError(t, err)
	assert.Same(t, profile, same)

	derived, err := client.DeviceProfileForImage(t.Context(), profile, image)
	require.NoError(t, err)
	assert.Regexp(t, `^p-[0-9a-f]{12}$`, derived.Name)
	require.Len(t, derived.Groups, 1)
	assert.ElementsMatch(t, fpga("accel:bitstream_id", arq2), derived.Groups[0])
	again, err := client.DeviceProfileForImage(t.Context(), profile, image)
	require.NoError(t, err)
	assert.Equal(t, derived.UUID, again.UUID)
	assert.Equal(t, 1, store.created)

	store.hidden = 1 // another caller creates it between our look and our create
	again, err = client.DeviceProfileForImage(t.Context(), profile, image)
	require.NoError(t, err)
	assert.Equal(t, derived.Name, again.Name)
	assert.Equal(t, 1, store.created)

	store.profiles[0]["groups"] = []map[string]string{{"resources:FPGA": "2"}}
	_, err = client.DeviceProfileForImage(t.Context(), profile, image)
	require.ErrorIs(t, err, cyborgclient.ErrExists)
	require.ErrorContains(t, err, "has other groups")

	_, err = client.DeviceProfileForImage(t.Context(), profile, map[string]string{"accel:bitstream_id": arq2, "accel:function_id": "f"})
	require.ErrorIs(t, err, cyborgclient.ErrImageConflict)
}

func TestDerivedNameIsNeverTooLong(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, new(profileStore).ServeHTTP)
	profile := &cyborgclient.DeviceProfile{Name: strings.Repeat("x", 255), Groups: []requestspec.ProfileGroup{fpga()}}
	derived, err := client.DeviceProfileForImage(t.Context(), profile, map[string]string{"accel:function_id": "f"})
	require.NoError(t, err)
	assert.Len(t, derived.Name, 255)
}

func TestProfileWithBothKeysIsNotSent(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusInternalServerError, ""))
	_, err := client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
		Name: "p", Groups: []requestspec.ProfileGroup{fpga("accel:bitstream_id", arq1, "accel:function_id", "f")},
	})
	require.ErrorIs(t, err, cyborgclient.ErrInvalid)
	require.ErrorContains(t, err, "group 0: it has both accel:bitstream_id and accel:function_id")
	assert.Empty(t, server.sent)
}
