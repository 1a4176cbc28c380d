package main

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/minikeystone"
)

// guarded are a Keystone, and a Placement and a Nova that remember whose requests came.
type guarded struct {
	identity *minikeystone.Server

	mu    sync.Mutex
	users map[string]string // by the first part of the path
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/identity") {
		g.identity.ServeHTTP(w, r)
		return
	}
	caller, err := g.identity.Authenticate(r)
	if err != nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users[strings.Split(r.URL.Path, "/")[1]] = caller.User
	_, _ = io.WriteString(w, "{}")
}

// A Nova and a Placement that ask the Keystone of -auth keystone know the fake by
// its account. Without a token they refuse it, and every bind fails.
func TestTheAccountIsKnownToNovaAndPlacement(t *testing.T) {
	g := &guarded{identity: minikeystone.ForTest(t), users: make(map[string]string)}
	server := httptest.NewServer(g)
	defer server.Close()
	clouds, err := g.identity.YAML(minikeystone.Clouds{URL: server.URL})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "clouds.yaml")
	require.NoError(t, os.WriteFile(path, clouds, 0o600))
	t.Setenv("OS_CLIENT_CONFIG_FILE", path)
	s, err := parseFlags([]string{
		"-auth", "keystone", "-keystone", server.URL + "/identity", "-keystone-cloud", "nova", "-release", "14.1.0",
		"-nova", server.URL + "/v2.1", "-placement", server.URL + "/placement",
	}, nil, io.Discard)
	require.NoError(t, err)
	pieces, err := gather(t.Context(), s, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	made, err := pieces.assemble()
	require.NoError(t, err)
	defer made.cyborg.Close()

	require.Error(t, made.cyborg.Report(t.Context()), "it is no real Placement")
	provider, err := openstack.AuthenticatedClient(t.Context(), gophercloud.AuthOptions{
		IdentityEndpoint: server.URL + "/identity", Username: "nova", Password: "secret", DomainName: "Default", TenantName: "service",
	})
	require.NoError(t, err)
	ask := func(method, path, body string) string {
		t.Helper()
		request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		for _, name := range []string{"X-Auth-Token", "X-Service-Token"} {
			request.Header.Set(name, provider.Token())
		}
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		made.handler.ServeHTTP(recorder, request)
		require.Less(t, recorder.Code, 300, "%s %s: %s", method, path, recorder.Body)
		return recorder.Body.String()
	}
	created := ask(http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "fakedev"}`)
	arq := regexp.MustCompile(`"uuid": "(.+?)"`).FindStringSubmatch(created)
	require.NotNil(t, arq, created)
	ask(http.MethodPatch, "/v2/accelerator_requests", fmt.Sprintf(`{%q: [{"path": "/hostname", "op": "add", "value": "gpu-1"},
		{"path": "/device_rp_uuid", "op": "add", "value": %q},
		{"path": "/instance_uuid", "op": "add", "value": "8115e6c7-9ec9-4a55-abc9-a3f630025e86"}]}`,
		arq[1], uuid.NewMD5(uuid.NameSpaceDNS, []byte("gpu-1_FakeDevice"))))

	account := g.identity.UserID("nova", "Default")
	assert.Equal(t, account, g.users["v2.1"])
	assert.Equal(t, account, g.users["placement"])
}
