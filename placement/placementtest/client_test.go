package placementtest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// api sends requests to a server as a caller of one microversion.
type api struct {
	t       testing.TB
	client  *http.Client
	base    string
	version string
	token   string
}

// newAPI gives a server without sockets and a caller of the newest microversion.
func newAPI(t testing.TB, opts ...placementtest.Option) (*placementtest.Server, api) {
	t.Helper()
	s, err := placementtest.New(opts...)
	require.NoError(t, err)
	return s, api{t: t, client: &http.Client{Transport: s.Transport()}, base: s.URL(), version: "1.39", token: "admin"}
}

// at is the same caller with another microversion.
func (a api) at(version string) api {
	a.version = version
	return a
}

// in is the same caller in another test, mostly a subtest.
func (a api) in(t testing.TB) api {
	a.t = t
	return a
}

// orLatest is the version of a table's row that may leave it out.
func orLatest(version string) string { return cmp.Or(version, "1.39") }

// answer is what came back.
type answer struct {
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

// do sends one request; body is marshalled unless it is a string.
func (a api) do(method, path string, body any) answer {
	a.t.Helper()
	var reader io.Reader
	if body != nil {
		text, ok := body.(string)
		if !ok {
			b, err := json.Marshal(body)
			require.NoError(a.t, err)
			text = string(b)
		}
		reader = bytes.NewReader([]byte(text))
	}
	r, err := http.NewRequestWithContext(a.t.Context(), method, a.base+path, reader)
	require.NoError(a.t, err)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		r.Header.Set("X-Auth-Token", a.token)
	}
	if a.version != "" {
		r.Header.Set("OpenStack-API-Version", "placement "+a.version)
	}
	return a.send(r)
}

// send sends a request that the test made itself.
func (a api) send(r *http.Request) answer {
	a.t.Helper()
	resp, err := a.client.Do(r)
	require.NoError(a.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(a.t, err)
	out := answer{status: resp.StatusCode, header: resp.Header, raw: raw}
	_ = json.Unmarshal(raw, &out.json)
	return out
}

// must sends a request that has to succeed.
func (a api) must(method, path string, body any) answer {
	a.t.Helper()
	out := a.do(method, path, body)
	require.Less(a.t, out.status, 300, "%s %s: %s", method, path, out.raw)
	return out
}

// refused is the error of a reply in the errors form.
func (o answer) refused(t testing.TB) map[string]any {
	t.Helper()
	require.GreaterOrEqual(t, o.status, 400, "%s", o.raw)
	items, ok := o.json["errors"].([]any)
	require.True(t, ok, "%s", o.raw)
	require.Len(t, items, 1)
	item, ok := items[0].(map[string]any)
	require.True(t, ok)
	return item
}

// code is the error code of a reply.
func (o answer) code(t testing.TB) string {
	t.Helper()
	code, _ := o.refused(t)["code"].(string)
	return code
}

type obj = map[string]any
