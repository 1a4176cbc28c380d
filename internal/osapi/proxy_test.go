package osapi_test

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// net/http reads the variables of proxies once for each process and never asks a
// proxy for this machine's own addresses: the request is sent by another run of
// this test, to a name that only the proxy knows.
//
//nolint:paralleltest // the child is this very test
func TestProxyOfTheEnvironment(t *testing.T) {
	if os.Getenv("OSAPI_TEST_CHILD") == "1" {
		service, err := osapi.NewService(t.Context(), "accelerator", osapi.WithEndpoint("http://cyborg.invalid/v2"), osapi.WithToken("secret"), osapi.WithRetries(0, 0, 0))
		require.NoError(t, err)
		require.NoError(t, request(t.Context(), service, "GET", nil))
		return
	}
	var asked []string
	proxy := startService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close") // or the child would leave one open
		asked = append(asked, r.URL.String()+" "+r.Header.Get("X-Auth-Token"))
	})
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxyOfTheEnvironment$")
	child.Env = append(os.Environ(), "OSAPI_TEST_CHILD=1", "HTTP_PROXY="+proxy.URL, "NO_PROXY=")
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, []string{"http://cyborg.invalid/v2/things secret"}, asked)
}
