package openstack_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

func TestServersTellsAllOfAServer(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	created := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	cloud.AddServer(computetest.Instance{
		ID: "a1-server", Name: "ep-physics-01J0A", Metadata: smallVM("01J0A").Tags(), Networks: []string{networkID},
		Host: "compute-7", Created: created,
	})
	want := []elasticpool.Server{{
		ID: "a1-server", VM: "01J0A", Pool: pool, Class: "small", Queue: "juno", Generation: 7, Status: elasticpool.ServerActive,
		Host: "compute-7", Addresses: []string{"10.0.0.a1"}, Created: created,
	}}
	assert.Empty(t, cmp.Diff(want, list(t, provider, pool)))
}

// Users who are not admins see no hosts, but Nova's id of a host for their project, which tells hosts apart.
func TestServersTellsHostsApartWithoutAdmin(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithoutAdmin())
	provider := newProvider(t, to, openstack.Settings{})
	cloud.AddServer(computetest.Instance{Metadata: smallVM("01J0A").Tags(), Host: "0a1b2c3d4e5f", Zone: "hall-2"})
	cloud.AddServer(computetest.Instance{Metadata: smallVM("01J0B").Tags(), Zone: "hall-2"})
	servers := list(t, provider, pool)
	require.Len(t, servers, 2)
	assert.Equal(t, "hall-2", servers[0].Host)
	assert.Equal(t, "hall-2/0a1b2c3d", servers[1].Host)
}

func TestServersReadsAllPages(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 9, 10, 11, 20, 25} {
		t.Run(strconv.Itoa(count), func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t, computetest.WithPageSize(10))
			provider := newProvider(t, to, openstack.Settings{})
			for i := range count {
				cloud.AddServer(computetest.Instance{Metadata: smallVM(fmt.Sprintf("01J%02d", i)).Tags()})
			}
			assert.Len(t, list(t, provider, pool), count)
		})
	}
}

// A list that ends half-way is short: whoever takes it for whole gives up VMs that are there.
func TestServersSaysThatTheListIsShort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(*computetest.Server)
		found int
	}{
		{"second page fails", func(c *computetest.Server) {
			c.Inject(computetest.Fault{Path: "/servers/detail", Query: "marker", Status: http.StatusInternalServerError, Times: -1})
		}, 10},
		{"third page is cut", func(c *computetest.Server) {
			c.Inject(computetest.Fault{Path: "/servers/detail", Query: "marker", Skip: 1, Cut: true, Times: -1})
		}, 20},
		{"server that the next page begins after is deleted", func(c *computetest.Server) {
			c.Inject(computetest.Fault{Path: "/servers/detail", Query: "marker", Do: func() { c.Remove("vm-15") }})
		}, 10},
		{"the same page for ever", func(c *computetest.Server) {
			c.Inject(computetest.Fault{
				Path: "/servers/detail", Query: "marker", Status: http.StatusOK, Times: -1, Header: map[string]string{"Content-Type": "application/json"},
				Body: `{"servers": [{"id": "x", "status": "ACTIVE", "metadata": {}, "created": "2026-11-30T08:00:00Z"}],
					"servers_links": [{"rel": "next", "href": "http://cloud.test/compute/v2.1/servers/detail?marker=x"}]}`,
			})
		}, 10},
		{"cell is down", func(c *computetest.Server) { c.CellDown(true) }, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t, computetest.WithPageSize(10))
			provider := newProvider(t, to, openstack.Settings{})
			for i := range 25 {
				cloud.AddServer(computetest.Instance{ID: fmt.Sprintf("vm-%02d", i), Metadata: smallVM(fmt.Sprintf("01J%02d", i)).Tags()})
			}
			test.fault(cloud)
			servers, complete, err := provider.Servers(t.Context(), pool)
			require.NoError(t, err)
			assert.False(t, complete)
			assert.Len(t, servers, test.found)

			cloud.ClearFaults()
			cloud.CellDown(false)
			assert.NotEmpty(t, list(t, provider, pool))
		})
	}
}

// A failure is never an empty answer.
func TestServersFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault computetest.Fault
		class error
	}{
		{"Nova fails", computetest.Fault{Status: http.StatusInternalServerError}, elasticpool.ErrTransient},
		{"unavailable", computetest.Fault{Status: http.StatusServiceUnavailable}, elasticpool.ErrTransient},
		{"cut", computetest.Fault{Cut: true}, elasticpool.ErrTransient},
		{"not JSON", computetest.Fault{Status: http.StatusOK, Body: "<html>"}, elasticpool.ErrTransient},
		{"policy", computetest.Fault{Status: http.StatusForbidden, Body: `{"forbidden": {"message": "Policy doesn't allow os_compute_api:servers:detail to be performed."}}`}, elasticpool.ErrUnauthorized},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t)
			provider := newProvider(t, to, openstack.Settings{})
			test.fault.Path, test.fault.Times = "/servers/detail", -1
			cloud.Inject(test.fault)
			_, complete, err := provider.Servers(t.Context(), pool)
			require.ErrorIs(t, err, test.class)
			assert.False(t, complete)
			_, err = provider.Limits(t.Context())
			require.ErrorIs(t, err, test.class)
		})
	}
}

func TestNovaThatIsTooOld(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t, computetest.WithMaxVersion("2.60"))
	provider := newProvider(t, to, openstack.Settings{})
	_, _, err := provider.Servers(t.Context(), pool)
	require.ErrorIs(t, err, elasticpool.ErrUnsupported)
	assert.Contains(t, err.Error(), "maximum is 2.60")
}

func TestTokenIsRenewed(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	mustCreate(t, provider, smallVM("01J0A"))
	cloud.EndSessions()
	mustCreate(t, provider, smallVM("01J0B"))
	assert.Len(t, list(t, provider, pool), 2)
}

// ERROR servers keep Nova's words, so that they can be told apart.
func TestServersThatFailedToBuild(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		cloud []computetest.Option
		fault string
		class error
	}{
		{name: "no host", cloud: []computetest.Option{computetest.WithHosts(0)}, class: elasticpool.ErrCapacity},
		{name: "no address", cloud: []computetest.Option{computetest.WithNetworks(computetest.Network{ID: networkID, Name: "jobs"})}, class: elasticpool.ErrCapacity},
		{
			name:  "accelerators cannot be bound",
			fault: "Failed to bind accelerator requests for instance 11.", class: elasticpool.ErrCapacity,
		},
		{name: "something else", fault: "libvirt has gone away", class: elasticpool.ErrTransient},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t, test.cloud...)
			provider := newProvider(t, to, openstack.Settings{})
			if test.fault != "" {
				cloud.BreakBuild(test.fault)
			}
			created := mustCreate(t, provider, smallVM("01J0A"))
			servers := list(t, provider, pool)
			require.Len(t, servers, 1)
			assert.Equal(t, elasticpool.ServerError, servers[0].Status)
			require.ErrorIs(t, openstack.ClassOfFault(servers[0].Fault), test.class)
			require.NoError(t, provider.Delete(t.Context(), created))
			assert.Empty(t, cloud.Servers())
		})
	}
}
