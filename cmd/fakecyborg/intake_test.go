package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answerBytes is a handler that tells how many bytes it got.
func answerBytes(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	fmt.Fprintf(w, "%d bytes, %v", n, err)
}

// exchange sends text and returns everything that comes until the server closes.
func exchange(t *testing.T, server *httptest.Server, text string) string {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer connection.Close()
	require.NoError(t, connection.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(connection, text)
	require.NoError(t, err)
	answer, err := io.ReadAll(bufio.NewReader(connection))
	require.NoError(t, err)
	return string(answer)
}

func TestIntake(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(intake(http.HandlerFunc(answerBytes), 200*time.Millisecond))
	t.Cleanup(server.Close)
	const post = "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for _, test := range []struct{ name, text, status, has string }{
		{"no body", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200 OK", "0 bytes, <nil>"},
		{"whole", post + "Content-Length: 3\r\n\r\nabc", "200 OK", "3 bytes, <nil>"},
		{"in chunks", post + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200 OK", "3 bytes, <nil>"},
		{"half", post + "Content-Length: 9\r\n\r\nabc", "408 Request Timeout", "Connection: close"},
		{"nothing of it", post + "Content-Length: 9\r\n\r\n", "408 Request Timeout", "Connection: close"},
		{"announced as too long", post + "Content-Length: 100000000000\r\n\r\n", "413 Request Entity Too Large", "Connection: close"},
		{"bad chunks", post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "400 Bad Request", "Connection: close"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			answer := exchange(t, server, test.text)
			assert.True(t, strings.HasPrefix(answer, "HTTP/1.1 "+test.status+"\r\n"), answer)
			assert.Contains(t, answer, test.has)
		})
	}
}

func TestIntakeBoundsChunks(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(intake(http.HandlerFunc(answerBytes), time.Minute))
	t.Cleanup(server.Close)
	for size, status := range map[int]int{maxBody: http.StatusOK, maxBody + 1: http.StatusRequestEntityTooLarge} {
		body := io.MultiReader(strings.NewReader(strings.Repeat("x", size))) // of unknown length
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, body)
		require.NoError(t, err)
		response, err := (&http.Client{}).Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, status, response.StatusCode, size)
	}
}

// The time for a body is over when it has arrived: a handler may take longer.
func TestIntakeLeavesHandlersTheirTime(t *testing.T) {
	t.Parallel()
	const timeout = 100 * time.Millisecond
	ended := make(chan error, 1)
	server := httptest.NewServer(intake(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		time.Sleep(4 * timeout)
		ended <- r.Context().Err()
	}), timeout))
	t.Cleanup(server.Close)
	answer := exchange(t, server, "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\na")
	assert.Contains(t, answer, "200 OK")
	assert.NoError(t, <-ended)
}
