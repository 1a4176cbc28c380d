package cyborgclient_test

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// cloud is a Keystone and a Cyborg that lists no ARQs.
func cloud(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/v3/auth/tokens" {
		w.Header().Set("X-Subject-Token", "secret-token")
		respond(http.StatusCreated, `{"token": {"catalog": [{"type": "accelerator", "endpoints": [
			{"interface": "public", "region": "r1", "url": "http://public.example/accelerator/v2"},
			{"interface": "internal", "region": "r1", "url": "http://internal.example/accelerator"},
			{"interface": "internal", "region": "r2", "url": "http://other.example/accelerator"}]}]}}`)(w, r)
		return
	}
	respond(http.StatusOK, `{"arqs": []}`)(w, r)
}

// The options of a login do what they say, and the log tells no secrets.
func TestLogin(t *testing.T) {
	dir := t.TempDir()
	clouds := `{clouds: {test: {auth: {auth_url: "http://keystone.example/v3", username: u, password: secret-password, user_domain_id: default}}}}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clouds.yaml"), []byte(clouds), 0o600))
	t.Setenv("OS_CLIENT_CONFIG_FILE", filepath.Join(dir, "clouds.yaml"))
	t.Setenv("OS_CLOUD", "test")
	for name, login := range map[string]cyborgclient.Option{"cloud": cyborgclient.WithCloud("test"), "environment": cyborgclient.WithEnv()} {
		var log bytes.Buffer
		s := &server{handler: cloud}
		client, err := cyborgclient.New(t.Context(), login, cyborgclient.WithTransport(s),
			cyborgclient.WithRegion("r1"), cyborgclient.WithInterface("internal"), cyborgclient.WithUserAgent("tester/1"),
			cyborgclient.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
		require.NoError(t, err, name)
		_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
		require.NoError(t, err, name)

		assert.Equal(t, "/accelerator/v2/accelerator_requests", s.sent[1].URI)
		assert.Equal(t, "secret-token", s.sent[1].Header.Get("X-Auth-Token"))
		assert.True(t, strings.HasPrefix(s.sent[1].Header.Get("User-Agent"), "tester/1 "))
		assert.Contains(t, log.String(), "http://internal.example/accelerator/v2/accelerator_requests")
		assert.NotContains(t, log.String(), "secret")
	}
}

// A login of the caller is used as it is.
func TestProvider(t *testing.T) {
	t.Parallel()
	s := &server{handler: cloud}
	provider := &gophercloud.ProviderClient{HTTPClient: http.Client{Transport: s}, TokenID: "mine"}
	client, err := cyborgclient.New(t.Context(), cyborgclient.WithProvider(provider, gophercloud.EndpointOpts{}),
		cyborgclient.WithEndpoint("http://cyborg.example"))
	require.NoError(t, err)
	_, err = client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Equal(t, "mine", s.sent[0].Header.Get("X-Auth-Token"))

	_, err = cyborgclient.New(t.Context(), cyborgclient.WithProvider(provider, gophercloud.EndpointOpts{}), cyborgclient.WithTLS(new(tls.Config)))
	require.ErrorContains(t, err, "brings its own transport")
}
