package console_test

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/console"
)

// TestClient: what the console answers comes through, over HTTP with the token and through a socket without it.
func TestClient(t *testing.T) {
	t.Parallel()
	c, p := shown(t, console.WithToken("s3cret"), console.WithLogger(slog.New(slog.DiscardHandler)))
	web := httptest.NewServer(c.Handler())
	t.Cleanup(web.Close)
	path := filepath.Join(t.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	socket := &httptest.Server{Listener: listener, Config: &http.Server{Handler: c.Trusted()}}
	socket.Start()
	t.Cleanup(socket.Close)
	for name, client := range map[string]*console.Client{"http": console.NewClient(web.URL+"/", "s3cret", nil), "socket": console.NewSocketClient(path)} {
		got, err := client.Status(t.Context())
		require.NoError(t, err, name)
		assert.Empty(t, cmp.Diff(p.status, got))
		lines, err := client.Explain(t.Context(), "16.0")
		require.NoError(t, err, name)
		assert.Contains(t, lines, "job 16.0 runs on VM "+vmID)
		_, err = client.Explain(t.Context(), "no&body=#")
		require.ErrorContains(t, err, "there is no such queue, class, VM or job: no&body=#")
		require.NoError(t, client.Do(t.Context(), elasticpool.Command{Kind: elasticpool.CmdThaw, By: name}))
	}
	assert.Len(t, p.done(), 2)
	require.ErrorContains(t, console.NewClient(web.URL, "wrong", nil).Do(t.Context(), elasticpool.Command{Kind: elasticpool.CmdThaw}), "this token may not command")
}

// TestClientOfSomethingElse: nobody there, somebody else there, and somebody who sends the token on.
func TestClientOfSomethingElse(t *testing.T) {
	t.Parallel()
	_, err := console.NewSocketClient(filepath.Join(t.TempDir(), "s")).Status(t.Context())
	require.ErrorContains(t, err, "is elasticpool run running?")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/status":
			_, err := w.Write([]byte("<html>"))
			assert.NoError(t, err)
		case "/api/explain":
			http.Error(w, "<html>", http.StatusBadGateway)
		default:
			assert.Equal(t, "/api/commands", r.URL.Path, "it is not followed")
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(other.Close)
	client := console.NewClient(other.URL, "s3cret", nil)
	_, err = client.Status(t.Context())
	require.ErrorContains(t, err, "the answer is not the pool's")
	_, err = client.Explain(t.Context(), "x")
	require.ErrorContains(t, err, "502 Bad Gateway")
	require.ErrorContains(t, client.Do(t.Context(), elasticpool.Command{}), "307 Temporary Redirect")
}
