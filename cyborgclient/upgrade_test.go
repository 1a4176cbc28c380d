package cyborgclient_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
)

// A client outlives an upgrade of its Cyborg, and a downgrade: after at most one
// call it knows what the new one can do and in which form it is asked.
func TestUpgradeUnderALivingClient(t *testing.T) {
	t.Parallel()
	series := []string{"train", "victoria", "2023.2", "2025.1", "2026.2"}
	releases := make(map[string]fakecyborg.Release)
	for _, release := range fakecyborg.Releases() {
		releases[strings.ToLower(release.Series)] = release
	}
	for _, before := range series {
		for _, after := range series {
			t.Run(before+" to "+after, func(t *testing.T) {
				t.Parallel()
				var current atomic.Pointer[http.RoundTripper]
				start := func(series string) {
					require.Contains(t, releases, series)
					server, err := fakecyborg.New(fakecyborg.WithRelease(releases[series]), fakecyborg.WithSeedYAML("seed", []byte(suiteSeed)))
					require.NoError(t, err)
					t.Cleanup(server.Close)
					transport := server.Transport()
					current.Store(&transport)
				}
				client, err := cyborgclient.New(t.Context(), cyborgclient.WithEndpoint("http://cyborg.localhost"),
					cyborgclient.WithTransport(roundTripFunc(func(r *http.Request) (*http.Response, error) { return (*current.Load()).RoundTrip(r) })))
				require.NoError(t, err)
				start(before)
				first, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
				checkStatus(t, before, first, err)
				start(after)
				_, err = client.Devices(t.Context(), cyborgclient.DeviceFilter{})
				if after != "train" {
					require.NoError(t, err)
				}
				second, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
				if before == "train" || after != "train" { // Train says of nothing which version it is
					checkStatus(t, after, second, err)
				}
			})
		}
	}
}

func checkStatus(t *testing.T, series string, devices []cyborgclient.Device, err error) {
	t.Helper()
	if series == "train" {
		require.ErrorIs(t, err, cyborgclient.ErrVersion)
		return
	}
	require.NoError(t, err)
	require.NotEmpty(t, devices)
	assert.Equal(t, series >= "2023.2" && series < "a", devices[0].Status == cyborgclient.DeviceEnabled, series)
}

// Behind one address two sorts of servers answer by turns, as in a rolling
// upgrade: each answer is at the version that was asked for.
func TestServersOfBothSorts(t *testing.T) {
	t.Parallel()
	standardOnly := func(asked string) string {
		if strings.Contains(asked, " ") {
			return asked
		}
		return "accelerator 2.0"
	}
	form := atomic.Pointer[func(string) string]{}
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) { release{v2Document, *form.Load()}.ServeHTTP(w, r) })
	asked := 1 // the version document
	for _, next := range []func(string) string{bareOnly, standardOnly, standardOnly, bareOnly, bareOnly, standard} {
		changed := form.Load() != nil
		form.Store(&next)
		devices, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
		require.NoError(t, err)
		assert.Equal(t, cyborgclient.DeviceEnabled, devices[0].Status)
		assert.LessOrEqual(t, len(server.sent)-asked, 2, "%v", changed)
		asked = len(server.sent)
	}
}

// What is no version document is not taken for one, and not kept.
func TestStrangeVersionDocuments(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		``, `{}`, `null`, `[]`, `"x"`, `<html>`, `{"versions": []}`, `{"versions": [null]}`, `{"versions": null}`,
		`{"id": "v2.0", "max_version": "two", "min_version": "2.0"}`, `{"id": "v2.0", "max_version": "2.99999999999999999999", "min_version": "2.0"}`,
		`{"id": "v2.0", "max_version": 2.3, "min_version": "2.0"}`, `{"id": "v2.0", "max_version": "2.3"}`,
	} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			first := true
			client, _ := newClient(t, func(w http.ResponseWriter, r *http.Request) {
				if first {
					first = false
					_, _ = io.WriteString(w, document)
					return
				}
				respond(http.StatusOK, v2Document)(w, r)
			})
			_, err := client.Versions(t.Context())
			require.ErrorIs(t, err, cyborgclient.ErrInvalidAnswer)
			versions, err := client.Versions(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "2.3", versions.Max.String())
		})
	}
}

// A version that is preferred is not demanded (fleeting-plugin-openstack 27,
// gophercloud 2791): at 2.1 a profile's name is looked for in the list, at no
// version that the server does not have. What cannot do without its version is
// refused before it is sent.
func TestPreferredVersionsAreNotDemanded(t *testing.T) {
	t.Parallel()
	const upTo = `{"id": "v2.0", "max_version": "2.%", "min_version": "2.0"}`
	client, server := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/accelerator/v2/" {
			respond(http.StatusOK, strings.Replace(upTo, "%", "1", 1))(w, r)
			return
		}
		respond(http.StatusOK, `{"device_profiles": [{"uuid": "`+arq1+`", "name": "p"}], "devices": []}`)(w, r)
	})
	require.NoError(t, only(client.DeviceProfile(t.Context(), "p")))
	require.NoError(t, only(client.Devices(t.Context(), cyborgclient.DeviceFilter{})))
	assert.Equal(t, []string{"", "", ""}, askedVersions(server))

	client, server = newClient(t, respond(http.StatusOK, strings.Replace(upTo, "%", "0", 1)))
	err := client.Bind(t.Context(), []cyborgclient.Binding{{ARQ: arq1, Hostname: "cn1", DeviceRP: provider, Instance: instance, Project: project}})
	require.ErrorIs(t, err, cyborgclient.ErrVersion)
	assert.Equal(t, []string{"GET /accelerator/v2/"}, server.lines())
}

// What has ended needs no waiting (Launchpad nova 1901707, 1815989): ARQs that
// are Bound already, or BindFailed, come with the first question, and 423 is
// the only answer to wait after.
func TestWhatHasEndedIsToldAtOnce(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, respond(http.StatusOK, `{"arqs": [{"uuid": "`+arq1+`", "state": "Bound"}, {"uuid": "`+arq2+`", "state": "BindFailed"}]}`))
	arqs, err := client.ARQs(t.Context(), cyborgclient.ARQFilter{Instance: instance, Resolved: true})
	require.NoError(t, err)
	require.Len(t, arqs, 2)
	assert.Equal(t, arq2, arqs[1].UUID)
	assert.Len(t, server.sent, 1)
	client, server = newClient(t, respond(http.StatusLocked, `{"error_message": "null"}`))
	require.ErrorIs(t, only(client.ARQs(t.Context(), cyborgclient.ARQFilter{Instance: instance, Resolved: true})), cyborgclient.ErrNotResolved)
	assert.Len(t, server.sent, 1)
}

// Many calls at once find out together which form the server understands, and
// none of them asks twice in the same one.
func TestManyLearnTheForm(t *testing.T) {
	t.Parallel()
	client, server := newClient(t, release{v2Document, bareOnly}.ServeHTTP)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			devices, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
			if assert.NoError(t, err) {
				assert.Equal(t, cyborgclient.DeviceEnabled, devices[0].Status)
			}
		})
	}
	wg.Wait()
	bare, documents := 0, 0
	for _, asked := range askedVersions(server) {
		switch asked {
		case "2.3":
			bare++
		case "":
			documents++
		}
	}
	assert.Equal(t, 50, bare)
	assert.Equal(t, 1, documents, "the version document is read once")
}
