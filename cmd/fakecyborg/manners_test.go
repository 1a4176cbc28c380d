package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frontOf serves what the flags ask for.
func frontOf(t *testing.T, args ...string) string {
	t.Helper()
	s, err := parseFlags(args, nil, io.Discard)
	require.NoError(t, err)
	pieces, err := gather(t.Context(), s, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	made, err := pieces.assemble()
	require.NoError(t, err)
	t.Cleanup(made.cyborg.Close)
	server := httptest.NewServer(made.handler)
	t.Cleanup(server.Close)
	return server.URL
}

// send returns status, Connection header and body of one answer. A body of unknown
// length is sent in chunks.
func send(t *testing.T, method, url, body string, chunked bool) string {
	t.Helper()
	var reader io.Reader = strings.NewReader(body)
	if chunked {
		reader = io.MultiReader(reader)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, reader)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Auth-Token", "admin")
	request.Header.Set("X-Forwarded-Proto", "https")
	request.Header.Set("X-Forwarded-Host", "outside")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return strconv.Itoa(response.StatusCode) + " " + strconv.FormatBool(response.Close) + " " + string(answer)
}

// Each flag does what its option does, and nothing without it.
func TestManners(t *testing.T) {
	t.Parallel()
	const profile = `[{"name": "new", "groups": [{"resources:FPGA": "1"}]}]`
	for _, test := range []struct {
		name          string
		args, without []string
		method, path  string
		body          string
		chunked       bool
		want          string
	}{
		{name: "connection close", args: []string{"-connection-close"}, method: "GET", path: "/v2/devices", want: "200 true "},
		{name: "no chunked bodies", args: []string{"-no-chunked-bodies"}, method: "POST", path: "/v2/device_profiles", body: profile, chunked: true, want: `400 false {"error_message": "{\"faultcode\": \"Client\", \"faultstring\": \"Missing argument`},
		{name: "proxy headers", args: []string{"-proxy-headers"}, method: "GET", path: "/v2", want: "https://outside/"},
		{name: "public endpoint", args: []string{"-public-endpoint", "https://cloud.example/accel"}, method: "GET", path: "/v2", want: "https://cloud.example/accel"},
		{
			name: "new policies", args: []string{"-new-policies"}, without: []string{"-release", "wallaby", "-auth", "tokens", "-tokens", "recorded"},
			method: "POST", path: "/v2/device_profiles", body: profile, want: "403 false ",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			plain := frontOf(t, test.without...)
			assert.NotContains(t, send(t, test.method, plain+test.path, test.body, test.chunked), test.want)
			changed := frontOf(t, slices.Concat(test.without, test.args)...)
			assert.Contains(t, send(t, test.method, changed+test.path, test.body, test.chunked), test.want)
		})
	}
}

// Runs with one text make the same ids, and other ids with another.
func TestUUIDSeed(t *testing.T) {
	t.Parallel()
	ids := func(args ...string) string {
		url := frontOf(t, append([]string{"-clock", "2026-01-02T03:04:05Z", "-public-endpoint", "http://fake"}, args...)...)
		made := send(t, "POST", url+"/v2/accelerator_requests", `{"device_profile_name": "gpu"}`, false)
		require.Contains(t, made, "201 ")
		return made + send(t, "GET", url+"/v2/devices", "", false)
	}
	first, again, other := ids("-uuid-seed", "a"), ids("-uuid-seed", "a"), ids("-uuid-seed", "b")
	assert.Equal(t, first, again)
	assert.NotEqual(t, first, other)
	random, anew := ids(), ids()
	assert.NotEqual(t, random, anew)
}

// What only events and reports show is what the options get.
func TestEventFormAndCarefulReports(t *testing.T) {
	t.Parallel()
	for name, form := range eventForms {
		m := manners{eventForm: name}
		require.NoError(t, m.resolve(""))
		assert.Equal(t, form, *m.form)
		assert.Len(t, m.options(), 1)
	}
	m := manners{carefulReports: true}
	require.NoError(t, m.resolve(""))
	assert.Nil(t, m.form)
	assert.Len(t, m.options(), 1)
}

// The command for the recorded stack is the same in both texts, and is understood.
func TestRecordedStackCommand(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/fake-auth.md")
	require.NoError(t, err)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "\nfakecyborg -seed recorded ")
	require.True(t, found)
	line, _, _ := strings.Cut(rest, "\n")
	assert.Contains(t, string(source), "\tfakecyborg -seed recorded "+line+"\n")
	s, err := parseFlags(strings.Fields("-seed recorded "+line), nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, "14.1.0", s.plays.Version)
	url := frontOf(t, strings.Fields("-seed recorded "+line)...)
	assert.Contains(t, send(t, "GET", url+"/v2/devices", "", false), `"hostname": "realstack-cn1"`)
}
