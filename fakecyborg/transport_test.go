package fakecyborg_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// A bind that waits for its event to be received ends with the client's
// deadline; the bubble fails on any goroutine that is left.
func TestTransportHonoursTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, fakecyborg.WithEvents(make(chan fakecyborg.Event)))
		arq := c.makeARQs(t, "one-fpga")[0]
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		body := bindBody(binding{arq.UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA})
		request, err := http.NewRequestWithContext(ctx, http.MethodPatch, c.base+"/v2/accelerator_requests", strings.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		began := time.Now()
		_, err = c.http.Do(request) //nolint:bodyclose // there is no answer
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 5*time.Minute, time.Since(began))
		assert.Equal(t, "Bound", c.showARQ(t, arq.UUID).State)
	})
}

func TestTimesAreVirtualInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t)
		time.Sleep(90 * time.Second)
		made := c.call(t, "POST", "/v2/device_profiles", `[{"name": "late", "groups": [{}]}]`)
		assert.Contains(t, made.body, `"created_at": "2000-01-01T00:01:30+00:00", "updated_at": null`)
		shown := c.call(t, "GET", "/v2/device_profiles/late", "", "OpenStack-API-Version", "accelerator 2.3")
		assert.Contains(t, shown.body, `"created_at": "2000-01-01 00:01:30+00:00", "updated_at": "None"`)
	})
}

func TestTransportClosesWithoutReading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, err := fakecyborg.New()
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL()+"/v2", http.NoBody)
		require.NoError(t, err)
		response, err := server.Transport().RoundTrip(request)
		require.NoError(t, err)
		assert.Equal(t, int64(156-len("http://127.0.0.1:6666")+len(server.URL())), response.ContentLength)
		require.NoError(t, response.Body.Close())
		_, err = response.Body.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

func TestTransportRefusesAnEndedContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, err := fakecyborg.New()
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL()+"/v2", http.NoBody)
		require.NoError(t, err)
		_, err = server.Transport().RoundTrip(request) //nolint:bodyclose // there is no answer
		assert.ErrorIs(t, err, context.Canceled)
	})
}

// Many clients at once, each through a whole life of requests: no race, and in
// the end every handle is free.
func TestConcurrentClients(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			arq := c.makeARQs(t, "one-fpga")[0].UUID
			bound := c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fakeName), arq})
			c.call(t, "GET", "/v2/accelerator_requests?instance="+arq, "")
			want := map[int]string{202: "Bound", 404: "BindFailed"}[bound.status]
			assert.Equal(t, want, c.showARQ(t, arq).State)
			assert.Equal(t, 204, c.call(t, "DELETE", "/v2/accelerator_requests/"+arq, "").status)
		})
	}
	wg.Wait()
	assert.Empty(t, c.call(t, "GET", "/v2/accelerator_requests", "").arqs(t))
	last := c.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, c.bind(t, binding{last, "rack1", driver.ProviderUUID(fakeName), instanceA}).status)
	assert.Equal(t, "1", c.showARQ(t, last).HandleInfo["function"])
}

func TestManyServersAtOnce(t *testing.T) {
	t.Parallel()
	var answered atomic.Int32
	t.Run("servers", func(t *testing.T) {
		for range 50 {
			t.Run("one", func(t *testing.T) {
				t.Parallel()
				server := fakecyborg.Start(t)
				got := client{base: server.URL(), http: &http.Client{}}.call(t, "GET", "/v2", "")
				assert.Equal(t, 200, got.status)
				answered.Add(1)
			})
		}
	})
	assert.Equal(t, int32(50), answered.Load())
}

func TestCloseTwice(t *testing.T) {
	t.Parallel()
	server := fakecyborg.Start(t)
	server.Close()
	server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL(), http.NoBody)
	require.NoError(t, err)
	_, err = (&http.Client{}).Do(request) //nolint:bodyclose // nobody answers
	assert.Error(t, err)
}

// A handler that streams is seen piece by piece, and stops when the client goes.
func TestTransportStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stopped := make(chan error, 1)
		transport := fakecyborg.HandlerTransport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := io.WriteString(w, "tick\n"); err != nil {
					stopped <- err
					return
				}
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
					stopped <- r.Context().Err()
					return
				}
			}
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://any.invalid/", http.NoBody)
		require.NoError(t, err)
		response, err := transport.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, "tick\ntick\ntick\n", string(body))
		assert.ErrorIs(t, <-stopped, context.DeadlineExceeded)
	})
}

// The context ends while the handler runs, and the handler returns at once: what
// it has sent by then must not look complete, however the goroutines are scheduled.
func TestTransportTellsACutAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		begin func(http.ResponseWriter)
	}{
		{name: "cut body", begin: func(w http.ResponseWriter) { _, _ = io.WriteString(w, "half") }},
		{name: "header only", begin: func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }},
		{name: "nothing sent", begin: func(http.ResponseWriter) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				transport := fakecyborg.HandlerTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					test.begin(w)
					cancel()
				}))
				request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://any.invalid/", http.NoBody)
				require.NoError(t, err)
				response, err := transport.RoundTrip(request)
				if err == nil {
					_, err = io.ReadAll(response.Body)
					require.NoError(t, response.Body.Close())
				}
				require.ErrorIs(t, err, context.Canceled)
			}
		})
	}
}

// A handler that has finished has answered, even if the context ends before the
// client reads the end.
func TestTransportKeepsAFinishedAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		transport := fakecyborg.HandlerTransport(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
		}))
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://any.invalid/", http.NoBody)
		require.NoError(t, err)
		response, err := transport.RoundTrip(request)
		require.NoError(t, err)
		defer response.Body.Close()
		synctest.Wait()
		cancel()
		synctest.Wait()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Empty(t, body)
	})
}
