package lifecycle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/requestspec"
)

// BenchmarkCreateDelete reports how many times longer creations and deletions take than the same exchanges, written out
// by hand for a bare http.Client (the metric x-bare): one after the other, and a thousand by 64 workers. Rounds of
// both alternate, and the best of each count.
func BenchmarkCreateDelete(b *testing.B) {
	for _, size := range []struct {
		name               string
		instances, workers int
	}{{"one", 1, 1}, {"thousand", 1000, 64}} {
		b.Run(size.name, func(b *testing.B) {
			cloud := newBenchCloud(b)
			ours, floor := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				ours = min(ours, timed(size.instances, size.workers, func() { cloud.ours(b) }))
				floor = min(floor, timed(size.instances, size.workers, func() { cloud.bare.run(b.Context(), cloud.query) }))
			}
			b.ReportMetric(float64(ours)/float64(floor), "x-bare")
			b.ReportMetric(float64(ours)/float64(size.instances), "ns/instance")
		})
	}
}

// timed does something n times with so many workers.
func timed(n, workers int, do func()) time.Duration {
	started := time.Now()
	var left atomic.Int64
	left.Store(int64(n))
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				do()
			}
		})
	}
	group.Wait()
	return time.Since(started)
}

// benchCloud is a cloud with devices for 64 instances at a time.
type benchCloud struct {
	exampleCloud
	bare  *bareFlow
	query string
}

func newBenchCloud(tb testing.TB) *benchCloud {
	tb.Helper()
	var seed strings.Builder
	seed.WriteString("device_profiles:\n  - {name: gpu, groups: [{\"resources:PGPU\": \"1\"}]}\nhosts:\n")
	for host := range 16 {
		fmt.Fprintf(&seed, "  - name: cn%d\n    compute_node: {vcpus: 64, memory_mb: 65536, disk_gb: 100}\n    devices:\n", host)
		for bus := range 5 {
			fmt.Fprintf(&seed, "      - {driver: pgpu, address: \"0000:a%d:00.0\"}\n", bus)
		}
	}
	cloud := &benchCloud{exampleCloud: newSeededCloud(tb.Context(), seed.String(), lifecycle.WithParallelBuilds(64))}
	cloud.bare = &bareFlow{
		b: tb, placement: &http.Client{Transport: cloud.placement}, cyborg: &http.Client{Transport: cloud.cyborg},
	}
	want := exampleRequest("gpu")
	want.Spec.Profile = []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})}
	asked, err := requestspec.Build(want.Spec)
	require.NoError(tb, err)
	cloud.query = asked.Query()
	return cloud
}

// ours creates an instance and deletes it.
func (c *benchCloud) ours(tb testing.TB) {
	want := exampleRequest("gpu")
	want.Consumer.UUID = uuid.NewString()
	created, err := c.manager.Create(tb.Context(), want)
	if assert.NoError(tb, err) {
		assert.NoError(tb, c.manager.Delete(tb.Context(), created.Record))
	}
}

// TestInstancesLeaveNoMemory: after ten thousand instances, in CI, or a thousand elsewhere and with the race detector, there are as many goroutines as before, and no more memory in
// use than a few of them take.
func TestInstancesLeaveNoMemory(t *testing.T) { //nolint:paralleltest // it counts the goroutines of the process
	if testing.Short() {
		t.Skip("creates ten thousand instances")
	}
	cloud := newBenchCloud(t)
	measure := func() (goroutines int, heap uint64) {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return runtime.NumGoroutine(), stats.HeapAlloc
	}
	instances := 1000
	if os.Getenv("NOVACYBORG_PEERS") == "required" && !raceDetector {
		instances = 10_000
	}
	timed(instances/10, 64, func() { cloud.ours(t) })
	goroutines, heap := measure()
	timed(instances, 64, func() { cloud.ours(t) })
	after, grown := measure()
	assert.LessOrEqual(t, after, goroutines+5)
	assert.Less(t, grown, heap+8<<20)
}

// bareFlow is the flow without any of this module's clients.
type bareFlow struct {
	b                 testing.TB
	placement, cyborg *http.Client
}

type object = map[string]any

func (f *bareFlow) run(ctx context.Context, query string) {
	const cyborg, placement = "http://cyborg.localhost/v2", "http://placement.localhost"
	instance := uuid.NewString()
	f.send(ctx, f.cyborg, http.MethodGet, cyborg+"/device_profiles?name=gpu", nil)
	found := f.send(ctx, f.placement, http.MethodGet, placement+"/allocation_candidates?"+query, nil)
	candidates := found["allocation_requests"].([]any)                    //nolint:errcheck // panics if it is not so
	claim := candidates[rand.IntN(len(candidates))].(object)              //nolint:errcheck // panics if it is not so
	provider := claim["mappings"].(object)["device_profile_0"].([]any)[0] //nolint:errcheck // panics if it is not so
	root := claim["mappings"].(object)[""].([]any)[0].(string)            //nolint:errcheck // panics if it is not so
	f.send(ctx, f.placement, http.MethodGet, placement+"/resource_providers?uuid="+url.QueryEscape(root), nil)
	claim["project_id"], claim["user_id"], claim["consumer_generation"] = "demo", "demo", nil
	if f.send(ctx, f.placement, http.MethodPut, placement+"/allocations/"+instance, claim) == nil {
		f.run(ctx, query) // others were faster
		return
	}
	made := f.send(ctx, f.cyborg, http.MethodPost, cyborg+"/accelerator_requests", object{"device_profile_name": "gpu"})
	arq := made["arqs"].([]any)[0].(object)["uuid"].(string) //nolint:errcheck // panics if it is not so
	f.send(ctx, f.cyborg, http.MethodPatch, cyborg+"/accelerator_requests", object{arq: []object{
		{"path": "/hostname", "op": "add", "value": "cn1"},
		{"path": "/device_rp_uuid", "op": "add", "value": provider},
		{"path": "/instance_uuid", "op": "add", "value": instance},
	}})
	f.send(ctx, f.cyborg, http.MethodGet, cyborg+"/accelerator_requests?instance="+instance, nil)
	f.send(ctx, f.cyborg, http.MethodDelete, cyborg+"/accelerator_requests?arqs="+arq, nil)
	f.send(ctx, f.cyborg, http.MethodDelete, cyborg+"/accelerator_requests?instance="+instance, nil)
	held := f.send(ctx, f.placement, http.MethodGet, placement+"/allocations/"+instance, nil)
	f.send(ctx, f.placement, http.MethodPut, placement+"/allocations/"+instance, object{
		"allocations": object{}, "project_id": "demo", "user_id": "demo", "consumer_generation": held["consumer_generation"],
	})
}

func (f *bareFlow) send(ctx context.Context, client *http.Client, method, address string, body object) object {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(f.b, err)
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	require.NoError(f.b, err)
	request.Header = http.Header{
		"X-Auth-Token": {"admin"}, "Openstack-Api-Version": {"placement 1.36"}, "Content-Type": {"application/json"},
		"Accept": {"application/json"},
	}
	if client == f.cyborg {
		request.Header.Del("Openstack-Api-Version")
	}
	response, err := client.Do(request)
	require.NoError(f.b, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(f.b, err)
	require.NoError(f.b, response.Body.Close())
	if response.StatusCode == http.StatusConflict {
		return nil
	}
	assert.Less(f.b, response.StatusCode, 300, "%s %s: %s", method, address, text)
	if len(text) == 0 {
		return object{}
	}
	var decoded object
	require.NoError(f.b, json.Unmarshal(text, &decoded))
	return decoded
}
