package cyborgclient_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestDeviceProfileByName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		lookup string
		body   string
		kind   error
		sent   int
	}{
		{name: "one", lookup: "p", body: `{"device_profiles": [{"uuid": "` + arq1 + `", "name": "p"}]}`, sent: 1},
		{name: "none", lookup: "p", body: `{"device_profiles": []}`, kind: cyborgclient.ErrNotFound, sent: 1},
		{name: "two", lookup: "p", body: `{"device_profiles": [{"uuid": "` + arq1 + `", "name": "p"}, {"uuid": "` + arq2 + `", "name": "p"}]}`, kind: cyborgclient.ErrAmbiguousProfile, sent: 1},
		{name: "one among others", lookup: "p", body: `{"device_profiles": [{"uuid": "` + arq2 + `", "name": "P"}, {"uuid": "` + arq1 + `", "name": "p"}, {"uuid": "` + arq3 + `", "name": "q"}]}`, sent: 1},
		{name: "two names", lookup: "p,q", kind: cyborgclient.ErrInvalid},
		{name: "no name", kind: cyborgclient.ErrInvalid},
		{name: "blank at the end", lookup: "p ", kind: cyborgclient.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, respond(http.StatusOK, tt.body))
			profile, err := client.DeviceProfileByName(t.Context(), tt.lookup)
			assert.Len(t, server.sent, tt.sent)
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
				require.ErrorContains(t, err, "get device profile "+tt.lookup)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, arq1, profile.UUID)
		})
	}
}

// The order of the keys in a group decides for Nova, so it is kept.
func TestGroupOrder(t *testing.T) {
	t.Parallel()
	const body = `{"uuid":"u","name":"p","description":null,"groups":[{"trait:CUSTOM_B":"required","resources:FPGA":"1"},{"resources:A":"2"}],"created_at":null,"updated_at":null}`
	var profile cyborgclient.DeviceProfile
	require.NoError(t, json.Unmarshal([]byte(body), &profile))
	want := []requestspec.ProfileGroup{
		{{Key: "trait:CUSTOM_B", Value: "required"}, {Key: "resources:FPGA", Value: "1"}},
		{{Key: "resources:A", Value: "2"}},
	}
	assert.Empty(t, cmp.Diff(want, profile.Groups))
	profile.Raw = nil
	text, err := json.Marshal(profile)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(body, string(text)), "to the byte")
}

// What the service answers with 500, or stores and chokes on later, is not sent.
func TestBadProfilesAreNotSent(t *testing.T) {
	t.Parallel()
	group := func(key string, value any) []requestspec.ProfileGroup {
		return []requestspec.ProfileGroup{{{Key: "resources:FPGA", Value: "1"}}, {{Key: key, Value: value}}}
	}
	good := group("resources:CUSTOM_X", "1")
	tests := []struct {
		name   string
		create cyborgclient.DeviceProfileCreate
		want   string
	}{
		{name: "no name", create: cyborgclient.DeviceProfileCreate{Groups: good}, want: `the name ""`},
		{name: "long name", create: cyborgclient.DeviceProfileCreate{Name: strings.Repeat("x", 256), Groups: good}, want: "must be 1 to 255"},
		{name: "blank in the name", create: cyborgclient.DeviceProfileCreate{Name: "a b", Groups: good}, want: `the name "a b"`},
		{name: "newline at the end", create: cyborgclient.DeviceProfileCreate{Name: "a\n", Groups: good}, want: `the name "a\n"`},
		{name: "no groups", create: cyborgclient.DeviceProfileCreate{Name: "p"}, want: "there are no groups"},
		{name: "empty group", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: []requestspec.ProfileGroup{{}}}, want: "group 0: it is empty"},
		{name: "key", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resource:FPGA", "1")}, want: `group 1: key "resource:FPGA": it must begin with`},
		{name: "numbered key", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resources1:FPGA", "1")}, want: `key "resources1:FPGA"`},
		{name: "class", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resources:VCPU", "1")}, want: "resource class"},
		{name: "amount", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resources:FPGA", "one")}, want: `the amount "one"`},
		{name: "fraction", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resources:FPGA", json.Number("1.5"))}, want: `the amount "1.5"`},
		{name: "negative amount", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("resources:FPGA", "-1")}, want: `the amount "-1"`},
		{name: "trait", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("trait:HW_GPU", "required")}, want: "must begin with CUSTOM_"},
		{name: "trait value", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("trait:CUSTOM_X", "wanted")}, want: "required or forbidden"},
		{name: "name like a uuid", create: cyborgclient.DeviceProfileCreate{Name: arq1, Groups: good}, want: "looks like a uuid"},
		{name: "name like a uuid with dashes elsewhere", create: cyborgclient.DeviceProfileCreate{Name: "0b5ee373a009-4b26-8f62-bbbfa5af3d-1b", Groups: good}, want: "looks like a uuid"},
		{name: "key twice", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: []requestspec.ProfileGroup{append(good[0], good[0]...)}}, want: `group 0: key "resources:FPGA": it stands there twice`},
		{name: "key twice but for a blank", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: []requestspec.ProfileGroup{{{Key: "resources:FPGA", Value: "1"}, {Key: "resources: FPGA", Value: "1"}}}}, want: `key "resources: FPGA": it stands there twice`},
		{name: "Xilinx without FPGA", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: []requestspec.ProfileGroup{{{Key: "resources:CUSTOM_X", Value: "1"}, {Key: "trait:CUSTOM_FPGA_XILINX", Value: "required"}}}}, want: "has no resources:FPGA"},
		{name: "null", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("accel:x", nil)}, want: "must be a string or a number"},
		{name: "object", create: cyborgclient.DeviceProfileCreate{Name: "p", Groups: group("accel:x", map[string]any{})}, want: "must be a string or a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, respond(http.StatusInternalServerError, ""))
			_, err := client.CreateDeviceProfile(t.Context(), tt.create)
			require.ErrorIs(t, err, cyborgclient.ErrInvalid)
			require.ErrorContains(t, err, tt.want)
			assert.Empty(t, server.sent)
		})
	}
}

func TestGoodProfilesAreSent(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, recorded(t, "043").ServeHTTP)
	profile, err := client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{Name: "cap-one", Groups: []requestspec.ProfileGroup{{
		{Key: "resources: FPGA", Value: json.Number("1")},
		{Key: "resources:CUSTOM_X", Value: 2},
		{Key: "trait: CUSTOM_FAKE_DEVICE", Value: "forbidden"},
		{Key: "accel:bitstream_id", Value: "b"},
	}}})
	require.NoError(t, err)
	assert.Equal(t, "cap-one", profile.Name)
	assert.Contains(t, server.sent[0].Body, `"resources: FPGA":1,"resources:CUSTOM_X":2`)
}

func TestDeleteDeviceProfile(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			respond(http.StatusOK, `{"device_profiles": [{"uuid": "`+arq2+`", "name": "CAP-ONE"}, {"uuid": "`+arq1+`", "name": "cap-one"}]}`)(w, r)
			return
		}
		recorded(t, "154").ServeHTTP(w, r)
	})
	require.ErrorIs(t, client.DeleteDeviceProfile(t.Context(), "cap-one"), cyborgclient.ErrInUse)
	assert.Equal(t, []string{"GET /accelerator/v2/device_profiles?name=cap-one", "DELETE /accelerator/v2/device_profiles/" + arq1}, server.lines())
	require.ErrorIs(t, client.DeleteDeviceProfile(t.Context(), "Cap-One"), cyborgclient.ErrNotFound)
	for _, name := range []string{"", "a,b", "a/b", "a ", "cap-one.json", "..", "a%2Cb"} {
		require.ErrorIs(t, client.DeleteDeviceProfile(t.Context(), name), cyborgclient.ErrInvalid, name)
	}
}
