package fakecyborg_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
