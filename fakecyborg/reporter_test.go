package fakecyborg_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// withPlacement makes a server that reports into a Placement in memory, and a
// raw client of that Placement.
func withPlacement(t *testing.T, seed fakecyborg.Seed) (*fakecyborg.Server, client) {
	t.Helper()
	place, err := placementtest.New()
	require.NoError(t, err)
	reporter, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"),
		placement.WithToken("admin"), placement.WithTransport(place.Transport()))
	require.NoError(t, err)
	server, err := fakecyborg.New(fakecyborg.WithSeed(seed), fakecyborg.WithPlacement(reporter))
	require.NoError(t, err)
	return server, client{base: "http://placement.invalid", http: &http.Client{Transport: place.Transport()}}
}

// ask reads a Placement answer into a value.
func (c client) ask(t *testing.T, path string, into any) {
	t.Helper()
	got := c.call(t, "GET", path, "", "X-Auth-Token", "admin", "OpenStack-API-Version", "placement 1.20", "Accept", "application/json")
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.NoError(t, json.Unmarshal([]byte(got.body), into))
}

func (c client) traits(t *testing.T, provider string) []string {
	t.Helper()
	var answer struct{ Traits []string }
	c.ask(t, "/resource_providers/"+provider+"/traits", &answer)
	slices.Sort(answer.Traits)
	return answer.Traits
}

// inventory is total, reserved and max_unit of each class.
func (c client) inventory(t *testing.T, provider string) map[string][3]int {
	t.Helper()
	var answer struct {
		Inventories map[string]struct {
			Total    int
			Reserved int
			MaxUnit  int `json:"max_unit"`
		}
	}
	c.ask(t, "/resource_providers/"+provider+"/inventories", &answer)
	found := make(map[string][3]int)
	for class, i := range answer.Inventories {
		found[class] = [3]int{i.Total, i.Reserved, i.MaxUnit}
	}
	return found
}

const unlimited = 2147483647

func TestReport(t *testing.T) {
	t.Parallel()
	server, place := withPlacement(t, twoHosts())
	for range 2 {
		require.NoError(t, server.Report(t.Context()), "a report can be repeated")
	}
	var root struct {
		Providers []struct{ UUID, Name string } `json:"resource_providers"`
	}
	place.ask(t, "/resource_providers?name=rack1", &root)
	require.Len(t, root.Providers, 1)
	assert.Equal(t, []string{"COMPUTE_ACCELERATORS"}, place.traits(t, root.Providers[0].UUID))
	assert.Equal(t, map[string][3]int{"VCPU": {32, 0, unlimited}, "MEMORY_MB": {65536, 0, unlimited}, "DISK_GB": {1000, 0, unlimited}}, place.inventory(t, root.Providers[0].UUID))

	for name, want := range map[string]struct {
		traits    []string
		inventory map[string][3]int
	}{
		fpgaName: {[]string{"CUSTOM_FPGA_FUNCTION_ID_INTEL_AA01", "CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_FPGA_REGION_INTEL_BB02"}, map[string][3]int{"FPGA": {2, 0, 2}}},
		fakeName: {[]string{"CUSTOM_FAKE_DEVICE"}, map[string][3]int{"FPGA": {16, 0, 16}}},
		gpuName:  {[]string{"CUSTOM_NVIDIA_1DB4", "OWNER_CYBORG"}, map[string][3]int{"PGPU": {1, 0, 1}}},
	} {
		id := driver.ProviderUUID(name)
		assert.Equal(t, want.traits, place.traits(t, id), name)
		assert.Equal(t, want.inventory, place.inventory(t, id), name)
		var provider struct {
			Name   string
			Parent string `json:"parent_provider_uuid"`
		}
		place.ask(t, "/resource_providers/"+id, &provider)
		assert.Equal(t, name, provider.Name)
		assert.NotEmpty(t, provider.Parent)
	}
}

func TestComputeNodeID(t *testing.T) {
	t.Parallel()
	seed := fakecyborg.Seed{Hosts: []fakecyborg.Host{
		{Name: "realstack-cn1", ComputeNode: &fakecyborg.ComputeNode{VCPUs: 1, MemoryMB: 1, DiskGB: 1}},
		{Name: "given", ComputeNode: &fakecyborg.ComputeNode{UUID: instanceA, VCPUs: 1, MemoryMB: 1, DiskGB: 1}},
	}}
	server, place := withPlacement(t, seed)
	require.NoError(t, server.Report(t.Context()))
	for id, name := range map[string]string{"55000c73-102e-559f-a8cd-63f5e94ef5ac": "realstack-cn1", instanceA: "given"} {
		var provider struct{ Name string }
		place.ask(t, "/resource_providers/"+id, &provider)
		assert.Equal(t, name, provider.Name)
	}
}

func TestDisabledDeviceIsReserved(t *testing.T) {
	t.Parallel()
	server, place := withPlacement(t, twoHosts())
	require.NoError(t, server.Report(t.Context()))
	c := clientOf(server)
	device := c.call(t, "GET", "/v2/devices?type=GPU", "").listOf(t, "devices")[0].UUID
	id := driver.ProviderUUID(gpuName)
	require.Equal(t, 204, c.call(t, "POST", "/v2/devices/"+device+"/disable", "").status)
	assert.Equal(t, map[string][3]int{"PGPU": {1, 1, unlimited}}, place.inventory(t, id))
	require.NoError(t, server.Report(t.Context()))
	assert.Equal(t, map[string][3]int{"PGPU": {1, 1, unlimited}}, place.inventory(t, id), "a report keeps it")
	require.Equal(t, 204, c.call(t, "POST", "/v2/devices/"+device+"/enable", "").status)
	assert.Equal(t, map[string][3]int{"PGPU": {1, 0, unlimited}}, place.inventory(t, id))
}

// A host without compute node needs a provider that somebody else made; the
// server is not ready before its report has succeeded.
func TestReportWithoutHostProvider(t *testing.T) {
	t.Parallel()
	seed := twoHosts()
	seed.Hosts[1].ComputeNode = nil
	server, place := withPlacement(t, seed)
	c := clientOf(server)
	assert.Equal(t, http.StatusServiceUnavailable, c.call(t, "GET", "/_fake/health", "").status)
	require.ErrorContains(t, server.Report(t.Context()), "report host rack2: ")
	assert.Equal(t, http.StatusServiceUnavailable, c.call(t, "GET", "/_fake/health", "").status)

	made := place.call(t, "POST", "/resource_providers", `{"name": "rack2"}`, "X-Auth-Token", "admin")
	require.Less(t, made.status, 300, made.body)
	require.NoError(t, server.Report(t.Context()))
	ready := c.call(t, "GET", "/_fake/health", "")
	assert.Equal(t, http.StatusOK, ready.status)
	assert.JSONEq(t, `{"status":"ready","release":"2026.2","version":"17.0.0"}`, ready.body)
	assert.Equal(t, http.StatusNotFound, c.call(t, "GET", "/_fake/nothing", "").status)
}

// A server that is started anew on the same Placement reports again, takes its devices for its own, also where it had
// reserved one, and leaves alone what an operator changed.
func TestReportAfterARestart(t *testing.T) {
	t.Parallel()
	place, err := placementtest.New()
	require.NoError(t, err)
	reporter, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"),
		placement.WithToken("admin"), placement.WithTransport(place.Transport()))
	require.NoError(t, err)
	raw := client{base: "http://placement.invalid", http: &http.Client{Transport: place.Transport()}}
	start := func() (*fakecyborg.Server, client) {
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithPlacement(reporter))
		require.NoError(t, err)
		return server, clientOf(server)
	}
	server, c := start()
	require.NoError(t, server.Report(t.Context()))
	gpu := c.call(t, "GET", "/v2/devices?type=GPU", "").listOf(t, "devices")[0].UUID
	require.Equal(t, 204, c.call(t, "POST", "/v2/devices/"+gpu+"/disable", "").status)

	server, c = start()
	require.NoError(t, server.Report(t.Context()))
	id := driver.ProviderUUID(gpuName)
	assert.Equal(t, map[string][3]int{"PGPU": {1, 0, 1}}, raw.inventory(t, id))
	gpu = c.call(t, "GET", "/v2/devices?type=GPU", "").listOf(t, "devices")[0].UUID
	require.Equal(t, 204, c.call(t, "POST", "/v2/devices/"+gpu+"/disable", "").status)
	assert.Equal(t, map[string][3]int{"PGPU": {1, 1, unlimited}}, raw.inventory(t, id))

	var held struct {
		Generation int `json:"resource_provider_generation"`
	}
	raw.ask(t, "/resource_providers/"+id+"/inventories", &held)
	changed := raw.call(t, "PUT", "/resource_providers/"+id+"/inventories/PGPU",
		fmt.Sprintf(`{"resource_provider_generation": %d, "total": 7}`, held.Generation), "X-Auth-Token", "admin", "OpenStack-API-Version", "placement 1.20")
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.ErrorIs(t, server.Report(t.Context()), placement.ErrForeign)
	assert.Equal(t, map[string][3]int{"PGPU": {7, 0, unlimited}}, raw.inventory(t, id))
}
