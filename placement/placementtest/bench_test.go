package placementtest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// fpgas and pgpus are how many cards of each kind a host of the cloud has.
const fpgas, pgpus = 2, 2

// cloud makes hosts of two FPGA cards and two GPUs each, with the traits and owners that Nova and Cyborg give them.
func cloud(b *testing.B, hosts int) *placementtest.Server {
	b.Helper()
	s, err := placementtest.New(placementtest.WithoutAuth())
	require.NoError(b, err)
	call(b, s, http.MethodPut, "/traits/CUSTOM_FPGA_X", "")
	for h := range hosts {
		root := rootUUID(h)
		call(b, s, http.MethodPost, "/resource_providers", fmt.Sprintf(`{"uuid":%q,"name":"host%d"}`, root, h))
		call(b, s, http.MethodPut, "/resource_providers/"+root+"/inventories", `{"resource_provider_generation":0,"inventories":`+
			`{"VCPU":{"total":64,"allocation_ratio":4.0},"MEMORY_MB":{"total":262144},"DISK_GB":{"total":2000}}}`)
		call(b, s, http.MethodPut, "/resource_providers/"+root+"/traits",
			`{"resource_provider_generation":1,"traits":["COMPUTE_ACCELERATORS","COMPUTE_NODE","HW_CPU_X86_VMX"]}`)
		for d := range fpgas {
			addCard(b, s, h, d, "FPGA", `["CUSTOM_FPGA_X","OWNER_CYBORG"]`)
		}
		for d := range pgpus {
			addCard(b, s, h, fpgas+d, "PGPU", `["OWNER_CYBORG"]`)
		}
	}
	return s
}

func rootUUID(host int) string { return fmt.Sprintf("00000000-0000-4000-8000-%08d0000", host) }

func cardUUID(host, card int) string {
	return fmt.Sprintf("00000000-0000-4000-8000-%08d000%d", host, card+1)
}

func addCard(b *testing.B, s http.Handler, host, card int, class, traits string) {
	b.Helper()
	uuid := cardUUID(host, card)
	call(b, s, http.MethodPost, "/resource_providers",
		fmt.Sprintf(`{"uuid":%q,"name":"host%d_%d","parent_provider_uuid":%q}`, uuid, host, card, rootUUID(host)))
	path := "/resource_providers/" + uuid
	call(b, s, http.MethodPut, path+"/inventories", fmt.Sprintf(`{"resource_provider_generation":0,"inventories":{%q:{"total":1}}}`, class))
	call(b, s, http.MethodPut, path+"/traits", `{"resource_provider_generation":1,"traits":`+traits+`}`)
}

// call sends one request straight to the handler and gives the length of the answer.
func call(tb testing.TB, h http.Handler, method, path, body string) int {
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
	return w.Body.Len()
}

// BenchmarkCandidates asks Nova's question for a guest with one accelerator, with Nova's limit and root traits, on clouds of several
// sizes; as a floor it also writes the same number of bytes from a bare handler and reports the ratio.
func BenchmarkCandidates(b *testing.B) {
	const question = "/allocation_candidates?limit=1000&requireddevice_profile_0=CUSTOM_FPGA_X" +
		"&resources=DISK_GB%3A20%2CMEMORY_MB%3A8192%2CVCPU%3A4&resourcesdevice_profile_0=FPGA%3A1" +
		"&root_required=COMPUTE_ACCELERATORS%2C%21COMPUTE_STATUS_DISABLED"
	for _, hosts := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("hosts=%d", hosts), func(b *testing.B) {
			s := cloud(b, hosts)
			size := call(b, s, http.MethodGet, question, "")
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
	for h := range 1000 {
		for d := fpgas + pgpus; d < fpgas+pgpus+4; d++ {
			addCard(b, s, h, d, "VGPU", `[]`)
		}
	}
	for _, groups := range []int{4, 5} {
		var q strings.Builder
		q.WriteString("/allocation_candidates?limit=1000&group_policy=isolate&resources=VCPU:1")
		for g := range groups {
			fmt.Fprintf(&q, "&resources_%d=VGPU:1", g)
		}
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call(b, s, http.MethodGet, q.String(), "")
			}
		})
	}
}

// claimWriters is how many goroutines claim at once.
const claimWriters = 16

// BenchmarkClaims has 16 writers, each a goroutine, claim a guest with an accelerator and free it again: two requests an operation.
// Each writer has cards of its own, so that no claim is refused. As a floor the same number of goroutines sends the same bodies to
// a handler that only reads them.
func BenchmarkClaims(b *testing.B) {
	s := cloud(b, claimWriters)
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNoContent)
	})
	const rounds = 200
	start := time.Now()
	for range rounds {
		claimAll(b, bare)
	}
	floor := float64(time.Since(start).Nanoseconds()) / (rounds * claimWriters)
	b.ReportAllocs()
	b.ResetTimer()
	claims := 0
	for b.Loop() {
		claimAll(b, s)
		claims += claimWriters
	}
	b.StopTimer()
	perClaim := float64(b.Elapsed().Nanoseconds()) / float64(claims)
	b.ReportMetric(perClaim/floor, "x/floor")
	b.ReportMetric(1e9/perClaim, "claims/s")
	require.Zero(b, s.AllocationCount())
}

// claimAll lets each writer claim and free once.
func claimAll(b *testing.B, h http.Handler) {
	b.Helper()
	var writers sync.WaitGroup
	for w := range claimWriters {
		writers.Go(func() {
			consumer := fmt.Sprintf("/allocations/00000000-0000-4000-9000-%012d", w)
			call(b, h, http.MethodPut, consumer, fmt.Sprintf(`{"allocations":{%q:{"resources":{"VCPU":4,"MEMORY_MB":8192,"DISK_GB":20}},`+
				`%q:{"resources":{"FPGA":1}}},"project_id":"p","user_id":"u","consumer_generation":null,"consumer_type":"INSTANCE"}`,
				rootUUID(w), cardUUID(w, 0)))
			call(b, h, http.MethodDelete, consumer, "")
		})
	}
	writers.Wait()
}
