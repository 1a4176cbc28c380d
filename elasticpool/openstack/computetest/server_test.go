package computetest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client speaks to a cloud without any library of OpenStack.
type client struct {
	base, token string
	http        http.RoundTripper
}

func newClient(t *testing.T, base string, transport http.RoundTripper) *client {
	t.Helper()
	c := &client{base: base, http: transport}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/identity/v3/auth/tokens", strings.NewReader("{}"))
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusCreated, response.StatusCode)
	c.token = response.Header.Get("X-Subject-Token")
	return c
}

// call sends a request and returns the status and the decoded answer.
func (c *client) call(t *testing.T, method, path, body string) (int, map[string]any, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-Auth-Token", c.token)
	request.Header.Set("OpenStack-API-Version", "compute 2.69")
	response, err := c.http.RoundTrip(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var answer map[string]any
	if len(text) > 0 {
		require.NoError(t, json.Unmarshal(text, &answer), string(text))
	}
	return response.StatusCode, answer, nil
}

func (c *client) mustCall(t *testing.T, want int, method, path, body string) map[string]any {
	t.Helper()
	status, answer, err := c.call(t, method, path, body)
	require.NoError(t, err)
	require.Equal(t, want, status, answer)
	return answer
}

const server = `{"server": {"name": "a", "flavorRef": "1", "imageRef": "11111111-1111-4111-8111-111111111111", "networks": "none"}}`

func TestServersBuildAndGoInTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New(computetest.WithDelays(time.Minute, 30*time.Second))
		c := newClient(t, "http://cloud.test", cloud.Transport())
		c.mustCall(t, http.StatusAccepted, http.MethodPost, "/compute/v2.1/servers", server)
		status := func() []string {
			var all []string
			for _, s := range cloud.Servers() {
				all = append(all, s.Status+" "+s.Task)
			}
			return all
		}
		assert.Equal(t, []string{"BUILD scheduling"}, status())
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"ACTIVE "}, status())
		c.mustCall(t, http.StatusNoContent, http.MethodDelete, "/compute/v2.1/servers/"+cloud.Servers()[0].ID, "")
		assert.Equal(t, []string{"ACTIVE deleting"}, status())
		time.Sleep(30 * time.Second)
		assert.Empty(t, status())
	})
}

func TestFaultsHappenAsSet(t *testing.T) {
	t.Parallel()
	cloud := computetest.Start(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	for _, test := range []struct {
		name      string
		base      string
		transport http.RoundTripper
	}{
		{"socket", cloud.URL(), transport}, {"memory", "http://cloud.test", cloud.Transport()},
	} {
		c := newClient(t, test.base, test.transport)
		before := len(cloud.Servers())
		cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Cut: true})
		cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Lost: true})
		cloud.Inject(computetest.Fault{Method: http.MethodPost, Path: "/servers", Status: http.StatusConflict, Body: "{}"})
		_, _, err := c.call(t, http.MethodPost, "/compute/v2.1/servers", server)
		require.Error(t, err, test.name)
		assert.Len(t, cloud.Servers(), before)
		_, _, err = c.call(t, http.MethodPost, "/compute/v2.1/servers", server)
		require.Error(t, err, test.name)
		assert.Len(t, cloud.Servers(), before+1, "carried out, and the answer lost")
		c.mustCall(t, http.StatusConflict, http.MethodPost, "/compute/v2.1/servers", server)
		c.mustCall(t, http.StatusAccepted, http.MethodPost, "/compute/v2.1/servers", server)
		assert.Len(t, cloud.Servers(), before+2)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	cloud := computetest.New(computetest.WithQuota(computetest.Quota{Cores: 1, RAM: -1, Instances: -1, Ports: 0}))
	c := newClient(t, "http://cloud.test", cloud.Transport())
	c.mustCall(t, http.StatusBadRequest, http.MethodPost, "/compute/v2.1/servers", strings.Replace(server, "1111", "2222", 1))
	c.mustCall(t, http.StatusNotFound, http.MethodPost, "/compute/v2.1/servers", strings.Replace(server, `"1"`, `"9"`, 1))
	c.mustCall(t, http.StatusAccepted, http.MethodPost, "/compute/v2.1/servers", server)
	refusal := c.mustCall(t, http.StatusForbidden, http.MethodPost, "/compute/v2.1/servers", server)
	assert.Equal(t, map[string]any{"forbidden": map[string]any{
		"code": 403., "message": "Quota exceeded for cores: Requested 1, but already used 1 of 1 cores",
	}}, refusal)
	refusal = c.mustCall(t, http.StatusConflict, http.MethodPost, "/network/v2.0/ports", `{"port": {"network_id": "22222222-2222-4222-8222-222222222222"}}`)
	assert.Contains(t, refusal, "NeutronError")
	c.token = "another"
	c.mustCall(t, http.StatusUnauthorized, http.MethodGet, "/compute/v2.1/limits", "")
}

func TestPages(t *testing.T) {
	t.Parallel()
	cloud := computetest.New(computetest.WithPageSize(2))
	c := newClient(t, "http://cloud.test", cloud.Transport())
	for _, id := range []string{"one", "two", "three"} {
		cloud.AddServer(computetest.Instance{ID: id, Name: id})
	}
	page := c.mustCall(t, http.StatusOK, http.MethodGet, "/compute/v2.1/servers/detail", "")
	assert.Len(t, page["servers"], 2)
	assert.Contains(t, page, "servers_links")
	page = c.mustCall(t, http.StatusOK, http.MethodGet, "/compute/v2.1/servers/detail?marker=two", "")
	assert.Len(t, page["servers"], 1)
	assert.NotContains(t, page, "servers_links")
	c.mustCall(t, http.StatusBadRequest, http.MethodGet, "/compute/v2.1/servers/detail?marker=four", "")
	page = c.mustCall(t, http.StatusOK, http.MethodGet, "/compute/v2.1/servers/detail?name=%5Eone$", "")
	assert.Len(t, page["servers"], 1)
}
