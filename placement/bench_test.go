package placement

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// canned is a Placement that answers every candidates query with the same bytes.
type canned struct{ body []byte }

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/" {
		return respond(r, 200, map[string]any{"versions": []any{map[string]any{"id": "v1.0", "min_version": "1.0", "max_version": "1.39"}}}), nil
	}
	return respond(r, 200, json.RawMessage(c.body)), nil
}

// manyCandidates is an answer of n candidates.
func manyCandidates(n int) []byte {
	requests, summaries := make([]any, n), make(map[string]any)
	for i := range n {
		host, card := fmt.Sprintf("host-%d", i), fmt.Sprintf("card-%d", i)
		requests[i] = map[string]any{
			"allocations": map[string]any{
				host: map[string]any{"resources": map[string]int{"VCPU": 2, "MEMORY_MB": 1024}},
				card: map[string]any{"resources": map[string]int{"FPGA": 1}},
			},
			"mappings": map[string][]string{"": {host}, "device_profile_0": {card}},
		}
		for _, provider := range []string{host, card} {
			summaries[provider] = map[string]any{
				"resources": map[string]any{"FPGA": map[string]int{"capacity": 1, "used": 0}}, "traits": []string{"OWNER_CYBORG"},
				"parent_provider_uuid": host, "root_provider_uuid": host,
			}
		}
	}
	body, _ := json.Marshal(map[string]any{"allocation_requests": requests, "provider_summaries": summaries})
	return body
}

// BenchmarkCandidates reads 1,000 candidates; the floor is one pass of encoding/json over the same bytes.
func BenchmarkCandidates(b *testing.B) {
	body := manyCandidates(1000)
	c := newClient(b, WithEndpoint("http://placement.invalid"), WithTransport(canned{body}))
	req := request(flavor(), devices(0, "FPGA", 1))
	for b.Loop() {
		found, err := c.Candidates(b.Context(), req)
		require.NoError(b, err)
		require.Len(b, found.List, 1000)
	}
	mine := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	const rounds = 10
	for range rounds {
		var all any
		require.NoError(b, json.Unmarshal(body, &all))
	}
	b.ReportMetric(float64(mine)/float64(time.Since(start)/rounds), "x-floor")
}

// BenchmarkClaims claims and releases one card of one host with 16 writers; the floor is the same requests without us.
func BenchmarkClaims(b *testing.B) {
	const writers = 16
	c, _ := inMemoryThrough(b, func(rt http.RoundTripper) http.RoundTripper { return rt })
	s := newScene()
	s.Host.Inventories["VCPU"] = Inventory{Total: 1000}
	s.report(b, c)
	candidate := Candidate{Allocations: map[string]map[string]int64{s.Host.UUID: {"VCPU": 1}}}
	b.ResetTimer()
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for range b.N {
				claim, err := c.Claim(context.Background(), newConsumer(), candidate)
				errs[w] = errors.Join(err, c.Release(context.Background(), claim))
			}
		})
	}
	wg.Wait()
	require.NoError(b, errors.Join(errs...))
	b.ReportMetric(float64(writers*b.N)/b.Elapsed().Seconds(), "claims/s")
	b.ReportMetric(float64(b.Elapsed())/float64(bareClaims(b, c, s, writers*100))*float64(100)/float64(b.N), "x-floor")
}

// bareClaims sends the same writes with nothing but net/http, one after the other, and returns the time it took.
func bareClaims(b *testing.B, c *Client, s scene, n int) time.Duration {
	b.Helper()
	bare := http.Client{Transport: c.service.HTTPClient.Transport}
	start := time.Now()
	for range n {
		consumer := newConsumer()
		for _, generation := range []*int64{nil, new(int64(1))} {
			w := write{consumer: consumer, before: generation}
			if generation == nil {
				w.allocations = map[string]map[string]int64{s.Host.UUID: {"VCPU": 1}}
			}
			sendBare(b, &bare, c.service.ServiceURL("allocations", consumer.UUID), w)
		}
	}
	return time.Since(start)
}

func sendBare(b *testing.B, bare *http.Client, url string, w write) {
	b.Helper()
	body, _ := w.ToAllocationUpdateMap()
	text, err := json.Marshal(body)
	require.NoError(b, err)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPut, url, bytes.NewReader(text))
	require.NoError(b, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Auth-Token", "admin")
	r.Header.Set("OpenStack-API-Version", "placement 1.29")
	response, err := bare.Do(r)
	require.NoError(b, err)
	_, _ = io.Copy(io.Discard, response.Body)
	require.NoError(b, response.Body.Close())
	require.Equal(b, http.StatusNoContent, response.StatusCode)
}
