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
)

// FuzzServer sends anything anywhere: the server never crashes and never leaves
// its dialect.
func FuzzServer(f *testing.F) {
	for _, seed := range [][4]string{
		{"GET", "/v2/device_profiles?name=one-fpga", "", ""},
		{"POST", "/v2/device_profiles", `[{"name": "f", "groups": [{"resources:FPGA": 1, "accel:x": null}]}]`, "application/json"},
		{"POST", "/v2/accelerator_requests", `{"device_profile_name": "three-fpga"}`, "application/json"},
		{"PATCH", "/v2/accelerator_requests", `{"a": [{"op": "add", "path": "/hostname", "value": [1]}, null]}`, "application/json"},
		{"PATCH", "/v2/deployables/aaaaaaaa-0000-4000-8000-000000000001/program", `[{"path": "/p", "op": "add", "value": [{"image_uuid": 1}]}]`, "text/javascript"},
		{"POST", "/v2/attributes", `{"deployable_id": 1e3, "key": true, "value": -0}`, "application/json"},
		{"DELETE", "/accelerator/v2/accelerator_requests/a,b?instance=", "", ""},
		{"HEAD", "/", "\xff", "x/y"},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], "accelerator 2.3", "*/*")
	}
	f.Fuzz(func(t *testing.T, method, path, body, contentType, version, accept string) {
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
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()))
		require.NoError(t, err)
		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, request)
		checkDialect(t, answer)
	})
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
	var wrapper map[string]string
	require.NoError(t, json.Unmarshal(body, &wrapper))
	require.Len(t, wrapper, 1)
	require.Contains(t, wrapper, "error_message")
	require.Contains(t, []int{400, 404, 405, 406, 409, 413, 415, 423, 500}, answer.Code)
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
