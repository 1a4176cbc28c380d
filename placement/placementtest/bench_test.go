package placementtest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// cloud makes hosts with four accelerators each.
func cloud(b *testing.B, hosts int) *placementtest.Server {
	b.Helper()
	s, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(b, err)
	call(b, s, http.MethodPut, "/traits/CUSTOM_FPGA_X", "")
	for h := range hosts {
		root := fmt.Sprintf("00000000-0000-4000-8000-%08d0000", h)
		call(b, s, http.MethodPost, "/resource_providers", fmt.Sprintf(`{"uuid":%q,"name":"host%d"}`, root, h))
		call(b, s, http.MethodPut, "/resource_providers/"+root+"/inventories", `{"resource_provider_generation":0,"inventories":`+
			`{"VCPU":{"total":64,"allocation_ratio":4.0},"MEMORY_MB":{"total":262144},"DISK_GB":{"total":2000}}}`)
		for d := range 4 {
			child := fmt.Sprintf("00000000-0000-4000-8000-%08d000%d", h, d+1)
			call(b, s, http.MethodPost, "/resource_providers",
				fmt.Sprintf(`{"uuid":%q,"name":"host%d_%d","parent_provider_uuid":%q}`, child, h, d, root))
			path := "/resource_providers/" + child
			call(b, s, http.MethodPut, path+"/inventories", `{"resource_provider_generation":0,"inventories":{"FPGA":{"total":1}}}`)
			call(b, s, http.MethodPut, path+"/traits", `{"resource_provider_generation":1,"traits":["CUSTOM_FPGA_X","OWNER_CYBORG"]}`)
		}
	}
	return s
}

// call sends one request straight to the handler and gives the body.
func call(tb testing.TB, h http.Handler, method, path, body string) string {
	r := httptest.NewRequestWithContext(tb.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Openstack-Api-Version", "placement 1.39")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code >= http.StatusMultipleChoices {
		tb.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.String()
}

// BenchmarkCandidates asks Nova's question for one accelerator, with Nova's limit, on clouds of several sizes; as a floor it also
// writes the same number of bytes from a bare handler and reports the ratio.
func BenchmarkCandidates(b *testing.B) {
	const question = "/allocation_candidates?resources=VCPU:4,MEMORY_MB:8192&resources_device_profile_0=FPGA:1" +
		"&required_device_profile_0=CUSTOM_FPGA_X&limit=1000"
	for _, hosts := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			s := cloud(b, hosts)
			size := len(call(b, s, http.MethodGet, question, ""))
			floor := bareFloor(b, size)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				call(b, s, http.MethodGet, question, "")
			}
			perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(perOp/floor, "x/floor")
			b.ReportMetric(perOp/1e6, "ms/op")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// bareFloor is the time in nanoseconds that a handler needs that only writes so many bytes.
func bareFloor(b *testing.B, size int) float64 {
	body := make([]byte, size)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	const rounds = 200
	start := time.Now()
	for range rounds {
		call(b, h, http.MethodGet, "/", "")
	}
	return float64(time.Since(start).Nanoseconds()) / rounds
}

// BenchmarkManyEqualDevices is bug log 16: many groups over many equal devices, with a limit, and the hopeless question for one more
// device than a host has.
func BenchmarkManyEqualDevices(b *testing.B) {
	s := cloud(b, 1000)
	for _, groups := range []int{4, 5} {
		var q strings.Builder
		q.WriteString("/allocation_candidates?limit=1000&group_policy=isolate&resources=VCPU:1")
		for g := range groups {
			fmt.Fprintf(&q, "&resources_%d=FPGA:1", g)
		}
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			for b.Loop() {
				call(b, s, http.MethodGet, q.String(), "")
			}
		})
	}
}

// BenchmarkClaims is 16 writers that claim and free accelerators.
func BenchmarkClaims(b *testing.B) {
	s := cloud(b, 100)
	var next atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := next.Add(1)
			consumer := fmt.Sprintf("/allocations/00000000-0000-4000-9000-%012d", n)
			child := fmt.Sprintf("00000000-0000-4000-8000-%08d0000", n%100)
			call(b, s, http.MethodPut, consumer, fmt.Sprintf(`{"allocations":{%q:{"resources":{"VCPU":1}}},"project_id":"p",`+
				`"user_id":"u","consumer_generation":null,"consumer_type":"INSTANCE"}`, child))
			call(b, s, http.MethodDelete, consumer, "")
		}
	})
}
