package fakecyborg_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// The header names have the spelling of the real server, there is no Date, and
// empty answers tell their length.
func TestHeaderOnTheWire(t *testing.T) {
	t.Parallel()
	server := fakecyborg.Start(t, fakecyborg.WithSeed(twoHosts()))
	arq := clientOf(server).makeARQs(t, "one-fpga")[0]

	listed := rawExchange(t, server, "GET /v2/device_profiles?name=x HTTP/1.1\r\nHost: cyborg.example\r\nConnection: close\r\n\r\n")
	for _, line := range []string{
		"HTTP/1.1 200 OK", "Content-Length: 23", "Content-Type: application/json", "Vary: OpenStack-API-Version",
		"OpenStack-API-Minimum-Version: 2.0", "OpenStack-API-Maximum-Version: 2.3", "OpenStack-API-Version: accelerator 2.0",
	} {
		assert.Contains(t, listed, line+"\r\n")
	}
	assert.Contains(t, listed, "\r\nx-openstack-request-id: req-")
	assert.NotContains(t, listed, "\r\nDate:")

	deleted := rawExchange(t, server, "DELETE /v2/accelerator_requests/"+arq.UUID+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	assert.Contains(t, deleted, "HTTP/1.1 204 No Content\r\n")
	assert.Contains(t, strings.ToLower(deleted), "\r\ncontent-length: 0\r\n")
	assert.NotContains(t, deleted, "Content-Type")
}

func rawExchange(t *testing.T, server *fakecyborg.Server, request string) string {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(server.URL(), "http://"))
	require.NoError(t, err)
	defer connection.Close()
	_, err = io.WriteString(connection, request)
	require.NoError(t, err)
	answer, err := io.ReadAll(bufio.NewReader(connection))
	require.NoError(t, err)
	return string(answer)
}

func TestMounts(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		path   string
		status int
		has    string
	}{
		{"/", 200, `"default_version"`},
		{"", 200, `"default_version"`},
		{"/accelerator", 200, `"default_version"`},
		{"/accelerator/", 200, `"default_version"`},
		{"/v2", 200, `"id": "v2.0"`},
		{"/v2.json", 200, `"id": "v2.0"`},
		{"/accelerator/v2/", 200, `"id": "v2.0"`},
		{"/devices", 200, `"devices"`},
		{"/accelerator/devices", 200, `"devices"`},
		{"/accelerator/v2/devices", 200, `"devices"`},
		{"/v2//devices//", 200, `"devices"`},
		{"/v2/devices.json", 200, `"devices"`},
		{"/v1", 404, "404"},
		{"/v3/devices", 404, "404"},
	} {
		t.Run("path "+test.path, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, "GET", test.path, "", "Accept", "application/json")
			assert.Equal(t, test.status, got.status)
			assert.Contains(t, got.body, test.has)
		})
	}
}

func TestLinksNameTheAskedHost(t *testing.T) {
	t.Parallel()
	server, err := fakecyborg.New()
	require.NoError(t, err)
	c := client{base: "https://cyborg.example:8443", http: &http.Client{Transport: server.Transport()}}
	assert.Contains(t, c.call(t, "GET", "/v2", "").body, `"href": "http://cyborg.example:8443/accelerator/v2/"`,
		"the in-memory transport has no TLS")
}

func TestMethodsAndPaths(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const item = "11111111-2222-4333-8444-555555555555"
	for _, test := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"PUT", "/v2/device_profiles", 405, "DELETE, GET, POST"},
		{"PUT", "/v2/device_profiles/" + item, 405, "DELETE, GET, POST"},
		{"PATCH", "/v2/device_profiles", 404, ""},
		{"PATCH", "/v2/device_profiles/" + item, 405, "DELETE, GET, POST"},
		{"PUT", "/v2/accelerator_requests", 405, "DELETE, GET, PATCH, POST"},
		{"PATCH", "/v2/accelerator_requests/a/b", 404, ""},
		{"HEAD", "/v2/devices", 405, "GET"},
		{"POST", "/v2/devices", 405, "GET"},
		{"DELETE", "/v2/devices/" + item, 405, "GET"},
		{"POST", "/v2/devices/" + item, 405, "GET"},
		{"POST", "/v2/devices/" + item + "/explode", 405, "GET"},
		{"GET", "/v2/devices/" + item + "/disable", 404, ""},
		{"PUT", "/v2/devices/" + item + "/disable", 405, "GET"},
		{"PATCH", "/v2/deployables", 404, ""},
		{"PATCH", "/v2/deployables/" + item, 405, "GET"},
		{"PATCH", "/v2/deployables/" + item + "/program/" + item, 405, "GET"},
		{"GET", "/v2/deployables/" + item + "/program", 404, ""},
		{"DELETE", "/v2/deployables/" + item, 405, "GET"},
		{"PUT", "/v2/attributes", 405, "DELETE, GET, POST"},
		{"GET", "/v2/nothing", 404, ""},
		{"PUT", "/v2/nothing", 405, "GET"},
		{"POST", "/v2", 405, "GET"},
		{"POST", "/", 405, "GET"},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, test.method, test.path, "", "Accept", "application/json")
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.allow, got.header.Get("Allow"))
			assert.Empty(t, got.header.Values("OpenStack-API-Version"), "routing errors have no version")
			if test.method != "HEAD" {
				want := fmt.Sprintf(`{"error_message": "{\"code\": %d, \"title\": \"%s\", \"description\": \"\"}"}`, test.status, http.StatusText(test.status))
				assert.Equal(t, want, got.body)
			}
		})
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	const page = `{"error_message": "<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n  <h1>404 Not Found</h1>\n  The resource could not be found.<br /><br />\n\n\n\n </body>\n</html>"}`
	const refused = `{"error_message": "<html>\n <head>\n  <title>406 Not Acceptable</title>\n </head>\n <body>\n  <h1>406 Not Acceptable</h1>\n  The resource could not be generated that was acceptable to your browser\n(content of type text/html. <br /><br />\n\n </body>\n</html>"}`
	const plain = `{"error_message": "404 Not Found\n\nThe resource could not be found.\n\n   "}`
	const json = `{"error_message": "{\"code\": 404, \"title\": \"Not Found\", \"description\": \"\"}"}`
	for _, test := range []struct {
		name, path string
		accept     []string
		status     int
		body       string
	}{
		{name: "json", path: "/v2/x", accept: []string{"application/json"}, status: 404, body: json},
		{name: "json first", path: "/v2/x", accept: []string{"application/json, */*;q=0.5"}, status: 404, body: json},
		{name: "anything", path: "/v2/x", accept: []string{"*/*"}, status: 404, body: page},
		{name: "html", path: "/v2/x", accept: []string{"text/html"}, status: 406, body: refused},
		{name: "html of a longer path", path: "/v2/devices/a/b", accept: []string{"text/html"}, status: 406, body: refused},
		{name: "html before json", path: "/v2/x", accept: []string{"text/html, application/json"}, status: 404, body: page},
		{name: "none", path: "/v2/x", status: 404, body: plain},
		{name: "something else", path: "/v2/x", accept: []string{"image/png"}, status: 406},
		{name: "html of a good path", path: "/v2/devices", accept: []string{"text/html"}, status: 406, body: refused},
		{name: "no json", path: "/v2/devices", accept: []string{"*/*, application/json;q=0"}, status: 406},
		{name: "any application", path: "/v2/device_profiles?name=x", accept: []string{"application/*"}, status: 200, body: `{"device_profiles": []}`},
		{name: "none at all", path: "/v2/device_profiles?name=x", status: 200, body: `{"device_profiles": []}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var header []string
			for _, accept := range test.accept {
				header = append(header, "Accept", accept)
			}
			got := c.call(t, "GET", test.path, "", header...)
			assert.Equal(t, test.status, got.status)
			if test.body != "" {
				assert.Equal(t, test.body, got.body)
			}
			assert.Equal(t, "application/json", got.header.Get("Content-Type"))
		})
	}
}

func TestPlainTextKeepsTheTemplate(t *testing.T) {
	t.Parallel()
	got := newClient(t).call(t, "GET", "/v2", "", "OpenStack-API-Version", "accelerator 2.9")
	assert.Equal(t, 406, got.status)
	assert.Contains(t, got.body, "${HTTP_ACCEPT}")
	assert.Contains(t, got.body, "Version 2.9 was requested")
}

func TestArguments(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		name, method, path, body, contentType string
		status                                int
		text                                  string
	}{
		{name: "unknown parameter", method: "GET", path: "/v2/accelerator_requests?limit=1", status: 400, text: `Unknown argument: "limit"`},
		{name: "parameter of another form", method: "GET", path: "/v2/deployables?name=x", status: 400, text: `Unknown argument: "name"`},
		{name: "plus is a blank", method: "GET", path: "/v2/devices?a+b", status: 400, text: `Unknown argument: "a b"`},
		{name: "empty instance", method: "GET", path: "/v2/accelerator_requests?instance=", status: 400, text: "Invalid input for field/attribute instance. Value: ''. unable to convert to uuid. Error: Expected a uuid but received ."},
		{name: "no body", method: "POST", path: "/v2/accelerator_requests", status: 400, text: `Missing argument: "req"`},
		{name: "no patch", method: "PATCH", path: "/v2/accelerator_requests", status: 400, text: `Missing argument: "patch_list"`},
		{name: "no attribute", method: "POST", path: "/v2/attributes", status: 400, text: `Missing argument: "req_attr"`},
		{name: "form", method: "POST", path: "/v2/accelerator_requests", body: `{"a": 1}`, contentType: "application/x-www-form-urlencoded", status: 400, text: `Unknown argument: "{"a": 1}"`},
		{name: "json patch type", method: "PATCH", path: "/v2/accelerator_requests", body: `{}`, contentType: "application/json-patch+json", status: 415, text: "Unknown mimetype: application/json-patch+json"},
		{name: "javascript with charset", method: "POST", path: "/v2/accelerator_requests", body: `{}`, contentType: "text/javascript; charset=utf-8", status: 500, text: "DeviceProfile name needed."},
		{name: "two documents", method: "POST", path: "/v2/accelerator_requests", body: `{} {}`, contentType: "application/json", status: 400, text: "Request is not in valid JSON format"},
		{name: "body of a GET", method: "GET", path: "/v2/devices", body: `{"x": 1}`, contentType: "application/json", status: 400, text: `Unknown argument: "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := c.call(t, test.method, test.path, test.body, "Content-Type", test.contentType)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.text, got.faultString(t))
			assert.Equal(t, "accelerator 2.0", got.header.Get("OpenStack-API-Version"))
		})
	}
}

func TestQueryThatIsNoText(t *testing.T) {
	t.Parallel()
	got := newClient(t).call(t, "GET", "/v2/device_profiles?name=%ff", "", "Accept", "application/json")
	assert.Equal(t, 400, got.status)
	assert.Contains(t, got.body, `\"code\": 400`)
}

func TestRepeatedParameterLastCounts(t *testing.T) {
	t.Parallel()
	got := newClient(t).call(t, "GET", "/v2/device_profiles?name=one-fpga&name=none", "")
	sameBytes(t, `{"device_profiles": []}`, got.body)
}

func TestLargeBodyIsRefused(t *testing.T) {
	t.Parallel()
	got := newClient(t).call(t, "POST", "/v2/accelerator_requests", `"`+strings.Repeat("x", 16<<20)+`"`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, got.status)
}

// A body that is announced as too large is not waited for.
func TestAnnouncedLargeBodyIsRefused(t *testing.T) {
	t.Parallel()
	server := fakecyborg.Start(t)
	got := rawExchange(t, server, "POST /v2/accelerator_requests HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000000\r\n\r\n")
	assert.Contains(t, got, "HTTP/1.1 413 ")
}

// A text that complains about a huge value is cut.
func TestLongFaultIsCut(t *testing.T) {
	t.Parallel()
	got := newClient(t).call(t, "POST", "/v2/accelerator_requests",
		`{"device_profile_name": `+strings.Repeat("[", 9000)+`"`+strings.Repeat("ü", 4<<20)+`"`+strings.Repeat("]", 9000)+`}`)
	assert.Equal(t, http.StatusNotFound, got.status)
	text := got.faultString(t)
	assert.True(t, strings.HasPrefix(text, "Device Profile not found with name=[[["), text[:60])
	assert.True(t, strings.HasSuffix(text, "ü…"))
	assert.InDelta(t, 64<<10, len(text), 8)
}

func TestMicroversions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		release, header string
		status          int
		version         string
	}{
		{"2026.2", "accelerator 2.3", 200, "accelerator 2.3"},
		{"2026.2", "ACCELERATOR   2.1", 200, "accelerator 2.1"},
		{"2026.2", "accelerator latest", 200, "accelerator 2.3"},
		{"2026.2", "2.2", 200, "accelerator 2.2"},
		{"2026.2", "accelerator 2.1, accelerator 2.2", 200, "accelerator 2.2"},
		{"2026.2", "", 406, ""},
		{"2026.2", "accelerator 2.x", 406, ""},
		{"17.0.0", "accelerator 2.-1", 406, ""},
		{"2025.1", "accelerator 2.3", 200, "2.0"},
		{"14.1.0", "2.3", 200, "2.3"},
		{"14.1.0", "nonsense", 200, "2.0"},
	} {
		t.Run(test.release+" "+test.header, func(t *testing.T) {
			t.Parallel()
			release, err := fakecyborg.FindRelease(test.release)
			require.NoError(t, err)
			c := newClient(t, fakecyborg.WithRelease(release))
			got := c.call(t, "GET", "/v2", "", "OpenStack-API-Version", test.header)
			assert.Equal(t, test.status, got.status)
			assert.Equal(t, test.version, got.header.Get("OpenStack-API-Version"))
			assert.Equal(t, 200, c.call(t, "GET", "/", "", "OpenStack-API-Version", test.header).status, "the root has no microversion")
		})
	}
}
