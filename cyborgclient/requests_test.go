package cyborgclient_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

const v2Document = `{"id": "v2.0", "links": [], "max_version": "2.3", "min_version": "2.0", "status": "CURRENT"}`

// Each request that the client sends, to the byte.
func TestRequests(t *testing.T) {
	t.Parallel()
	const base = "/accelerator/v2/"
	groups := []requestspec.ProfileGroup{
		{{Key: "trait:CUSTOM_B", Value: "required"}, {Key: "resources:FPGA", Value: "1"}},
		requestspec.GroupOf(map[string]string{"resources:CUSTOM_A": "2"}),
	}
	tests := []struct {
		name    string
		call    func(context.Context, *cyborgclient.Client) error
		status  int
		answer  string
		want    []string
		version string // of the last request
	}{
		{
			name:   "list profiles",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { _, err := c.DeviceProfiles(ctx); return err },
			answer: `{"device_profiles": []}`,
			want:   []string{"GET " + base + "device_profiles"},
		},
		{
			name: "profile by name",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.DeviceProfileByName(ctx, "a&b")
				return err
			},
			answer: `{"device_profiles": [{"uuid": "` + arq1 + `", "name": "a&b"}]}`,
			want:   []string{"GET " + base + "device_profiles?name=a%26b"},
		},
		{
			name: "create a profile",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: "p", Description: "d", Groups: groups})
				return err
			},
			status: http.StatusCreated, answer: `{"uuid": "` + arq1 + `", "name": "p"}`,
			want: []string{"POST " + base + `device_profiles [{"name":"p","description":"d","groups":[{"trait:CUSTOM_B":"required","resources:FPGA":"1"},{"resources:CUSTOM_A":"2"}]}]`},
		},
		{
			name: "create a profile without description",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: "p", Groups: groups[1:]})
				return err
			},
			status: http.StatusCreated, answer: `{"uuid": "` + arq1 + `", "name": "p"}`,
			want: []string{"POST " + base + `device_profiles [{"name":"p","groups":[{"resources:CUSTOM_A":"2"}]}]`},
		},
		{
			name:   "delete a profile",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteDeviceProfile(ctx, arq1) },
			status: http.StatusNoContent,
			want:   []string{"DELETE " + base + "device_profiles/" + arq1},
		},
		{
			name:   "create ARQs",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { _, err := c.CreateARQs(ctx, "p"); return err },
			status: http.StatusCreated, answer: `{"arqs": [{"uuid": "` + arq1 + `", "device_profile_group_id": 0}]}`,
			want: []string{"POST " + base + `accelerator_requests {"device_profile_name":"p"}`},
		},
		{
			name: "list ARQs",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.ARQs(ctx, cyborgclient.ARQFilter{})
				return err
			},
			answer: `{"arqs": []}`,
			want:   []string{"GET " + base + "accelerator_requests"},
		},
		{
			name: "list ARQs of an instance",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.ARQsByInstance(ctx, instance)
				return err
			},
			answer: `{"arqs": []}`,
			want:   []string{"GET " + base + "accelerator_requests?instance=" + instance},
		},
		{
			name:   "get an ARQ",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { _, err := c.ARQ(ctx, arq1); return err },
			answer: `{"uuid": "` + arq1 + `", "device_profile_group_id": 0}`,
			want:   []string{"GET " + base + "accelerator_requests/" + arq1},
		},
		{
			name: "bind, in the order of the slice",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return c.Bind(ctx, []cyborgclient.Binding{
					{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance},
					{ARQ: arq2, Hostname: "cn1", DeviceRP: provider, Instance: instance},
				})
			},
			status: http.StatusAccepted,
			want: []string{"PATCH " + base + "accelerator_requests " +
				`{"` + arq1 + `":[{"path":"/hostname","op":"add","value":"cn1"},{"path":"/device_rp_uuid","op":"add","value":"` + provider + `"},{"path":"/instance_uuid","op":"add","value":"` + instance + `"}],` +
				`"` + arq2 + `":[{"path":"/hostname","op":"add","value":"cn1"},{"path":"/device_rp_uuid","op":"add","value":"` + provider + `"},{"path":"/instance_uuid","op":"add","value":"` + instance + `"}]}`},
		},
		{
			name: "bind for another project",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				return c.Bind(ctx, []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance, Project: project}})
			},
			status: http.StatusAccepted,
			want: []string{"GET " + base, "PATCH " + base + "accelerator_requests " +
				`{"` + arq1 + `":[{"path":"/hostname","op":"add","value":"cn1"},{"path":"/device_rp_uuid","op":"add","value":"` + provider + `"},{"path":"/instance_uuid","op":"add","value":"` + instance + `"},{"path":"/project_id","op":"add","value":"` + project + `"}]}`},
			version: "accelerator 2.1",
		},
		{
			name:   "unbind",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.Unbind(ctx, arq1) },
			status: http.StatusAccepted,
			want: []string{"PATCH " + base + "accelerator_requests " +
				`{"` + arq1 + `":[{"path":"/hostname","op":"remove"},{"path":"/device_rp_uuid","op":"remove"},{"path":"/instance_uuid","op":"remove"}]}`},
		},
		{
			name: "delete ARQs",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.DeleteARQs(ctx, arq1, arq2, arq1)
				return err
			},
			status: http.StatusNoContent,
			want:   []string{"DELETE " + base + "accelerator_requests?arqs=" + arq1 + "," + arq2},
		},
		{
			name:   "delete ARQs of an instance",
			call:   func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteARQsByInstance(ctx, instance) },
			status: http.StatusNoContent,
			want:   []string{"DELETE " + base + "accelerator_requests?instance=" + instance},
		},
		{
			name: "list devices",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.Devices(ctx, cyborgclient.DeviceFilter{})
				return err
			},
			answer: `{"devices": []}`,
			want:   []string{"GET " + base, "GET " + base + "devices"}, version: "accelerator 2.3",
		},
		{
			name: "list deployables",
			call: func(ctx context.Context, c *cyborgclient.Client) error {
				_, err := c.Deployables(ctx, cyborgclient.DeployableFilter{})
				return err
			},
			answer: `{"deployables": []}`,
			want:   []string{"GET " + base + "deployables"},
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
			}, cyborgclient.WithToken("secret"))
			require.NoError(t, tt.call(t.Context(), client))
			assert.Equal(t, tt.want, server.lines())
			last := server.sent[len(server.sent)-1]
			assert.Equal(t, tt.version, last.Header.Get("OpenStack-API-Version"))
			assert.Equal(t, "application/json", last.Header.Get("Accept"))
			assert.Equal(t, "secret", last.Header.Get("X-Auth-Token"))
			if last.Body != "" {
				assert.Equal(t, "application/json", last.Header.Get("Content-Type"))
			}
		})
	}
}

// Whatever the endpoint looks like, /v2 stands in it once.
func TestEndpointForms(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, endpoint, want string }{
		{name: "bare", endpoint: "http://h:6666", want: "/v2/accelerator_requests"},
		{name: "slash", endpoint: "http://h:6666/", want: "/v2/accelerator_requests"},
		{name: "v2", endpoint: "http://h/v2", want: "/v2/accelerator_requests"},
		{name: "v2 and slash", endpoint: "http://h/v2/", want: "/v2/accelerator_requests"},
		{name: "prefix", endpoint: "http://h/accelerator", want: "/accelerator/v2/accelerator_requests"},
		{name: "prefix and v2", endpoint: "http://h/accelerator/v2", want: "/accelerator/v2/accelerator_requests"},
		{name: "a prefix that only looks like it", endpoint: "http://h/cyborg-v2", want: "/cyborg-v2/v2/accelerator_requests"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &server{handler: respond(http.StatusOK, `{"arqs": []}`)}
			client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint(tt.endpoint), cyborgclient.WithTransport(s))
			require.NoError(t, err)
			_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
			require.NoError(t, err)
			assert.Equal(t, []string{"GET " + tt.want}, s.lines())
		})
	}
}
