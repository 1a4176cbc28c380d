package cyborgclient_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/requestspec"
)

// Whatever form a uuid comes in, it is sent in the one that the service stores:
// otherwise it finds nothing and often says nothing.
func TestUUIDsAreSentInOneForm(t *testing.T) {
	t.Parallel()
	type call = func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error
	calls := map[string]call{
		"get ARQ": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.ARQ(ctx, form(arq1)))
		},
		"list ARQs": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.ARQsByInstance(ctx, form(instance)))
		},
		"bind": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.Bind(ctx, []cyborgclient.Binding{
				{ARQ: form(arq1), Hostname: "CN1", DeviceRP: form(provider), Instance: form(instance)},
				{ARQ: arq2, Hostname: "CN1", DeviceRP: provider, Instance: instance},
			})
		},
		"unbind": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.Unbind(ctx, form(arq1), arq1, arq2)
		},
		"delete ARQs": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.DeleteARQs(ctx, form(arq1), arq1, arq2))
		},
		"delete by instance": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.DeleteARQsByInstance(ctx, form(instance))
		},
		"get profile": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.DeviceProfile(ctx, form(arq1)))
		},
		"delete profile": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.DeleteDeviceProfile(ctx, form(arq1))
		},
		"get device": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.Device(ctx, form(arq1)))
		},
		"enable": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.EnableDevice(ctx, form(arq1))
		},
		"get deployable": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.Deployable(ctx, form(arq1)))
		},
		"program": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.ProgramDeployable(ctx, form(arq1), form(arq2)))
		},
		"get attribute": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return only(c.Attribute(ctx, form(arq1)))
		},
		"delete attribute": func(ctx context.Context, c *cyborgclient.Client, form func(string) string) error {
			return c.DeleteAttribute(ctx, form(arq1))
		},
	}
	plain := func(uuid string) string { return uuid }
	forms := map[string]func(string) string{
		"upper case":     strings.ToUpper,
		"without dashes": func(uuid string) string { return strings.ReplaceAll(uuid, "-", "") },
	}
	sent := func(t *testing.T, call call, form func(string) string) []string {
		t.Helper()
		client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/accelerator/v2/":
				respond(http.StatusOK, v2Document)(w, r)
			case r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "/program"):
				respond(http.StatusOK, `{"uuid": "`+arq1+`", "arqs": []}`)(w, r)
			case r.Method == http.MethodPatch:
				respond(http.StatusAccepted, "")(w, r)
			default:
				respond(http.StatusNoContent, "")(w, r)
			}
		})
		require.NoError(t, call(t.Context(), client, form))
		return server.lines()
	}
	for name, call := range calls {
		for formName, form := range forms {
			t.Run(name+", "+formName, func(t *testing.T) {
				t.Parallel()
				assert.Equal(t, sent(t, call, plain), sent(t, call, form))
			})
		}
	}
}

// The same with a service that compares texts: what is named is found.
func TestUUIDFormsReachTheirObjects(t *testing.T) {
	t.Parallel()
	for _, release := range fakecyborg.Releases() {
		for name, form := range map[string]func(string) string{
			"upper case": strings.ToUpper, "without dashes": func(uuid string) string { return strings.ReplaceAll(uuid, "-", "") },
		} {
			t.Run(release.Series+" "+release.Version+" "+name, func(t *testing.T) {
				t.Parallel()
				client := fake(t, release)
				_, err := client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{Name: "p", Groups: oneFPGA})
				require.NoError(t, err)
				arqs, err := client.CreateARQs(t.Context(), "p")
				require.NoError(t, err)
				gone, err := client.DeleteARQs(t.Context(), form(arqs[0].UUID), form(arq1))
				require.NoError(t, err)
				assert.Equal(t, []string{arq1}, gone)
				left, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
				require.NoError(t, err)
				assert.Empty(t, left)
			})
		}
	}
}

var oneFPGA = []requestspec.ProfileGroup{{{Key: "resources:FPGA", Value: "1"}}}

// fake is a client of a Cyborg of that release.
func fake(t *testing.T, release fakecyborg.Release) *cyborgclient.Client {
	t.Helper()
	server, err := fakecyborg.New(fakecyborg.WithRelease(release), fakecyborg.WithSeedYAML("seed", []byte(suiteSeed)))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.localhost"), cyborgclient.WithTransport(server.Transport()))
	require.NoError(t, err)
	return client
}

// A name that only resembles a profile's is not that profile's.
func TestProfilesOfSimilarNames(t *testing.T) {
	t.Parallel()
	for _, release := range fakecyborg.Releases() {
		t.Run(release.Series+" "+release.Version, func(t *testing.T) {
			t.Parallel()
			client := fake(t, release)
			_, err := client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{Name: "gpu", Groups: oneFPGA})
			require.NoError(t, err)
			for _, name := range []string{"gpu.json", "GPU", "..", ".", "gpu ", "gpu%20"} {
				require.Error(t, client.DeleteDeviceProfile(t.Context(), name), name)
				require.Error(t, only(client.DeviceProfile(t.Context(), name)), name)
				require.Error(t, only(client.CreateARQs(t.Context(), name)), name)
			}
			arqs, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{})
			require.NoError(t, err)
			assert.Empty(t, arqs)
			require.NoError(t, only(client.DeviceProfileByName(t.Context(), "gpu")))
			require.NoError(t, client.DeleteDeviceProfile(t.Context(), "gpu"))
		})
	}
}

// ARQs of a profile whose name differs in case are deleted again; ARQs of an
// entirely other one are nobody's that is known, and stay.
func TestARQsOfAnotherProfile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, made string
		undo       int // status
		kind       error
		lines      []string
		text       string
	}{
		{name: "other case", made: "GPU", undo: 204, kind: cyborgclient.ErrNotFound, lines: []string{"DELETE /accelerator/v2/accelerator_requests?arqs=" + arq1}, text: `the service made ARQs of "GPU", which were deleted again`},
		{name: "other case, and they stay", made: "GPU", undo: 500, kind: cyborgclient.ErrInvalidAnswer, lines: []string{"DELETE /accelerator/v2/accelerator_requests?arqs=" + arq1}, text: "they are still there: delete ARQs " + arq1},
		{name: "another name", made: "nic", kind: cyborgclient.ErrInvalidAnswer, text: `ARQ ` + arq1 + ` of device profile "nic"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodDelete {
					respond(tt.undo, "")(w, r)
					return
				}
				respond(http.StatusCreated, fmt.Sprintf(`{"arqs": [{"uuid": %q, "state": "Initial", "device_profile_name": %q}]}`, arq1, tt.made))(w, r)
			})
			defer cancel()
			arqs, err := client.CreateARQs(ctx, "gpu")
			require.ErrorIs(t, err, tt.kind)
			require.ErrorContains(t, err, "create ARQs of device profile gpu: ")
			require.ErrorContains(t, err, tt.text)
			assert.Empty(t, arqs)
			assert.Equal(t, tt.lines, append([]string(nil), server.lines()[1:]...))
		})
	}
}

// The answer to a deletion is lost and the repetition does not find the object:
// it has worked. Without such an attempt it was never there.
func TestLostDeletions(t *testing.T) {
	t.Parallel()
	notFound := respond(http.StatusNotFound, `{"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"not found\"}"}`)
	tests := []struct {
		name  string
		first int // status, 0 for none
		gone  bool
	}{
		{name: "lost", first: 504, gone: true},
		{name: "lost by a gateway", first: 502, gone: true},
		{name: "overloaded", first: 503},
		{name: "never there", first: 404},
	}
	deletions := map[string]func(context.Context, *cyborgclient.Client) error{
		"profile":   func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteDeviceProfile(ctx, arq1) },
		"attribute": func(ctx context.Context, c *cyborgclient.Client) error { return c.DeleteAttribute(ctx, arq1) },
	}
	for _, tt := range tests {
		for name, deletion := range deletions {
			t.Run(name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				first := true
				client, _ := newClient(t, func(w http.ResponseWriter, r *http.Request) {
					if first && tt.first != 404 {
						first = false
						respond(tt.first, "")(w, r)
						return
					}
					notFound(w, r)
				}, cyborgclient.WithRetries(1, 0, 0))
				if err := deletion(t.Context(), client); tt.gone {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, cyborgclient.ErrNotFound)
				}
			})
		}
	}
}
