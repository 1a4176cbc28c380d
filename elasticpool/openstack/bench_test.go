package openstack_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

// BenchmarkServers lists a large pool. The floor is to decode the same pages into nothing but maps.
func BenchmarkServers(b *testing.B) {
	const count = 5000
	cloud := computetest.New()
	for i := range count {
		cloud.AddServer(computetest.Instance{Metadata: smallVM(strconv.Itoa(i)).Tags(), Host: "compute-" + strconv.Itoa(i%100)})
	}
	pages := &keeping{under: cloud.Transport()}
	provider := newProvider(b, hosts{"cloud.test": pages}, openstack.Settings{})
	servers, complete, err := provider.Servers(b.Context(), pool)
	require.NoError(b, err)
	require.True(b, complete)
	require.Len(b, servers, count)
	played := newProvider(b, hosts{"cloud.test": pages.played()}, openstack.Settings{})

	var listing, floor time.Duration
	for b.Loop() {
		start := time.Now()
		servers, _, err := played.Servers(b.Context(), pool)
		require.NoError(b, err)
		require.Len(b, servers, count)
		listing += time.Since(start)
		start = time.Now()
		for _, body := range pages.bodies {
			var page map[string]any
			require.NoError(b, json.Unmarshal(body, &page))
		}
		floor += time.Since(start)
	}
	b.ReportMetric(float64(listing)/float64(floor), "x-floor")
}

// keeping keeps the pages of a list of servers.
type keeping struct {
	under  http.RoundTripper
	bodies map[string][]byte
}

func (k *keeping) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := k.under.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet {
		return response, err
	}
	if k.bodies == nil {
		k.bodies = make(map[string][]byte)
	}
	body, err := readAll(response)
	k.bodies[r.URL.RawQuery] = body
	return response, err
}

// played answers with the pages that were kept.
func (k *keeping) played() http.RoundTripper { return player{k} }

type player struct{ *keeping }

func (p player) RoundTrip(r *http.Request) (*http.Response, error) {
	body, kept := p.bodies[r.URL.RawQuery]
	if !kept || r.Method != http.MethodGet {
		return p.under.RoundTrip(r)
	}
	return answer(r, http.StatusOK, body), nil
}
