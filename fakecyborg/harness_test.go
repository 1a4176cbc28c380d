package fakecyborg_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// client speaks raw HTTP to a server through its in-memory transport, or to any
// address.
type client struct {
	base    string
	http    *http.Client
	handler http.Handler
}

func clientOf(server *fakecyborg.Server) client {
	return client{base: server.URL(), http: &http.Client{Transport: server.Transport()}, handler: server}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// call sends one request; header pairs follow the body.
func (c client) call(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := c.http.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{status: response.StatusCode, header: response.Header, body: string(data)}
}

// faultString digs the text out of an error answer.
func (a answer) faultString(t testing.TB) string {
	t.Helper()
	var outer struct {
		Message string `json:"error_message"`
	}
	var inner struct {
		Text string `json:"faultstring"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &outer), a.body)
	require.NoError(t, json.Unmarshal([]byte(outer.Message), &inner), a.body)
	return inner.Text
}

// firstLine is the fault string without a traceback.
func (a answer) firstLine(t testing.TB) string {
	t.Helper()
	line, _, _ := strings.Cut(a.faultString(t), "\n")
	return line
}

// arqJSON is an accelerator request as tests read it.
type arqJSON struct {
	UUID       string            `json:"uuid"`
	State      string            `json:"state"`
	GroupID    int               `json:"device_profile_group_id"`
	Hostname   *string           `json:"hostname"`
	Instance   *string           `json:"instance_uuid"`
	Project    *string           `json:"project_id"`
	HandleType string            `json:"attach_handle_type"`
	HandleUUID *string           `json:"attach_handle_uuid"`
	HandleInfo map[string]string `json:"attach_handle_info"`
	UpdatedAt  *string           `json:"updated_at"`
}

func (a answer) arqs(t testing.TB) []arqJSON {
	t.Helper()
	var list struct {
		ARQs []arqJSON `json:"arqs"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &list), a.body)
	return list.ARQs
}

func (a answer) arq(t testing.TB) arqJSON {
	t.Helper()
	var one arqJSON
	require.NoError(t, json.Unmarshal([]byte(a.body), &one), a.body)
	return one
}

// makeARQs makes the requests of a profile.
func (c client) makeARQs(t testing.TB, profile string) []arqJSON {
	t.Helper()
	made := c.call(t, http.MethodPost, "/v2/accelerator_requests", fmt.Sprintf(`{"device_profile_name": %q}`, profile))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	return made.arqs(t)
}

// showARQ reads one request.
func (c client) showARQ(t testing.TB, uuid string) arqJSON {
	t.Helper()
	shown := c.call(t, http.MethodGet, "/v2/accelerator_requests/"+uuid, "")
	require.Equal(t, http.StatusOK, shown.status, shown.body)
	return shown.arq(t)
}

// binding is one request of a bind.
type binding struct {
	arq, host, provider, instance string
}

// bindBody is the body of a PATCH in Nova's order.
func bindBody(bindings ...binding) string {
	parts := make([]string, 0, len(bindings))
	for _, b := range bindings {
		parts = append(parts, fmt.Sprintf(`%q: [{"path": "/hostname", "op": "add", "value": %q}, {"path": "/device_rp_uuid", "op": "add", "value": %q}, {"path": "/instance_uuid", "op": "add", "value": %q}]`,
			b.arq, b.host, b.provider, b.instance))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func unbindBody(arq string) string {
	return fmt.Sprintf(`{%q: [{"path": "/hostname", "op": "remove"}]}`, arq)
}

// bind binds requests.
func (c client) bind(t testing.TB, bindings ...binding) answer {
	t.Helper()
	return c.call(t, http.MethodPatch, "/v2/accelerator_requests", bindBody(bindings...))
}

// Instances and the providers of [twoHosts].
const (
	instanceA = "aaaaaaaa-0000-4000-8000-000000000001"
	instanceB = "bbbbbbbb-0000-4000-8000-000000000002"
)

// twoHosts has an FPGA card with two virtual functions and Cyborg's own fake
// device on one host, a GPU on the other, and a profile for each.
func twoHosts() fakecyborg.Seed {
	return fakecyborg.Seed{
		Hosts: []fakecyborg.Host{
			{Name: "rack1", ComputeNode: &fakecyborg.ComputeNode{VCPUs: 32, MemoryMB: 65536, DiskGB: 1000}, Devices: []fakecyborg.Device{
				{Driver: "fpga", Card: driver.Card{Address: "0000:3b:00.0", VFs: 2, FunctionID: "aa01", RegionID: "bb02"}},
				{Driver: "fake"},
			}},
			{Name: "rack2", ComputeNode: &fakecyborg.ComputeNode{VCPUs: 16, MemoryMB: 32768, DiskGB: 500}, Devices: []fakecyborg.Device{
				{Driver: "pgpu", Card: driver.Card{Address: "0000:af:00.0", ProductID: "1db4"}},
			}},
		},
		DeviceProfiles: []fakecyborg.DeviceProfile{
			{Name: "one-fpga", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}, {Key: "trait:CUSTOM_FPGA_INTEL", Value: "required"}}}},
			{Name: "three-fpga", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "3"}}}},
			{Name: "two-groups", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}}, {{Key: "resources:PGPU", Value: "1"}}}},
			{Name: "programmed", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}, {Key: "accel:bitstream_id", Value: "00000000-0000-0000-0000-000000000009"}}}},
		},
	}
}

// Provider names of twoHosts.
const (
	fpgaName = "rack1_0000:3b:00.2"
	fakeName = "rack1_FakeDevice"
	gpuName  = "rack2_0000:af:00.0"
)

func newClient(t testing.TB, opts ...fakecyborg.Option) client {
	t.Helper()
	return newClientOf(t, append([]fakecyborg.Option{fakecyborg.WithSeed(twoHosts())}, opts...)...)
}

// newClientOf speaks to a server with those options alone.
func newClientOf(t testing.TB, opts ...fakecyborg.Option) client {
	t.Helper()
	server, err := fakecyborg.New(opts...)
	require.NoError(t, err)
	return clientOf(server)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// replaceARQ puts a request's id into a text with one %s, or none.
func replaceARQ(text, arq string) string { return strings.Replace(text, "%s", arq, 1) }

// sameBytes compares bodies to the byte, key order and blanks included.
func sameBytes(t testing.TB, want, got string) {
	t.Helper()
	assert.Empty(t, cmp.Diff(want, got))
}

func jsonBody(text string) io.Reader { return strings.NewReader(text) }

func decodeInto(t testing.TB, text string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), into), text)
}
