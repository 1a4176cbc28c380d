package fakecyborg_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// BenchmarkShowARQ reads one request over a socket, in blocks by turns with a bare
// handler that writes the same bytes. "x-of-floor" is its rate against that of the
// bare one, each the best block of the run, so that other load on the machine does
// not show.
func BenchmarkShowARQ(b *testing.B) {
	c := newClient(b)
	path := "/v2/accelerator_requests/" + c.makeARQs(b, "one-fpga")[0].UUID
	body := []byte(c.call(b, "GET", path, "").body)

	bare := chi.NewRouter()
	bare.Get("/v2/accelerator_requests/{uuid}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	bareURL, fakeURL := listening(b, bare), listening(b, c.handler)
	floor, fake := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		floor = min(floor, timeOf(b, bareURL, path))
		fake = min(fake, timeOf(b, fakeURL, path))
	}
	b.ReportMetric(float64(fake.Nanoseconds()), "ns/request")
	b.ReportMetric(float64(floor)/float64(fake), "x-of-floor")
}

// BenchmarkShowARQInMemory tells what the server itself needs for one answer.
func BenchmarkShowARQInMemory(b *testing.B) {
	c := newClient(b)
	path := "/v2/accelerator_requests/" + c.makeARQs(b, "one-fpga")[0].UUID
	require.Equal(b, http.StatusOK, c.call(b, "GET", path, "").status)
	request := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, http.NoBody)
	b.ReportAllocs()
	for b.Loop() {
		c.handler.ServeHTTP(httptest.NewRecorder(), request)
	}
}

// BenchmarkManyARQs shows that the cost of a request does not grow with the
// number of requests stored.
func BenchmarkManyARQs(b *testing.B) {
	for _, stored := range []int{100, 100_000} {
		c := newClient(b)
		for range stored / 100 {
			c.call(b, "POST", "/v2/device_profiles", `[{"name": "hundred", "groups": [{"resources:FPGA": 100}]}]`)
			c.makeARQs(b, "hundred")
		}
		b.Run(fmt.Sprintf("life with %d stored", stored), func(b *testing.B) {
			for b.Loop() {
				arq, instance := c.makeARQs(b, "one-fpga")[0].UUID, uuid.NewString()
				require.Equal(b, 202, c.bind(b, binding{arq, "rack1", driver.ProviderUUID(fakeName), instance}).status)
				require.Len(b, c.call(b, "GET", "/v2/accelerator_requests?instance="+instance, "").arqs(b), 1)
				require.Equal(b, 204, c.call(b, "DELETE", "/v2/accelerator_requests/"+arq, "").status)
			}
		})
	}
}

func listening(b *testing.B, handler http.Handler) string {
	b.Helper()
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	return server.URL
}

func read(b *testing.B, base, path string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, base+path, http.NoBody)
	require.NoError(b, err)
	response, err := (&http.Client{}).Do(request)
	require.NoError(b, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
}

// timeOf is the time of one request of a block.
func timeOf(b *testing.B, base, path string) time.Duration {
	b.Helper()
	const requests = 25 // few, so that one block of many is left alone by the rest of the machine
	began := time.Now()
	for range requests {
		read(b, base, path)
	}
	return time.Since(began) / requests
}
