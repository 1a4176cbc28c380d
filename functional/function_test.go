package functional_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// The functions that tenants ask for, and the images that have them.
const (
	plainFunction, plainImage   = "c32c", "7d0b4a1e-2f57-4c8f-9d2c-0d4bb31c6a10"
	dashedFunction, dashedImage = "5f3a-9b1e", "1f0a9d4c-5a77-4a6e-8f0e-3a1d6c0b7e21"
)

// functionCloud is a host with one FPGA, whose function is aa01, and profiles by
// which tenants ask for another one.
type functionCloud struct {
	fake     *fakecyborg.Server
	cyborg   *cyborgclient.Client
	manager  *lifecycle.Manager
	url      string
	client   *http.Client
	provider string
}

func newFunctionCloud(t *testing.T, url string, transport http.RoundTripper, takes time.Duration, options ...fakecyborg.Option) functionCloud {
	t.Helper()
	host := "function-" + uuid.NewString()[:8]
	seed := fakecyborg.Seed{
		Hosts: []fakecyborg.Host{{
			Name: host, ComputeNode: &fakecyborg.ComputeNode{VCPUs: 8, MemoryMB: 8192, DiskGB: 100}, ProgrammingTime: takes,
			Devices: []fakecyborg.Device{{Driver: "fpga", Card: driver.Card{Address: "0000:5e:00.0", FunctionID: "aa01", RegionID: strings.ReplaceAll(uuid.NewString(), "-", "")}}},
		}},
		Images: []driver.Image{{ID: plainImage, FunctionID: plainFunction}, {ID: dashedImage, FunctionID: dashedFunction}},
	}
	region := fakecyborg.Property{Key: "trait:CUSTOM_FPGA_REGION_INTEL_" + strings.ToUpper(seed.Hosts[0].Devices[0].RegionID), Value: "required"}
	for _, function := range []string{plainFunction, dashedFunction} {
		seed.DeviceProfiles = append(seed.DeviceProfiles, fakecyborg.DeviceProfile{
			Name: function, Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}, {Key: "accel:function_id", Value: function}, region}},
		})
	}
	client, events := placementClient(t, url, transport), make(chan fakecyborg.Event, 16)
	server, err := fakecyborg.New(append([]fakecyborg.Option{fakecyborg.WithSeed(seed), fakecyborg.WithPlacement(client), fakecyborg.WithEvents(events)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.NoError(t, server.Report(t.Context()))
	receiver, err := virtdriver.NewReceiver()
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go deliver(events, receiver, done)
	c := functionCloud{fake: server, cyborg: cyborgClient(t, server.Transport()), url: url, client: &http.Client{Transport: transport}, provider: driver.ProviderUUID(host + "_0000:5e:00.0")}
	c.manager, err = lifecycle.New(client, c.cyborg, lifecycle.WithWaiter(virtdriver.WithReceiver(receiver)))
	require.NoError(t, err)
	return c
}

// functions are the traits of the provider that name a function.
func (c functionCloud) functions(t *testing.T) []string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/resource_providers/"+c.provider+"/traits", nil)
	require.NoError(t, err)
	request.Header.Set("X-Auth-Token", "admin")
	request.Header.Set("OpenStack-API-Version", "placement 1.6")
	response, err := c.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var answer struct{ Traits []string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	return onlyFunctions(answer.Traits)
}

func onlyFunctions(traits []string) []string {
	return slices.DeleteFunc(traits, func(trait string) bool { return !strings.HasPrefix(trait, driver.FunctionTraitPrefix) })
}

// device is what Cyborg says of the FPGA: its image, and the function by its attributes.
func (c functionCloud) device(t *testing.T) (bitstream string, functions []string) {
	t.Helper()
	deployables, err := c.cyborg.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	require.Len(t, deployables, 1)
	attributes, err := deployables[0].Attributes()
	require.NoError(t, err)
	for _, attribute := range attributes {
		functions = append(functions, attribute.Value)
	}
	return deployables[0].BitstreamID, onlyFunctions(functions)
}

func functionTraits(ids ...string) []string {
	var traits []string
	for _, id := range ids {
		traits = append(traits, driver.FunctionTraitPrefix+"_INTEL_"+id)
	}
	return traits
}

// An accelerated function as a service: the FPGA is programmed while the instance
// is built, Nova hears of it late, and trait, bitstream and attributes change.
func TestFunctionAsAService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		place, err := placementtest.New()
		require.NoError(t, err)
		c := newFunctionCloud(t, "http://placement.localhost", place.Transport(), 20*time.Second, fakecyborg.WithReportInterval(time.Hour))
		require.NoError(t, c.fake.Faults().Add(fault.Rule{Operation: fault.Event, First: 1, Fault: fault.EventDelay{For: 30 * time.Second}}))
		began := time.Now()
		testFunction(t, c)
		assert.GreaterOrEqual(t, time.Since(began), 20*time.Second)
		time.Sleep(time.Minute)
		told := c.fake.Journal().Entries(func(entry journal.Entry) bool { return entry.Kind == journal.Event })
		require.Len(t, told, 1)
		assert.GreaterOrEqual(t, told[0].Started.Add(told[0].Duration).Sub(began), 50*time.Second, "late")
	})
}

func TestFunctionAsAServiceOnRealPlacement(t *testing.T) {
	t.Parallel()
	url, _ := realPlacement(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	testFunction(t, newFunctionCloud(t, url, transport, 50*time.Millisecond))
}

func testFunction(t *testing.T, c functionCloud) {
	t.Helper()
	assert.Equal(t, functionTraits("AA01"), c.functions(t))
	created, err := c.manager.Create(t.Context(), request(plainFunction))
	require.NoError(t, err)
	require.Len(t, created.ARQs, 1)
	assert.Equal(t, cyborgclient.StateBound, created.ARQs[0].State)
	assert.Equal(t, functionTraits("C32C"), c.functions(t), "at the bind")
	bitstream, functions := c.device(t)
	assert.Equal(t, plainImage, bitstream)
	assert.Equal(t, functionTraits("AA01"), functions, "until the next report")

	require.NoError(t, c.fake.Report(t.Context()))
	_, functions = c.device(t)
	assert.Equal(t, functionTraits("C32C"), functions)
	assert.Equal(t, functionTraits("C32C"), c.functions(t))
	require.NoError(t, c.manager.Delete(t.Context(), created.Record))
	bitstream, _ = c.device(t)
	assert.Equal(t, plainImage, bitstream, "the device keeps its image")
	assert.Equal(t, functionTraits("C32C"), c.functions(t))
}

// The trait that Cyborg makes of a function id with dashes is one that Placement
// refuses: the device is programmed, its old trait is gone, the bind fails, and
// nothing is left of the instance. Without that fault it works.
func TestFunctionWithDashes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		place, err := placementtest.New()
		require.NoError(t, err)
		c := newFunctionCloud(t, "http://placement.localhost", place.Transport(), time.Second)
		_, err = c.manager.Create(t.Context(), request(dashedFunction))
		require.ErrorContains(t, err, "BindFailed")
		assert.Empty(t, c.functions(t))
		bitstream, functions := c.device(t)
		assert.Empty(t, bitstream)
		assert.Equal(t, functionTraits("AA01"), functions)
		require.NoError(t, c.fake.Report(t.Context()))
		assert.Equal(t, functionTraits("5F3A9B1E"), c.functions(t), "the driver leaves the dashes out")
		c.fake.AssertNoLeaks(t)
		assert.Zero(t, place.AllocationCount())

		careful := newFunctionCloud(t, "http://placement.localhost", place.Transport(), time.Second, fakecyborg.WithCarefulReports())
		created, err := careful.manager.Create(t.Context(), request(dashedFunction))
		require.NoError(t, err)
		assert.Equal(t, functionTraits("5F3A_9B1E"), careful.functions(t))
		require.NoError(t, careful.manager.Delete(t.Context(), created.Record))
	})
}
