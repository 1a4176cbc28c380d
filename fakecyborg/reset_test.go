package fakecyborg_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// A seed that is refused leaves the binds under way alone.
func TestRefusedSeedLeavesBinds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := faultyServer(t, []fault.Rule{{Operation: fault.Bind, Fault: fault.Late{After: time.Minute}}})
		c := clientOf(server)
		arq := c.makeARQs(t, "one-fpga")[0].UUID
		require.Equal(t, 202, c.bind(t, binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA}).status)
		require.Equal(t, 400, c.call(t, http.MethodPut, "/_fake/seed", "hosts: [{name: h, devices: [{driver: none}]}]").status)
		require.Error(t, server.Load(t.Context(), fakecyborg.Seed{Hosts: []fakecyborg.Host{{}}}))
		time.Sleep(2 * time.Minute)
		assert.Equal(t, "Bound", c.showARQ(t, arq).State)
		assert.Equal(t, 1, server.Journal().Counts("")["event"])
	})
}

// A bind waits as long as whoever gets its event; a reset ends that, too.
func TestResetEndsABindThatWaitsForNova(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithEvents(make(chan fakecyborg.Event)))
		require.NoError(t, err)
		c := clientOf(server)
		arq := c.makeARQs(t, "one-fpga")[0].UUID
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, c.base+"/v2/accelerator_requests",
			jsonBody(bindBody(binding{arq, "rack1", driver.ProviderUUID(fpgaName), instanceA})))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/json")
		statuses := make(chan int, 1)
		go func() {
			response, err := c.http.Do(request)
			if assert.NoError(t, err) {
				assert.NoError(t, response.Body.Close())
				statuses <- response.StatusCode
			}
		}()
		synctest.Wait()
		require.Equal(t, "Bound", c.showARQ(t, arq).State)
		require.NoError(t, server.Reset(t.Context()))
		assert.Equal(t, 500, <-statuses)
		server.AssertNoLeaks(t)
	})
}

// Seeds are loaded one after the other, and whoever waits gives up with its context.
func TestResetWaitsItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blocked := make(chan struct{})
		server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithDriver("rack1", blocking{blocked}))
		require.NoError(t, err)
		done := make(chan error)
		go func() { done <- server.Reset(t.Context()) }() // whose report waits
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, server.Load(ctx, fakecyborg.Seed{}), context.DeadlineExceeded)
		assert.Len(t, server.Seed().Hosts, 2)
		close(blocked)
		require.NoError(t, <-done)
		require.NoError(t, server.Load(t.Context(), fakecyborg.Seed{}))
		assert.Empty(t, server.Seed().Hosts)
	})
}

// blocking is a driver that answers when its channel is closed.
type blocking struct{ until chan struct{} }

func (b blocking) Discover(context.Context) ([]driver.Device, error) {
	<-b.until
	return nil, nil
}

// A seed that cannot be reported is told of by health also where there is no Placement.
func TestHealthWithoutPlacement(t *testing.T) {
	t.Parallel()
	var devices []driver.Device
	c := newClientOf(t, fakecyborg.WithDriver("rack1", ownDriver{&devices}))
	seed, err := yaml.Marshal(twoHosts())
	require.NoError(t, err)
	require.Equal(t, 502, c.call(t, http.MethodPut, "/_fake/seed", string(seed)).status)
	assert.Equal(t, 503, c.call(t, http.MethodGet, "/_fake/health", "").status)
	devices = []driver.Device{}
	require.Equal(t, 204, c.call(t, http.MethodPost, "/_fake/devices/report", "").status)
	assert.Equal(t, 200, c.call(t, http.MethodGet, "/_fake/health", "").status)
}
