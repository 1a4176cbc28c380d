package fakecyborg_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// BenchmarkShowARQ reads one request over a socket; "x-of-floor" is its rate
// against a bare handler that writes the same bytes.
func BenchmarkShowARQ(b *testing.B) {
	c := newClient(b)
	path := "/v2/accelerator_requests/" + c.makeARQs(b, "one-fpga")[0].UUID
	body := []byte(c.call(b, "GET", path, "").body)

	bare := chi.NewRouter()
	bare.Get("/v2/accelerator_requests/{uuid}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	floor, fake := listening(b, bare), listening(b, c.handler)
	perFloor := timeOf(b, floor, path)
	b.ResetTimer()
	for b.Loop() {
		read(b, fake, path)
	}
	b.ReportMetric(float64(perFloor)/(float64(b.Elapsed())/float64(b.N)), "x-of-floor")
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

// timeOf is the time of one request, over many.
func timeOf(b *testing.B, base, path string) time.Duration {
	b.Helper()
	const requests = 2000
	began := time.Now()
	for range requests {
		read(b, base, path)
	}
	return time.Since(began) / requests
}
