package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// grace is how long the tests wait for open requests.
const grace = time.Second

// Whatever clients leave open is cut off, told, and no error.
func TestShutDownCutsOff(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	started, stopped := make(chan struct{}), make(chan struct{})
	clients := newConnections()
	front := newFront(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/slow" {
			return
		}
		close(started)
		<-r.Context().Done()
		close(stopped)
	}), clients, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- front.Serve(listener) }()
	send := func(text string) net.Conn {
		connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = connection.Close() })
		_, err = io.WriteString(connection, text)
		require.NoError(t, err)
		return connection
	}
	header := send("GET /half HTTP/1.1\r\nHo")
	body := send("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
	slow := send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
	idle := send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
	_, err = idle.Read(make([]byte, 1))
	require.NoError(t, err)
	<-started

	var log bytes.Buffer
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	require.NoError(t, shutDown(ended, front, clients, grace, slog.New(slog.NewTextHandler(&log, nil))))
	assert.Less(t, time.Since(began), 2*grace)
	<-stopped
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	assert.Contains(t, log.String(), header.LocalAddr().String()+`: a request that has not arrived whole"`)
	assert.Contains(t, log.String(), body.LocalAddr().String()+`: a request that has not arrived whole"`)
	assert.Contains(t, log.String(), slow.LocalAddr().String()+`: GET \"/slow\""`)
	assert.NotContains(t, log.String(), idle.LocalAddr().String())
	for _, connection := range []net.Conn{header, body, slow} {
		require.NoError(t, connection.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err := io.ReadAll(connection)
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is closed")
	}
}
