package fakecyborg_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// The token of the fuzzed server, and an accelerator request of each kind that it
// has.
const (
	fuzzToken   = "admin-token"
	fuzzInitial = "cccccccc-0000-4000-8000-00000000000c"
	fuzzBound   = "dddddddd-0000-4000-8000-00000000000d"
)

// fuzzedServer has the release with that number, counted round, and demands a
// token.
func fuzzedServer(t *testing.T, number uint8) *fakecyborg.Server {
	t.Helper()
	releases := fakecyborg.Releases()
	seed := twoHosts()
	seed.ARQs = []fakecyborg.ARQ{
		{UUID: fuzzInitial, DeviceProfile: "one-fpga"},
		{UUID: fuzzBound, DeviceProfile: "one-fpga", State: "Bound", Hostname: "rack1", DeviceRP: driver.ProviderUUID(fpgaName), Instance: instanceA},
	}
	server, err := fakecyborg.New(
		fakecyborg.WithSeed(seed), fakecyborg.WithRelease(releases[int(number)%len(releases)]),
		fakecyborg.WithTokensYAML("t.yaml", []byte("tokens: [{token: "+fuzzToken+", user: u, project: 0123456789abcdef0123456789abcdef, roles: [admin, service]}]")),
	)
	require.NoError(t, err)
	return server
}

// FuzzServer sends anything anywhere, to any release: the server never crashes and
// never leaves its dialect.
func FuzzServer(f *testing.F) {
	for i, seed := range [][4]string{
		{"GET", "/v2/device_profiles?name=one-fpga", "", ""},
		{"POST", "/v2/device_profiles", `[{"name": "f", "groups": [{"resources:FPGA": 1, "accel:x": null}]}]`, "application/json"},
		{"POST", "/v2/accelerator_requests", `{"device_profile_name": "three-fpga"}`, "application/json"},
		{"PATCH", "/v2/accelerator_requests", `{"a": [{"op": "add", "path": "/hostname", "value": [1]}, null]}`, "application/json"},
		{"PATCH", "/v2/accelerator_requests", bindBody(binding{fuzzInitial, "rack1", driver.ProviderUUID(fpgaName), instanceB}), "application/json"},
		{"PATCH", "/v2/accelerator_requests", unbindBody(fuzzBound), "application/json"},
		{"GET", "/v2/accelerator_requests/" + fuzzBound, "", ""},
		{"DELETE", "/v2/accelerator_requests?arqs=" + fuzzInitial, "", ""},
		{"GET", "/v2/accelerator_requests?bind_state=resolved&instance=" + instanceA, "", ""},
		{"PATCH", "/v2/deployables/aaaaaaaa-0000-4000-8000-000000000001/program", `[{"path": "/p", "op": "add", "value": [{"image_uuid": 1}]}]`, "text/javascript"},
		{"POST", "/v2/attributes", `{"deployable_id": 1e3, "key": true, "value": -0}`, "application/json"},
		{"DELETE", "/accelerator/v2/accelerator_requests/a,b?instance=", "", ""},
		{"HEAD", "/", "\xff", "x/y"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], "accelerator 2.3", "*/*", fuzzToken, uint8(len(fakecyborg.Releases())-1))
		f.Add(seed[0], seed[1], seed[2], seed[3], "accelerator 2.0", "*/*", fuzzToken, uint8(i))
	}
	f.Add("GET", "/v2/accelerator_requests", "", "", "accelerator 2.0", "*/*", "", uint8(0))
	f.Fuzz(func(t *testing.T, method, path, body, contentType, version, accept, token string, release uint8) {
		target, err := url.Parse("http://fake.invalid")
		require.NoError(t, err)
		target.Path, target.RawQuery, _ = strings.Cut("/"+path, "?")
		if strings.HasPrefix(target.Path, "/_fake/") {
			return
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://fake.invalid", strings.NewReader(body))
		request.Method, request.URL = method, target
		request.Header["Content-Type"] = []string{contentType}
		request.Header["Openstack-Api-Version"] = []string{version}
		request.Header["Accept"] = []string{accept}
		request.Header["X-Auth-Token"] = []string{token}
		answer := httptest.NewRecorder()
		fuzzedServer(t, release).ServeHTTP(answer, request)
		checkDialect(t, answer)
	})
}

// TestFuzzedServer shows that the fuzzing reaches what lies behind the token, in
// every release that has it.
func TestFuzzedServer(t *testing.T) {
	t.Parallel()
	for i, release := range fakecyborg.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			c := clientOf(fuzzedServer(t, uint8(i)))
			assert.Equal(t, 401, c.call(t, "GET", "/v2/accelerator_requests", "").status)
			assert.Len(t, c.call(t, "GET", "/v2/accelerator_requests", "", "X-Auth-Token", fuzzToken).arqs(t), 2)
			assert.Equal(t, "Bound", c.call(t, "GET", "/v2/accelerator_requests/"+fuzzBound, "", "X-Auth-Token", fuzzToken).arq(t).State)
		})
	}
}

// checkDialect checks what holds for every answer.
func checkDialect(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	body := answer.Body.Bytes()
	if answer.Code == http.StatusAccepted || answer.Code == http.StatusNoContent {
		assert.Empty(t, body)
		return
	}
	for _, b := range body {
		require.Less(t, b, byte(0x80), "python sends ASCII")
	}
	require.True(t, json.Valid(body), "%s", body)
	if answer.Code < 400 {
		return
	}
	if answer.Code == http.StatusUnauthorized { // the middleware of Keystone answers
		var refusal map[string]map[string]any
		require.NoError(t, json.Unmarshal(body, &refusal))
		require.Contains(t, refusal, "error")
		return
	}
	var wrapper map[string]string
	require.NoError(t, json.Unmarshal(body, &wrapper))
	require.Len(t, wrapper, 1)
	require.Contains(t, wrapper, "error_message")
	require.Contains(t, []int{400, 403, 404, 405, 406, 409, 413, 415, 423, 500}, answer.Code)
}

// FuzzSeed reads any text as a seed: an error has a place, and what is taken
// makes a server that answers.
func FuzzSeed(f *testing.F) {
	f.Add("hosts:\n  - name: h\n    compute_node: {vcpus: 1, memory_mb: 1, disk_gb: 1}\n    devices: [{driver: fpga, address: '0000:3b:00.0', vfs: 3}]\n")
	f.Add("device_profiles:\n  - name: p\n    groups: [{'resources:FPGA': 1, 'trait:CUSTOM_A': required}]\n")
	f.Add("hosts: &a [*a]\n")
	f.Add("? [a]\n: b\n")
	f.Add("<<: {hosts: []}")
	f.Fuzz(func(t *testing.T, seed string) {
		server, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(seed)))
		if err != nil {
			assert.Regexp(t, `^s\.yaml:[1-9][0-9]*: `, err.Error())
			return
		}
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/deployables", http.NoBody))
		assert.Equal(t, http.StatusOK, answer.Code)
		checkDialect(t, answer)
	})
}
