package fakecyborg_test

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// What Nova does with one instance touches no other requests, however many there
// are: it works when walking over them all finds none.
func TestOneInstanceVisitsNoOtherRows(t *testing.T) {
	t.Parallel()
	for _, release := range fakecyborg.Releases() {
		t.Run(release.Version, func(t *testing.T) {
			t.Parallel()
			server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithRelease(release))
			require.NoError(t, err)
			c := clientOf(server)
			c.makeARQs(t, "three-fpga")
			mine := c.makeARQs(t, "one-fpga")[0].UUID
			server.HideRows()
			require.Empty(t, c.call(t, http.MethodGet, "/v2/accelerator_requests", "").arqs(t), "they are hidden")

			assert.Equal(t, mine, c.showARQ(t, mine).UUID)
			require.Equal(t, http.StatusAccepted, c.bind(t, binding{mine, "rack1", driver.ProviderUUID(fakeName), instanceA}).status)
			require.Len(t, c.call(t, http.MethodGet, "/v2/accelerator_requests?instance="+instanceA, "").arqs(t), 1)
			require.Equal(t, http.StatusNoContent, c.call(t, http.MethodDelete, "/v2/accelerator_requests?instance="+instanceA, "").status)
			require.Empty(t, c.call(t, http.MethodGet, "/v2/accelerator_requests?instance="+instanceA, "").arqs(t))
			require.Equal(t, http.StatusNotFound, c.call(t, http.MethodGet, "/v2/accelerator_requests/"+mine, "").status)
		})
	}
}

// A thousand clients, each with a connection of its own, take a request through its
// life at the same time.
func TestThousandClients(t *testing.T) {
	t.Parallel()
	const clients, handles = 1000, 16
	seed := fakecyborg.Seed{DeviceProfiles: twoHosts().DeviceProfiles}
	for i := range clients/handles + 1 {
		seed.Hosts = append(seed.Hosts, fakecyborg.Host{Name: fmt.Sprintf("host-%d", i), Devices: []fakecyborg.Device{{Driver: "fake"}}})
	}
	server := fakecyborg.Start(t, fakecyborg.WithSeed(seed))
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	t.Cleanup(transport.CloseIdleConnections)
	c := client{base: server.URL(), http: &http.Client{Transport: transport}}

	var everybody, done sync.WaitGroup
	everybody.Add(clients)
	for i := range clients {
		done.Go(func() {
			arrived := sync.OnceFunc(everybody.Done)
			defer arrived()
			made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`)
			arrived()
			everybody.Wait()
			if !assert.Equal(t, http.StatusCreated, made.status, made.body) {
				return
			}
			arq, instance, host := made.arqs(t)[0].UUID, uuid.NewString(), fmt.Sprintf("host-%d", i/handles)
			bound := c.bind(t, binding{arq, host, driver.ProviderUUID(host + "_FakeDevice"), instance})
			assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
			listed := c.call(t, http.MethodGet, "/v2/accelerator_requests?instance="+instance, "").arqs(t)
			if assert.Len(t, listed, 1) {
				assert.Equal(t, "Bound", listed[0].State)
			}
			assert.Equal(t, http.StatusNoContent, c.call(t, http.MethodDelete, "/v2/accelerator_requests?instance="+instance, "").status)
		})
	}
	done.Wait()
	state := server.State("")
	assert.Empty(t, state.ARQs)
	assert.Zero(t, state.HandlesInUse)
	assert.Zero(t, state.InFlight)
	assert.Equal(t, clients, state.Exchanges["arq:update"])
}

// storedARQs is a server that holds so many requests.
func storedARQs(b *testing.B, number int) *fakecyborg.Server {
	b.Helper()
	seed := twoHosts()
	seed.DeviceProfiles = append(seed.DeviceProfiles, fakecyborg.DeviceProfile{
		Name: "hundred", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "100"}}},
	})
	server, err := fakecyborg.New(fakecyborg.WithSeed(seed))
	require.NoError(b, err)
	b.Cleanup(server.Close)
	for range number / 100 {
		clientOf(server).makeARQs(b, "hundred")
	}
	server.Journal().Clear("")
	return server
}

// BenchmarkStored takes one request through its life among 100 and among 100,000
// others; "x-of-100" is how much longer a step takes among the many.
func BenchmarkStored(b *testing.B) {
	few, many := clientOf(storedARQs(b, 100)), clientOf(storedARQs(b, 100_000))
	steps := []string{"get", "bind", "list by instance", "delete"}
	life := func(c client, into map[string]time.Duration) {
		arq, instance := c.makeARQs(b, "one-fpga")[0].UUID, uuid.NewString()
		for _, step := range steps {
			began := time.Now()
			switch step {
			case "get":
				c.showARQ(b, arq)
			case "bind":
				require.Equal(b, http.StatusAccepted, c.bind(b, binding{arq, "rack1", driver.ProviderUUID(fakeName), instance}).status)
			case "list by instance":
				require.Len(b, c.call(b, http.MethodGet, "/v2/accelerator_requests?instance="+instance, "").arqs(b), 1)
			case "delete":
				require.Equal(b, http.StatusNoContent, c.call(b, http.MethodDelete, "/v2/accelerator_requests/"+arq, "").status)
			}
			into[step] += time.Since(began)
		}
	}
	amongFew, amongMany := make(map[string]time.Duration), make(map[string]time.Duration)
	for b.Loop() {
		life(few, amongFew)
		life(many, amongMany)
	}
	for unit, step := range map[string]string{"get-x-of-100": "get", "bind-x-of-100": "bind", "list-x-of-100": "list by instance", "delete-x-of-100": "delete"} {
		b.ReportMetric(float64(amongMany[step])/float64(amongFew[step]), unit)
	}
}

// BenchmarkMemory stores 100,000 requests; "B/ARQ" is the memory that one takes.
func BenchmarkMemory(b *testing.B) {
	const stored = 100_000
	for b.Loop() {
		before := heap()
		server := storedARQs(b, stored)
		b.ReportMetric(float64(heap()-before)/stored, "B/ARQ")
		server.Close()
	}
}

func heap() uint64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.HeapAlloc
}
