package cyborgclient_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// only drops the result of a call that has one.
func only[T any](_ T, err error) error { return err }

// The requests of the operations that Nova does not use, to the byte.
func TestMoreRequests(t *testing.T) {
	t.Parallel()
	const base = "/accelerator/v2/"
	const object = `{"uuid": "` + arq1 + `", "device_id": 1, "deployable_id": 1, "num_accelerators": 1}`
	tests := []struct {
		name    string
		call    func(context.Context, *cyborgclient.Client) error
		status  int // 200 when 0
		answer  string
		want    string // the last request
		version string
	}{
		{
			name:   "profile by uuid",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return only(c.DeviceProfile(ctx, arq1)) },
			answer: `{"device_profile": {"uuid": "` + arq1 + `", "name": "p"}}`, want: "GET " + base + "device_profiles/" + arq1,
		},
		{
			name:   "profile by name",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return only(c.DeviceProfile(ctx, "a b&c")) },
			answer: `{"device_profile": {"uuid": "` + arq1 + `", "name": "a b&c"}}`, want: "GET " + base + "device_profiles/a%20b&c", version: "accelerator 2.2",
		},
		{
			name: "devices, all filters",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Devices(ctx, cyborgclient.DeviceFilter{Type: "FPGA", Vendor: "0x8086&", Hostname: "cn 1"}))
			},
			answer: `{"devices": []}`, want: "GET " + base + "devices?type=FPGA&vendor=0x8086%26&hostname=cn+1", version: "accelerator 2.3",
		},
		{
			name: "devices, one filter",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Devices(ctx, cyborgclient.DeviceFilter{Hostname: "cn1"}))
			},
			answer: `{"devices": []}`, want: "GET " + base + "devices?hostname=cn1", version: "accelerator 2.3",
		},
		{
			name:   "device",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return only(c.Device(ctx, arq1)) },
			answer: object, want: "GET " + base + "devices/" + arq1, version: "accelerator 2.3",
		},
		{
			name:   "enable",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.EnableDevice(ctx, arq1) },
			status: 204, want: "POST " + base + "devices/" + arq1 + "/enable",
		},
		{
			name:   "disable",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.DisableDevice(ctx, arq1) },
			status: 204, want: "POST " + base + "devices/" + arq1 + "/disable",
		},
		{
			name: "deployables by name",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Deployables(ctx, cyborgclient.DeployableFilter{Name: "cn1 x"}))
			},
			answer: `{"deployables": []}`, want: "GET " + base + "deployables?filters.field=name&filters.value=cn1+x",
		},
		{
			name:   "deployable",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return only(c.Deployable(ctx, arq1)) },
			answer: object, want: "GET " + base + "deployables/" + arq1,
		},
		{
			name: "program",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.ProgramDeployable(ctx, arq1, arq2))
			},
			answer: object, want: "PATCH " + base + "deployables/" + arq1 + `/program [{"path":"/bitstream_id","op":"replace","value":[{"image_uuid":"` + arq2 + `"}]}]`,
		},
		{
			name: "attributes",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Attributes(ctx, cyborgclient.AttributeFilter{}))
			},
			answer: `{"attributes": []}`, want: "GET " + base + "attributes",
		},
		{
			name: "attributes, filtered",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.Attributes(ctx, cyborgclient.AttributeFilter{DeployableID: 3, Key: "rc"}))
			},
			answer: `{"attributes": []}`, want: "GET " + base + "attributes?deployable_id=3&key=rc",
		},
		{
			name:   "attribute",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return only(c.Attribute(ctx, arq1)) },
			answer: object, want: "GET " + base + "attributes/" + arq1,
		},
		{
			name: "create an attribute",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.CreateAttribute(ctx, 1, "k", ""))
			},
			status: 201, answer: object, want: "POST " + base + `attributes {"deployable_id":1,"key":"k","value":""}`,
		},
		{
			name:   "delete an attribute",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteAttribute(ctx, arq1) },
			status: 204, want: "DELETE " + base + "attributes/" + arq1,
		},
		{
			name: "resolved ARQs",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return only(c.ARQs(ctx, cyborgclient.ARQFilter{Instance: instance, Resolved: true}))
			},
			answer: `{"arqs": []}`, want: "GET " + base + "accelerator_requests?instance=" + instance + "&bind_state=resolved",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == base {
					respond(http.StatusOK, v2Document)(w, r)
					return
				}
				respond(max(tt.status, http.StatusOK), tt.answer)(w, r)
			})
			require.NoError(t, tt.call(t.Context(), client))
			lines := server.lines()
			assert.Equal(t, tt.want, lines[len(lines)-1])
			assert.Equal(t, tt.version, server.sent[len(lines)-1].Header.Get("OpenStack-API-Version"))
		})
	}
}

// What the service answers with 500, or takes for something else, is not sent.
func TestMoreBadArgumentsAreNotSent(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusInternalServerError, ""))
	ctx := t.Context()
	for name, err := range map[string]error{
		"get device profile a,b: ":              only(client.DeviceProfile(ctx, "a,b")),
		"get device profile : ":                 only(client.DeviceProfile(ctx, "")),
		"get device x: ":                        only(client.Device(ctx, "x")),
		"enable device ../x: ":                  client.EnableDevice(ctx, "../x"),
		"disable device : ":                     client.DisableDevice(ctx, ""),
		"get deployable x: ":                    only(client.Deployable(ctx, "x")),
		"program deployable x: ":                only(client.ProgramDeployable(ctx, "x", arq1)),
		"program deployable " + arq1 + ": ":     only(client.ProgramDeployable(ctx, arq1, "x")),
		"list attributes: ":                     only(client.Attributes(ctx, cyborgclient.AttributeFilter{DeployableID: -1})),
		"get attribute x: ":                     only(client.Attribute(ctx, "x")),
		"create attribute k of deployable 0: ":  only(client.CreateAttribute(ctx, 0, "k", "v")),
		"create attribute  of deployable 1: ":   only(client.CreateAttribute(ctx, 1, "", "v")),
		"delete attribute x: ":                  client.DeleteAttribute(ctx, "x"),
		"list resolved ARQs of instance x: inv": only(client.ARQs(ctx, cyborgclient.ARQFilter{Instance: "x", Resolved: true})),
	} {
		require.ErrorIs(t, err, cyborgclient.ErrInvalid, name)
		assert.True(t, strings.HasPrefix(err.Error(), name), "%v", err)
	}
	assert.Empty(t, server.sent)
}

// A profile is found at every microversion, in every shape and by every role.
func TestDeviceProfile(t *testing.T) {
	t.Parallel()
	const (
		bare    = `{"uuid": "` + arq1 + `", "name": "p", "created_at": "2026-01-02 03:04:05+00:00", "updated_at": "None"}`
		wrapped = `{"device_profile": ` + bare + `}`
		list    = `{"device_profiles": [` + bare + `]}`
		show    = "GET /accelerator/v2/device_profiles/"
		listing = "GET /accelerator/v2/device_profiles"
		old     = `{"id": "v2.0", "max_version": "2.1", "min_version": "2.0"}`
	)
	refuse := respond(403, `{"error_message": "{\"faultstring\": \"Access was denied\"}"}`)
	unknown := respond(404, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"Device Profile not found\"}"}`)
	tests := []struct {
		name     string
		lookup   string
		document string
		show     http.HandlerFunc
		list     string
		want     []string // without the version document
		kind     error
	}{
		{name: "uuid, wrapped", lookup: arq1, show: respond(200, wrapped), want: []string{show + arq1}},
		{name: "uuid, bare", lookup: arq1, show: respond(200, bare), want: []string{show + arq1}},
		{name: "uuid, a list", lookup: arq1, show: respond(200, list), want: []string{show + arq1}},
		{name: "uuid, admins only", lookup: arq1, show: refuse, list: list, want: []string{show + arq1, listing}},
		{name: "uuid, admins only, not there", lookup: arq2, show: refuse, list: list, want: []string{show + arq2, listing}, kind: cyborgclient.ErrNotFound},
		{name: "uuid, unknown", lookup: arq1, show: unknown, want: []string{show + arq1}, kind: cyborgclient.ErrNotFound},
		{name: "name", lookup: "p", document: v2Document, show: respond(200, wrapped), want: []string{show + "p"}},
		{name: "name, below 2.2", lookup: "p", document: old, list: list, want: []string{listing + "?name=p"}},
		{name: "name, admins only", lookup: "p", document: v2Document, show: refuse, list: list, want: []string{show + "p", listing + "?name=p"}},
		{name: "name, version ignored", lookup: "p", document: v2Document, show: respond(406, ""), list: list, want: []string{show + "p", listing + "?name=p"}},
		{name: "name, in another case", lookup: "P", document: v2Document, show: respond(200, wrapped), want: []string{show + "P"}, kind: cyborgclient.ErrNotFound},
		{name: "name, unknown", lookup: "p", document: v2Document, show: unknown, want: []string{show + "p"}, kind: cyborgclient.ErrNotFound},
		{name: "no version document", lookup: "p", document: "x", kind: cyborgclient.ErrInvalidAnswer},
		{name: "no profile in it", lookup: arq1, show: respond(200, `{}`), want: []string{show + arq1}, kind: cyborgclient.ErrInvalidAnswer},
		{name: "no JSON", lookup: arq1, show: respond(200, `<html>`), want: []string{show + arq1}, kind: cyborgclient.ErrInvalidAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/accelerator/v2/":
					respond(http.StatusOK, tt.document)(w, r)
				case strings.HasPrefix(r.URL.Path, "/accelerator/v2/device_profiles/"):
					tt.show(w, r)
				default:
					respond(http.StatusOK, tt.list)(w, r)
				}
			})
			profile, err := client.DeviceProfile(t.Context(), tt.lookup)
			lines := server.lines()
			if tt.document != "" {
				assert.Equal(t, "GET /accelerator/v2/", lines[0])
				lines = lines[1:]
			}
			assert.ElementsMatch(t, tt.want, lines)
			if tt.kind != nil {
				require.ErrorIs(t, err, tt.kind)
				require.ErrorContains(t, err, "get device profile "+tt.lookup)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, arq1, profile.UUID)
			assert.Equal(t, 2026, profile.CreatedAt.Year())
			assert.True(t, profile.UpdatedAt.IsZero())
		})
	}
}

// A server of 2024.1 to 2026.1 shows a profile by name to the bare header.
func TestDeviceProfileByNameOfABareServer(t *testing.T) {
	t.Parallel()
	byName, tooOld := recorded(t, "083"), recorded(t, "082")
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch asked := r.Header.Get("OpenStack-API-Version"); {
		case r.URL.Path == "/accelerator/v2/":
			respond(http.StatusOK, v2Document)(w, r)
		case asked == "2.2":
			byName.ServeHTTP(w, r)
		default:
			w.Header().Set("OpenStack-API-Version", "2.0")
			tooOld.ServeHTTP(w, r)
		}
	})
	profile, err := client.DeviceProfile(t.Context(), "cap-one")
	require.NoError(t, err)
	assert.Equal(t, "cap-one", profile.Name)
	assert.Len(t, server.sent, 3)
}

// What the real service answered.
func TestRecordedAttributesAndActions(t *testing.T) {
	t.Parallel()
	client, _ := newClient(t, recorded(t, "115").ServeHTTP)
	attributes, err := client.Attributes(t.Context(), cyborgclient.AttributeFilter{})
	require.NoError(t, err)
	require.NotEmpty(t, attributes)
	assert.Equal(t, "traits1", attributes[0].Key)
	assert.Equal(t, "CUSTOM_FAKE_DEVICE", attributes[0].Value)
	assert.Equal(t, 1, attributes[0].DeployableID)

	client, _ = newClient(t, recorded(t, "119").ServeHTTP)
	created, err := client.CreateAttribute(t.Context(), 1, "capture", "yes")
	require.NoError(t, err)
	assert.Equal(t, "capture", created.Key)

	client, _ = newClient(t, recorded(t, "126").ServeHTTP)
	require.ErrorIs(t, client.DisableDevice(t.Context(), arq1), cyborgclient.ErrForbidden)
	client, _ = newClient(t, recorded(t, "130").ServeHTTP)
	require.ErrorContains(t, only(client.ProgramDeployable(t.Context(), arq1, arq2)), "program deployable "+arq1+": 500 ")
	client, _ = newClient(t, recorded(t, "216").ServeHTTP)
	require.ErrorIs(t, only(client.ARQs(t.Context(), cyborgclient.ARQFilter{Instance: instance, Resolved: true})), cyborgclient.ErrNotResolved)
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"001", "003"} {
		client, server := newClient(t, recorded(t, number).ServeHTTP)
		for range 2 {
			versions, err := client.Versions(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "2.0 2.3", versions.Min.String()+" "+versions.Max.String())
			assert.True(t, versions.Supports(cyborgclient.Microversion{Major: 2, Minor: 2}))
		}
		assert.Len(t, server.sent, 1)
	}
}
