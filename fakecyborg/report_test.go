package fakecyborg_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// reporting is a server with a Placement, after its first report.
type reporting struct {
	*fakecyborg.Server
	client
	place client
	way   *rough
}

// rough is a way to Placement on which the requests get lost that begin so, with method and path; "" is none.
type rough struct {
	http.RoundTripper
	lost string
}

func (r *rough) RoundTrip(request *http.Request) (*http.Response, error) {
	if r.lost != "" && strings.HasPrefix(request.Method+" "+request.URL.Path, r.lost) {
		return nil, errors.New("lost on the way")
	}
	return r.RoundTripper.RoundTrip(request)
}

func newReporting(t *testing.T, seed fakecyborg.Seed, options ...fakecyborg.Option) reporting {
	t.Helper()
	place, err := placementtest.New()
	require.NoError(t, err)
	way := &rough{RoundTripper: place.Transport()}
	reporter, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"),
		placement.WithToken("admin"), placement.WithTransport(way), placement.WithRetries(0, 0, 0))
	require.NoError(t, err)
	server, err := fakecyborg.New(append([]fakecyborg.Option{fakecyborg.WithSeed(seed), fakecyborg.WithPlacement(reporter)}, options...)...)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.NoError(t, server.Report(t.Context()))
	raw := client{base: "http://placement.invalid", http: &http.Client{Transport: place.Transport()}}
	return reporting{server, clientOf(server), raw, way}
}

// health is the status of the server's health, and its reason.
func (r reporting) health(t *testing.T) (status int, reason string) {
	t.Helper()
	got := r.call(t, "GET", "/_fake/health", "")
	var body struct{ Reason string }
	decodeInto(t, got.body, &body)
	return got.status, body.Reason
}

func (r reporting) machine(t *testing.T, host string) *driver.Machine {
	t.Helper()
	machine, err := r.Machine(host)
	require.NoError(t, err)
	return machine
}

// offered tells whether Placement has the provider of a deployable.
func (r reporting) offered(t *testing.T, name string) bool {
	t.Helper()
	var list struct {
		Providers []struct{ Name string } `json:"resource_providers"`
	}
	r.place.ask(t, "/resource_providers?name="+name, &list)
	return len(list.Providers) == 1
}

// claim takes what a provider offers of a class for a consumer.
func (r reporting) claim(t *testing.T, provider, class string) {
	t.Helper()
	body := `{"allocations": {"` + provider + `": {"resources": {"` + class + `": 1}}}, "project_id": "p", "user_id": "u"}`
	got := r.place.call(t, "PUT", "/allocations/"+instanceA, body, "X-Auth-Token", "admin", "OpenStack-API-Version", "placement 1.20")
	require.Equal(t, http.StatusNoContent, got.status, got.body)
}

func (r reporting) unclaim(t *testing.T) {
	t.Helper()
	require.Equal(t, http.StatusNoContent, r.place.call(t, "DELETE", "/allocations/"+instanceA, "", "X-Auth-Token", "admin").status)
}

const gpuAddress = "0000:af:00.0"

// Cards come, break, are repaired and go; Cyborg and Placement know it from the
// next report on.
func TestDevicesComeAndGo(t *testing.T) {
	t.Parallel()
	for _, options := range [][]fakecyborg.Option{nil, {fakecyborg.WithCarefulReports()}} {
		r := newReporting(t, twoHosts(), options...)
		machine := r.machine(t, "rack1")
		_, err := machine.Insert("pgpu", driver.Card{Address: gpuAddress})
		require.NoError(t, err)
		assert.Len(t, r.call(t, "GET", "/v2/devices", "").listOf(t, "devices"), 3, "not reported yet")
		require.NoError(t, r.Discover(t.Context(), "rack1"))
		assert.Len(t, r.call(t, "GET", "/v2/devices?hostname=rack1&type=GPU", "").listOf(t, "devices"), 1)
		name := "rack1_" + gpuAddress
		assert.Equal(t, map[string][3]int{"PGPU": {1, 0, 1}}, r.place.inventory(t, driver.ProviderUUID(name)))

		require.NoError(t, machine.Break(gpuAddress))
		require.NoError(t, r.Discover(t.Context(), "rack1"))
		assert.True(t, r.offered(t, name), "a broken device is left alone")
		require.NoError(t, machine.Repair(gpuAddress))
		require.NoError(t, machine.Remove(gpuAddress))
		require.NoError(t, r.Discover(t.Context(), "rack1"))
		assert.False(t, r.offered(t, name))
		assert.Empty(t, r.call(t, "GET", "/v2/devices?hostname=rack1&type=GPU", "").listOf(t, "devices"))
		assert.NotContains(t, r.call(t, "GET", "/v2/attributes", "").body, `"deployable_id": 4`)
	}
	server, err := fakecyborg.New()
	require.NoError(t, err)
	require.ErrorIs(t, server.Discover(t.Context(), "nowhere"), fakecyborg.ErrNoHost)
	_, err = server.Machine("nowhere")
	require.ErrorIs(t, err, fakecyborg.ErrNoHost)
}

// The database keeps a handle that a request has: the request stays Bound, and the
// rest of the host's report is not carried out until it is unbound.
func TestDeviceVanishesUnderItsRequest(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	second := r.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, r.bind(t, binding{r.makeARQs(t, "one-fpga")[0].UUID, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
	require.Equal(t, 202, r.bind(t, binding{second, "rack1", driver.ProviderUUID(fpgaName), instanceB}).status)
	before := r.showARQ(t, second)
	require.Equal(t, 204, r.call(t, "DELETE", "/v2/accelerator_requests?instance="+instanceA, "").status)

	machine := r.machine(t, "rack1")
	require.NoError(t, machine.Remove(fpgaAddress))
	_, err := machine.Insert("pgpu", driver.Card{Address: gpuAddress})
	require.NoError(t, err)
	for range 2 {
		require.ErrorIs(t, r.Discover(t.Context(), "rack1"), fakecyborg.ErrHandleInUse)
		assert.Equal(t, before, r.showARQ(t, second))
		assert.False(t, r.offered(t, fpgaName), "the provider goes first")
		assert.False(t, r.offered(t, "rack1_"+gpuAddress), "what comes after it waits")
	}
	third := r.makeARQs(t, "one-fpga")[0].UUID
	assert.Equal(t, 404, r.bind(t, binding{third, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status, "the free handle is gone")
	require.Equal(t, 202, r.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(second)).status)
	require.NoError(t, r.Discover(t.Context(), "rack1"))
	assert.True(t, r.offered(t, "rack1_"+gpuAddress))
	assert.Equal(t, 404, r.bind(t, binding{second, "rack1", driver.ProviderUUID(fpgaName), instanceB}).status)
}

// Placement keeps the provider of a vanished device while it is claimed.
func TestClaimedDeviceVanishes(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	provider := driver.ProviderUUID(gpuName)
	r.claim(t, provider, "PGPU")
	require.NoError(t, r.machine(t, "rack2").Remove(gpuAddress))
	require.ErrorIs(t, r.Discover(t.Context(), "rack2"), placement.ErrInUse)
	assert.Equal(t, map[string][3]int{"PGPU": {1, 0, 1}}, r.place.inventory(t, provider), "as before")
	assert.Len(t, r.call(t, "GET", "/v2/devices?hostname=rack2", "").listOf(t, "devices"), 1)
	r.unclaim(t)
	require.NoError(t, r.Discover(t.Context(), "rack2"))
	assert.False(t, r.offered(t, gpuName))
	assert.Empty(t, r.call(t, "GET", "/v2/devices?hostname=rack2", "").listOf(t, "devices"))
}

// With careful reports a device in use is taken off the market, comes back, and
// goes when nobody has it any more.
func TestCarefulReports(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts(), fakecyborg.WithCarefulReports())
	provider := driver.ProviderUUID(gpuName)
	arq := r.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, r.bind(t, binding{arq, "rack2", provider, instanceA}).status)
	require.NoError(t, r.machine(t, "rack2").Remove(gpuAddress))
	require.NoError(t, r.Discover(t.Context(), "rack2"))
	assert.Equal(t, map[string][3]int{"PGPU": {1, 1, 1}}, r.place.inventory(t, provider))
	_, err := r.machine(t, "rack2").Insert("pgpu", driver.Card{Address: gpuAddress, ProductID: "1db4"})
	require.NoError(t, err)
	require.NoError(t, r.Discover(t.Context(), "rack2"))
	assert.Equal(t, map[string][3]int{"PGPU": {1, 0, 1}}, r.place.inventory(t, provider))
	require.NoError(t, r.machine(t, "rack2").Remove(gpuAddress))
	require.Equal(t, 202, r.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arq)).status)
	require.NoError(t, r.Discover(t.Context(), "rack2"))
	assert.False(t, r.offered(t, gpuName))
}

// Attributes that were made through the API go with the next report, and with them
// a trait of that name; careful reports leave them.
func TestReportsAndAttributesOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, careful := range []bool{false, true} {
		var options []fakecyborg.Option
		if careful {
			options = append(options, fakecyborg.WithCarefulReports())
		}
		r := newReporting(t, twoHosts(), options...)
		made := r.call(t, "POST", "/v2/attributes", `{"deployable_id": 3, "key": "note", "value": "OWNER_CYBORG"}`)
		require.Equal(t, 201, made.status, made.body)
		require.NoError(t, r.Report(t.Context()))
		assert.Equal(t, careful, strings.Contains(r.call(t, "GET", "/v2/attributes", "").body, `"note"`))
		want := []string{"CUSTOM_NVIDIA_1DB4"}
		if careful {
			want = append(want, "OWNER_CYBORG")
		}
		assert.Equal(t, want, r.place.traits(t, driver.ProviderUUID(gpuName)))
	}
}

// The agents report after each interval until the server is closed.
func TestReportInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReporting(t, twoHosts(), fakecyborg.WithReportInterval(time.Minute))
		name := "rack1_" + gpuAddress
		_, err := r.machine(t, "rack1").Insert("pgpu", driver.Card{Address: gpuAddress})
		require.NoError(t, err)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		assert.False(t, r.offered(t, name))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.True(t, r.offered(t, name))
		require.NoError(t, r.machine(t, "rack1").Remove(gpuAddress))
		r.Close()
		time.Sleep(time.Hour)
		assert.True(t, r.offered(t, name), "closed")
	})
	_, err := fakecyborg.New(fakecyborg.WithReportInterval(0))
	require.ErrorContains(t, err, "report interval")
}

// Another seed takes what it has not out of Placement, hosts too.
func TestLoadForgetsProviders(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	other := twoHosts()
	other.Hosts, other.Hosts[0].Devices = other.Hosts[:1], other.Hosts[0].Devices[:1]
	require.NoError(t, r.Load(t.Context(), other))
	assert.True(t, r.offered(t, fpgaName))
	for _, name := range []string{fakeName, gpuName, "rack2"} {
		assert.False(t, r.offered(t, name), name)
	}
	require.NoError(t, r.Load(t.Context(), twoHosts()))
	assert.True(t, r.offered(t, gpuName))

	r.claim(t, driver.ProviderUUID(gpuName), "PGPU")
	require.ErrorIs(t, r.Load(t.Context(), fakecyborg.Seed{}), placement.ErrInUse)
	assert.False(t, r.offered(t, fpgaName))
	assert.True(t, r.offered(t, gpuName))
}

// ownDriver has what devices says, and fails when that is nil.
type ownDriver struct{ devices *[]driver.Device }

func (d ownDriver) Discover(context.Context) ([]driver.Device, error) {
	if *d.devices == nil {
		return nil, errors.New("the bus does not answer")
	}
	return *d.devices, nil
}

// Devices of a driver of one's own stand beside those of the seed. When a driver
// fails nothing changes, and other hosts report all the same.
func TestOwnDriver(t *testing.T) {
	t.Parallel()
	devices := []driver.Device{{Type: "FPGA", Vendor: "1234", ControlPath: "0000:11:00.0", Deployables: []driver.Deployable{{
		Name: "own", Attributes: []driver.Pair{{Key: "rc", Value: "CUSTOM_OWN"}, {Key: "trait0", Value: "CUSTOM_NICE"}},
		Handles: []driver.Handle{{Type: driver.HandlePCI, Info: []driver.Pair{{Key: "bus", Value: "11"}}}},
	}}}}
	r := newReporting(t, twoHosts(), fakecyborg.WithDriver("rack1", ownDriver{&devices}), fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "aa"}))
	assert.Equal(t, []string{"CUSTOM_NICE"}, r.place.traits(t, driver.ProviderUUID("own")))
	assert.Len(t, r.call(t, "GET", "/v2/devices?hostname=rack1", "").listOf(t, "devices"), 3)
	arq := r.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, r.bind(t, binding{arq, "rack1", driver.ProviderUUID("own"), instanceA}).status)
	assert.Equal(t, map[string]string{"bus": "11"}, r.showARQ(t, arq).HandleInfo)
	require.Equal(t, 202, r.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arq)).status)

	devices[0].Deployables[0].Attributes[1].Value = "CUSTOM_NICER"
	devices[0].Model = "new"
	require.NoError(t, r.Report(t.Context()))
	assert.Equal(t, []string{"CUSTOM_NICER"}, r.place.traits(t, driver.ProviderUUID("own")))
	assert.Contains(t, r.call(t, "GET", "/v2/devices?hostname=rack1", "").body, `"model": "new"`)
	assert.Equal(t, 1, strings.Count(r.call(t, "GET", "/v2/attributes", "").body, "CUSTOM_NICER"))

	devices = nil
	require.NoError(t, r.machine(t, "rack2").Remove(gpuAddress))
	require.ErrorContains(t, r.Report(t.Context()), "report host rack1: the bus does not answer")
	assert.True(t, r.offered(t, "own"))
	assert.False(t, r.offered(t, gpuName))
	devices = []driver.Device{}
	require.NoError(t, r.Report(t.Context()))
	assert.False(t, r.offered(t, "own"))
	_, err := fakecyborg.New(fakecyborg.WithDriver("h", nil))
	require.ErrorContains(t, err, "host h has none")
}

// What Placement refuses is not kept, and tried again.
func TestDeviceThatPlacementRefuses(t *testing.T) {
	t.Parallel()
	devices := []driver.Device{{Type: "FPGA", ControlPath: "0000:11:00.0", Deployables: []driver.Deployable{{
		Name: "own", Attributes: []driver.Pair{{Key: "rc", Value: "NO_SUCH_CLASS"}}, Handles: []driver.Handle{{Type: driver.HandlePCI}},
	}}}}
	r := newReporting(t, twoHosts(), fakecyborg.WithDriver("rack1", ownDriver{&devices}))
	assert.Len(t, r.call(t, "GET", "/v2/devices?hostname=rack1", "").listOf(t, "devices"), 2)
	assert.False(t, r.offered(t, "own"))
	devices[0].Deployables[0].Attributes[0].Value = "CUSTOM_CLASS"
	require.NoError(t, r.Report(t.Context()))
	assert.True(t, r.offered(t, "own"))
	devices[0].Deployables[0].Name = fakeName
	require.NoError(t, r.Report(t.Context()), "a name that is taken")
}

// A mediated device is made before its request is Bound, on the host that the request
// names, and removed when it is unbound or deleted.
func TestMediatedDevices(t *testing.T) {
	t.Parallel()
	seed := twoHosts()
	seed.Hosts[1].Devices[0] = fakecyborg.Device{Driver: "vgpu", Card: driver.Card{Address: gpuAddress, VGPUs: 2}}
	r := newReporting(t, seed)
	machine, provider := r.machine(t, "rack2"), driver.ProviderUUID(gpuName)
	arq := r.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, r.bind(t, binding{arq, "rack2", provider, instanceA}).status)
	bound := r.showARQ(t, arq)
	assert.Equal(t, "MDEV", bound.HandleType)
	found, err := machine.Discover(t.Context())
	require.NoError(t, err)
	first := found[0].Deployables[0].Handles[0]
	_, err = machine.Attach(t.Context(), gpuName, first, instanceB)
	require.ErrorIs(t, err, driver.ErrTaken, "it is there")

	require.NoError(t, machine.Break(gpuAddress))
	failed := r.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(arq))
	assert.Equal(t, 500, failed.status)
	assert.Equal(t, "'UnbindFailed'", failed.firstLine(t))
	assert.Equal(t, bound, r.showARQ(t, arq))
	assert.Equal(t, 500, r.call(t, "DELETE", "/v2/accelerator_requests?arqs="+arq, "").status)
	assert.Equal(t, 500, r.call(t, "DELETE", "/v2/accelerator_requests?instance="+instanceA, "").status)
	other := r.makeARQs(t, "one-fpga")[0].UUID
	refused := r.bind(t, binding{other, "rack2", provider, instanceB})
	assert.Equal(t, 500, refused.status)
	assert.Contains(t, refused.firstLine(t), driver.ErrBroken.Error())
	assert.Equal(t, "BindFailed", r.showARQ(t, other).State)
	require.NoError(t, machine.Repair(gpuAddress))

	require.Equal(t, 204, r.call(t, "DELETE", "/v2/accelerator_requests?arqs="+arq+","+other, "").status)
	_, err = machine.Attach(t.Context(), gpuName, first, instanceB)
	require.NoError(t, err, "it was removed")
	require.NoError(t, machine.Detach(t.Context(), gpuName, first, instanceB))
	wrong := r.makeARQs(t, "one-fpga")[0].UUID
	assert.Equal(t, 500, r.bind(t, binding{wrong, "rack1", provider, instanceA}).status, "the wrong host has no such card")
	r.call(t, "DELETE", "/v2/accelerator_requests?arqs="+wrong, "")
	r.AssertNoLeaks(t)
}

// A device that is switched off has nothing to offer, also when its class was
// deleted through the API: then that is an error behind the change.
func TestSwitchedDeviceWithoutClass(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	var list struct {
		Attributes []struct {
			UUID string
			ID   int `json:"deployable_id"`
		}
	}
	decodeInto(t, r.call(t, "GET", "/v2/attributes?key=rc", "").body, &list)
	require.Equal(t, 3, list.Attributes[2].ID)
	require.Equal(t, 204, r.call(t, "DELETE", "/v2/attributes/"+list.Attributes[2].UUID, "").status)
	device := r.call(t, "GET", "/v2/devices?type=GPU", "").listOf(t, "devices")[0].UUID
	off := r.call(t, "POST", "/v2/devices/"+device+"/disable", "")
	assert.Equal(t, 500, off.status)
	assert.Equal(t, "module 'cyborg.accelerator.common.exception' has no attribute 'ResourceNotFound'", off.firstLine(t))
	assert.Contains(t, r.call(t, "GET", "/v2/devices/"+device, "", "OpenStack-API-Version", "accelerator 2.3").body, "maintaining")
}

// A seed that cannot be reported at all changes nothing: a host without compute node whose provider nobody made, and a
// Placement that does not answer. Where a report fails on its way, health says so until one succeeds.
func TestLoadThatCannotBeReported(t *testing.T) {
	t.Parallel()
	var devices []driver.Device
	r := newReporting(t, twoHosts(), fakecyborg.WithDriver("rack3", ownDriver{&devices}))
	before := r.call(t, "GET", "/v2/devices", "").body
	orphan := "hosts:\n  - {name: alone, devices: [{driver: fake}]}\n"
	put := r.call(t, "PUT", "/_fake/seed", orphan)
	assert.Equal(t, 502, put.status)
	assert.Contains(t, put.body, "give the host compute_node, or create its provider first")
	assert.Equal(t, before, r.call(t, "GET", "/v2/devices", "").body, "the old seed is there")
	assert.Equal(t, 204, r.call(t, "POST", "/_fake/reset", "").status, "and what a reset goes back to")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, r.Load(gone, twoHosts()), context.Canceled)
	assert.True(t, r.offered(t, gpuName))

	failing := twoHosts()
	failing.Hosts = append(failing.Hosts, fakecyborg.Host{Name: "rack3", ComputeNode: &fakecyborg.ComputeNode{VCPUs: 1, MemoryMB: 1, DiskGB: 1}})
	require.ErrorContains(t, r.Load(t.Context(), failing), "the bus does not answer")
	health := r.call(t, "GET", "/_fake/health", "")
	assert.Equal(t, 503, health.status)
	assert.Contains(t, health.body, `"reason": "report host rack3: the bus does not answer"`)
	devices = []driver.Device{}
	require.NoError(t, r.Report(t.Context()))
	health = r.call(t, "GET", "/_fake/health", "")
	assert.Equal(t, 200, health.status)
	assert.NotContains(t, health.body, "reason")
}

// The seed on the page of the control API can be reported into a Placement that has nothing else.
func TestSeedOfTheControlPageIsReported(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/fake-control.md")
	require.NoError(t, err)
	seed := regexp.MustCompile(`(?s)PUT \$FAKE/_fake/seed --data-binary '(.*?)'`).FindSubmatch(page)
	require.NotNil(t, seed)
	r := newReporting(t, twoHosts())
	put := r.call(t, "PUT", "/_fake/seed", string(seed[1]))
	assert.Equal(t, 204, put.status, put.body)
	assert.True(t, r.offered(t, "compute-1_0000:3b:00.4"))
	assert.Equal(t, 204, r.call(t, "POST", "/_fake/reset", "").status)
}

// A host of an earlier seed that cannot be taken out of Placement keeps the server from being ready, and goes with the
// next report.
func TestForgottenLater(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	other := twoHosts()
	other.Hosts = other.Hosts[:1]
	r.way.lost = "DELETE /resource_providers/" + driver.ProviderUUID(gpuName)
	require.ErrorContains(t, r.Load(t.Context(), other), "forget host rack2: ")
	status, reason := r.health(t)
	assert.Equal(t, 503, status)
	assert.Contains(t, reason, "forget host rack2: ")
	assert.True(t, r.offered(t, gpuName))
	require.Error(t, r.Report(t.Context()))
	r.way.lost = ""
	require.NoError(t, r.Report(t.Context()))
	status, _ = r.health(t)
	assert.Equal(t, 200, status)
	assert.False(t, r.offered(t, gpuName))
	assert.False(t, r.offered(t, "rack2"))
}

// What has allocations stays and is no trouble, unless something else is.
func TestInUseAndInTrouble(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	r.claim(t, driver.ProviderUUID(gpuName), "PGPU")
	r.way.lost = "DELETE /resource_providers/" + driver.ProviderUUID(fpgaName)
	err := r.Load(t.Context(), fakecyborg.Seed{})
	require.ErrorIs(t, err, placement.ErrInUse)
	require.ErrorContains(t, err, "lost on the way")
	status, reason := r.health(t)
	assert.Equal(t, 503, status)
	assert.Contains(t, reason, "lost on the way")
	r.way.lost = ""
	require.ErrorIs(t, r.Report(t.Context()), placement.ErrInUse)
	status, _ = r.health(t)
	assert.Equal(t, 200, status)
	assert.False(t, r.offered(t, fpgaName))
	r.unclaim(t)
	require.NoError(t, r.Report(t.Context()))
	assert.False(t, r.offered(t, gpuName), "released, it goes with the next report")
}

// What a seed says beside its cards outlives reports that fail, and goes with the second that succeeds.
func TestSeedOutlivesFailedReports(t *testing.T) {
	t.Parallel()
	r := newReporting(t, twoHosts())
	seed := twoHosts()
	seed.Hosts[0].Devices[0].Attributes = []fakecyborg.Attribute{{Key: "mine", Value: "v"}}
	seed.Hosts[0].Devices[1].Vanished = true
	kept := func() bool {
		return strings.Contains(r.call(t, "GET", "/v2/attributes", "").body, "mine") &&
			strings.Contains(r.call(t, "GET", "/v2/deployables", "").body, fakeName)
	}
	r.way.lost = "GET /resource_providers/" + driver.ProviderUUID(fpgaName)
	require.Error(t, r.Load(t.Context(), seed))
	require.True(t, kept())
	require.Error(t, r.Report(t.Context()))
	require.True(t, kept())
	r.way.lost = ""
	require.NoError(t, r.Report(t.Context()))
	assert.True(t, kept(), "the report that succeeds changes nothing but Placement")
	require.NoError(t, r.Report(t.Context()))
	assert.NotContains(t, r.call(t, "GET", "/v2/attributes", "").body, "mine")
	assert.NotContains(t, r.call(t, "GET", "/v2/deployables", "").body, fakeName)
}
