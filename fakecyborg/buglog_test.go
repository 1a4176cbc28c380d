package fakecyborg_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

// TestBugLogServiceIsDown: a service that is missing was told as a 400. Whatever an
// operation writes, a rule makes it a 503, and the state is as before.
func TestBugLogServiceIsDown(t *testing.T) {
	t.Parallel()
	server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()))
	require.NoError(t, err)
	c := clientOf(server)
	spare := c.makeARQs(t, "one-fpga")[0].UUID
	bound := c.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, http.StatusAccepted, c.bind(t, binding{bound, "rack1", fakeProvider, instanceA}).status)
	device := c.call(t, http.MethodGet, "/v2/devices", "").listOf(t, "devices")[0].UUID
	require.NoError(t, server.Faults().Add(fault.Rule{Name: "down", Operation: "*", Fault: fault.Status{Code: http.StatusServiceUnavailable}}))
	before := server.Seed()
	for _, test := range []struct{ name, method, path, body string }{
		{"new profile", http.MethodPost, "/v2/device_profiles", profileBody(`"resources:FPGA": "1"`)},
		{"delete profile", http.MethodDelete, "/v2/device_profiles?value=three-fpga", ""},
		{"new request", http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`},
		{"bind", http.MethodPatch, "/v2/accelerator_requests", bindBody(binding{spare, "rack1", fakeProvider, instanceB})},
		{"unbind", http.MethodPatch, "/v2/accelerator_requests", unbindBody(bound)},
		{"delete request", http.MethodDelete, "/v2/accelerator_requests?arqs=" + spare, ""},
		{"disable", http.MethodPost, "/v2/devices/" + device + "/disable", ""},
		{"new attribute", http.MethodPost, "/v2/attributes", `{"deployable_id": 1, "key": "k", "value": "v"}`},
	} {
		assert.Equal(t, http.StatusServiceUnavailable, c.call(t, test.method, test.path, test.body).status, test.name)
		assert.Equal(t, before, server.Seed(), test.name)
	}
	server.Faults().Clear("")
	require.Equal(t, http.StatusNoContent, c.call(t, http.MethodPost, "/v2/devices/"+device+"/disable", "").status)
	assert.NotEqual(t, before, server.Seed(), "the state shows what is written")
}

// cutOff answers 503 while it is down.
type cutOff struct {
	http.RoundTripper
	down atomic.Bool
}

func (c *cutOff) RoundTrip(request *http.Request) (*http.Response, error) {
	if c.down.Load() {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Request: request, Header: make(http.Header), Body: http.NoBody}, nil
	}
	return c.RoundTripper.RoundTrip(request)
}

// TestBugLogPlacementIsDown: what a report finds is not in the database while
// Placement is down, and is after the first report that reaches it.
func TestBugLogPlacementIsDown(t *testing.T) {
	t.Parallel()
	place, err := placementtest.New()
	require.NoError(t, err)
	way := &cutOff{RoundTripper: place.Transport()}
	reporter, err := placement.New(t.Context(), placement.WithEndpoint("http://placement.invalid"), placement.WithToken("admin"),
		placement.WithTransport(way), placement.WithRetries(1, time.Millisecond, time.Millisecond))
	require.NoError(t, err)
	server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithPlacement(reporter))
	require.NoError(t, err)
	t.Cleanup(server.Close)
	require.NoError(t, server.Report(t.Context()))
	machine, err := server.Machine("rack1")
	require.NoError(t, err)
	_, err = machine.Insert("pgpu", driver.Card{Address: gpuAddress})
	require.NoError(t, err)
	c := clientOf(server)
	before := c.call(t, http.MethodGet, "/v2/devices", "").body
	way.down.Store(true)
	require.ErrorContains(t, server.Discover(t.Context(), "rack1"), "503")
	assert.Equal(t, before, c.call(t, http.MethodGet, "/v2/devices", "").body)
	way.down.Store(false)
	require.NoError(t, server.Discover(t.Context(), "rack1"))
	assert.NotEqual(t, before, c.call(t, http.MethodGet, "/v2/devices", "").body)
}

// TestBugLogJournalIsReadMeanwhile: handlers run on many goroutines, and so do the
// readers of what they wrote down.
func TestBugLogJournalIsReadMeanwhile(t *testing.T) {
	t.Parallel()
	const clients = 100
	seed := fakecyborg.Seed{DeviceProfiles: twoHosts().DeviceProfiles}
	for i := range clients / 10 {
		seed.Hosts = append(seed.Hosts, fakecyborg.Host{Name: fmt.Sprintf("host-%d", i), Devices: []fakecyborg.Device{{Driver: "fake"}}})
	}
	server, err := fakecyborg.New(fakecyborg.WithSeed(seed))
	require.NoError(t, err)
	c := clientOf(server)
	var everybody sync.WaitGroup
	for i := range clients {
		everybody.Go(func() {
			made := c.call(t, http.MethodPost, "/v2/accelerator_requests", `{"device_profile_name": "one-fpga"}`)
			if !assert.Equal(t, http.StatusCreated, made.status, made.body) {
				return
			}
			host, arq := fmt.Sprintf("host-%d", i/10), made.arqs(t)[0].UUID
			bound := c.bind(t, binding{arq, host, driver.ProviderUUID(host + "_FakeDevice"), fmt.Sprintf("aaaaaaaa-0000-4000-8000-%012d", i)})
			assert.Equal(t, http.StatusAccepted, bound.status, bound.body)
			mine := server.Journal().Entries(func(e journal.Entry) bool { return strings.Contains(e.RequestBody.Text, arq) })
			assert.Len(t, mine, 1, "its own bind")
			if i%2 == 0 {
				assert.Equal(t, http.StatusNoContent, c.call(t, http.MethodDelete, "/v2/accelerator_requests?arqs="+arq, "").status)
			}
			assert.NotZero(t, server.Journal().Counts("")["arq:create"])
		})
	}
	everybody.Wait()
	left := c.call(t, http.MethodGet, "/v2/accelerator_requests", "").arqs(t)
	assert.Len(t, left, clients/2)
	for _, arq := range left {
		assert.Equal(t, "Bound", arq.State)
	}
	assert.Len(t, server.Journal().Entries(journal.Filter{Operation: "arq:update"}.Match), clients)
}
