package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAwaitPlacement(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		first []int
		wait  time.Duration
		calls int32
		told  int
		fails bool
	}{
		{name: "there at once", first: []int{200}, wait: time.Minute, calls: 1},
		{name: "wants a token", first: []int{401}, wait: time.Minute, calls: 1},
		{name: "comes late, told once", first: []int{502, 503, 200}, wait: time.Minute, calls: 3, told: 1},
		{name: "does not come", first: []int{503, 503}, wait: probePause * 9 / 10, calls: 1, told: 1, fails: true},
		{name: "not waited for", first: []int{503}, wait: 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.first[calls.Add(1)-1])
			}))
			t.Cleanup(server.Close)
			var log bytes.Buffer
			err := awaitPlacement(t.Context(), settings{placement: server.URL, placementWait: test.wait}, slog.New(slog.NewTextHandler(&log, nil)))
			assert.Equal(t, test.fails, err != nil, "%v", err)
			assert.Equal(t, test.calls, calls.Load())
			assert.Equal(t, test.told, strings.Count(log.String(), "waiting for Placement at "+server.URL), log.String())
		})
	}
}

// A signal ends the wait.
func TestAwaitPlacementEndsWithItsContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	require.Error(t, awaitPlacement(ctx, settings{placement: server.URL, placementWait: time.Hour}, slog.New(slog.DiscardHandler)))
	assert.Less(t, time.Since(began), time.Minute)
}
