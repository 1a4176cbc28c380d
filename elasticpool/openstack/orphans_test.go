package openstack_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

// portMark is how ports of a pool's VM are marked.
func portMark(pool, vm string) string {
	return elasticpool.TagPool + "=" + pool + " " + elasticpool.TagVM + "=" + vm
}

func tagged(pool, vm string) map[string]string {
	return map[string]string{elasticpool.TagPool: pool, elasticpool.TagVM: vm}
}

func ids(orphans []openstack.Orphan) []string {
	var ids []string
	for _, orphan := range orphans {
		ids = append(ids, orphan.ID)
	}
	return ids
}

// What servers left is found by its tags and removed after a grace; what is others', or of a VM that is there, stays.
func TestReapRemovesOrphansAndNothingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New()
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
		live := mustCreate(t, provider, smallVM("01J0A"))
		foreign := cloud.AddServer(computetest.Instance{Name: "by-hand"})
		orphans := []string{
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE")}),
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE"), DeviceID: uuid.NewString()}),
			cloud.AddVolume(computetest.Volume{Status: "available", Metadata: tagged(pool, "01GONE")}),
		}
		stay := []string{
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01J0A")}),
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE"), DeviceID: foreign}),
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark("physics2", "01GONE")}),
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE"), ProjectID: "another"}),
			cloud.AddPort(computetest.Port{NetworkID: networkID}),
			cloud.AddVolume(computetest.Volume{Status: "available", Metadata: tagged(pool, "01J0A")}),
			cloud.AddVolume(computetest.Volume{Status: "in-use", Server: foreign, Metadata: tagged(pool, "01GONE")}),
			cloud.AddVolume(computetest.Volume{Status: "available", Metadata: tagged("physics2", "01GONE")}),
			cloud.AddVolume(computetest.Volume{Status: "available"}),
		}
		found, err := provider.Orphans(t.Context(), pool)
		require.NoError(t, err)
		assert.ElementsMatch(t, orphans, ids(found))

		reaped, err := provider.Reap(t.Context(), pool, 10*time.Minute)
		require.NoError(t, err)
		assert.Empty(t, reaped, "something just made for a server to come looks the same")
		time.Sleep(10 * time.Minute)
		reaped, err = provider.Reap(t.Context(), pool, 10*time.Minute)
		require.NoError(t, err)
		assert.ElementsMatch(t, orphans, ids(reaped))

		var left []string
		for _, port := range cloud.Ports() {
			left = append(left, port.ID)
		}
		for _, volume := range cloud.Volumes() {
			left = append(left, volume.ID)
		}
		assert.ElementsMatch(t, stay, left)
		assert.Equal(t, live.ID, cloud.Servers()[0].ID)
	})
}

// Without a whole list of servers nothing is surely an orphan.
func TestReapWaitsForAWholeList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault func(*computetest.Server)
	}{
		{"half-way", func(c *computetest.Server) {
			c.Inject(computetest.Fault{Path: "/servers/detail", Query: "marker", Status: http.StatusInternalServerError, Times: -1})
		}},
		{"failed", func(c *computetest.Server) {
			c.Inject(computetest.Fault{Path: "/servers/detail", Status: http.StatusInternalServerError, Times: -1})
		}},
		{"cell is down", func(c *computetest.Server) { c.CellDown(true) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t, computetest.WithPageSize(1))
			provider := newProvider(t, to, openstack.Settings{})
			mustCreate(t, provider, smallVM("01J0A"))
			mustCreate(t, provider, smallVM("01J0B"))
			cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE")})
			test.fault(cloud)
			_, err := provider.Reap(t.Context(), pool, 0)
			require.ErrorIs(t, err, elasticpool.ErrTransient)
			assert.Len(t, cloud.Ports(), 1)
		})
	}
}

// A server that vanished behind the pool's back leaves its ARQs bound, and nothing in them tells whose they were.
func TestReapRemovesARQsOfServersThatVanished(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t)
	provider := newProvider(t, cloud, openstack.Settings{})
	gone, live := mustCreate(t, provider, fpgaVM("01J0A")), mustCreate(t, provider, fpgaVM("01J0B"))
	foreign := uuid.NewString()
	for _, instance := range []string{gone.ID, live.ID, foreign} {
		bindFPGA(t, cloud, instance)
	}
	cloud.Remove(gone.ID)
	list(t, provider, pool)
	reaped, err := provider.Reap(t.Context(), pool, 0)
	require.NoError(t, err)
	require.Len(t, reaped, 1)
	assert.Equal(t, openstack.OrphanARQ, reaped[0].Kind)
	assert.Equal(t, "01J0A", reaped[0].VM)
	assert.Zero(t, arqsOf(t, cloud, gone.ID))
	assert.Equal(t, 1, arqsOf(t, cloud, live.ID))
	assert.Equal(t, 1, arqsOf(t, cloud, foreign))
}

// A list that was read while a server was made does not have it. Its ARQs are not taken for left ones.
func TestReapAsksNovaBeforeAServerCountsAsGone(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t, computetest.WithPageSize(2))
	provider := newProvider(t, cloud, openstack.Settings{})
	server := mustCreate(t, provider, fpgaVM("01J0A"))
	bindFPGA(t, cloud, server.ID)
	body := `{"servers": []}`
	cloud.Inject(computetest.Fault{Path: "/servers/detail", Status: http.StatusOK, Body: body, Header: map[string]string{"Content-Type": "application/json"}, Times: 2})
	list(t, provider, pool)
	reaped, err := provider.Reap(t.Context(), pool, 0)
	require.NoError(t, err)
	assert.Empty(t, reaped)
	assert.Equal(t, 1, arqsOf(t, cloud, server.ID))
}

func TestReapTellsWhatStays(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	stuck := cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE")})
	cloud.AddPort(computetest.Port{NetworkID: networkID, Description: portMark(pool, "01GONE2")})
	cloud.Inject(computetest.Fault{Method: http.MethodDelete, Path: stuck, Status: http.StatusConflict, Times: -1, Body: `{"NeutronError": {"type": "PortInUse", "message": "in use"}}`})
	reaped, err := provider.Reap(t.Context(), pool, 0)
	require.ErrorIs(t, err, elasticpool.ErrTransient)
	assert.Contains(t, err.Error(), stuck)
	assert.Len(t, reaped, 1)
}
