package openstack_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/elasticpool/openstack/computetest"
)

func TestDeleteIsRepeatedUntilTheServerIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New(computetest.WithDelays(0, time.Minute))
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{DeleteWait: elasticpool.Duration(10 * time.Second)})
		server := mustCreate(t, provider, smallVM("01J0A"))
		start := time.Now()
		for range 3 {
			require.NoError(t, provider.Delete(t.Context(), server))
			assert.Equal(t, elasticpool.ServerDeleting, list(t, provider, pool)[0].Status)
		}
		assert.LessOrEqual(t, time.Since(start), 30*time.Second, "each waits its time and no longer")
		time.Sleep(time.Minute)
		for range 2 {
			require.NoError(t, provider.Delete(t.Context(), server), "gone is no error")
		}
		assert.Empty(t, cloud.Servers())
	})
}

// A server in deletion for ever is deleted by force, if that is wanted.
func TestDeleteByForce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New()
		cloud.StickDeletes(true)
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{ForceDelete: elasticpool.Duration(10 * time.Minute)})
		server := mustCreate(t, provider, smallVM("01J0A"))
		for range 3 {
			require.NoError(t, provider.Delete(t.Context(), server))
			time.Sleep(3 * time.Minute)
		}
		assert.Zero(t, sent(cloud, http.MethodPost, "/action"))
		time.Sleep(2 * time.Minute)
		require.NoError(t, provider.Delete(t.Context(), server))
		assert.Equal(t, 1, sent(cloud, http.MethodPost, "/action"))
		assert.Empty(t, cloud.Servers())
	})
}

func TestSoftDeletedServersAreGoneUnlessForced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New(computetest.WithSoftDelete())
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{ForceDelete: elasticpool.Duration(time.Minute)})
		server := mustCreate(t, provider, smallVM("01J0A"))
		require.NoError(t, provider.Delete(t.Context(), server))
		assert.Empty(t, list(t, provider, pool), "it is no more the pool's")
		time.Sleep(2 * time.Minute)
		require.NoError(t, provider.Delete(t.Context(), server))
		assert.Empty(t, cloud.Servers())
	})
}

// The names of two pools and of a machine made by hand are alike; each pool touches what bears its own tag and nothing
// else.
func TestBugLogForeignServersAreNeverTouched(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	mine, theirs := newProvider(t, to, openstack.Settings{}), newProvider(t, to, openstack.Settings{Pool: "physics2"})
	spec := smallVM("01J0A")
	created := mustCreate(t, mine, spec)
	spec.Pool, spec.Name = "physics2", elasticpool.ServerName("physics2", "01J0A")
	other := mustCreate(t, theirs, spec)
	foreign := cloud.AddServer(computetest.Instance{Name: created.VM, Metadata: map[string]string{"owner": "me"}})
	byHand := cloud.AddServer(computetest.Instance{Name: "ep-physics-01J0A"})

	require.Len(t, list(t, mine, pool), 1)
	require.Len(t, list(t, theirs, "physics2"), 1)
	for _, id := range []string{other.ID, foreign, byHand} {
		wrong := created
		wrong.ID = id
		for what, err := range map[string]error{
			"delete": mine.Delete(t.Context(), wrong), "stop": mine.Stop(t.Context(), wrong), "start": mine.Start(t.Context(), wrong),
		} {
			require.ErrorIs(t, err, elasticpool.ErrInvalid, what)
			assert.Contains(t, err.Error(), "left alone")
		}
	}
	require.ErrorIs(t, mine.Delete(t.Context(), other), elasticpool.ErrInvalid, "a server of another pool as such")
	require.NoError(t, mine.Delete(t.Context(), created))
	left := cloud.Servers()
	require.Len(t, left, 3)
	for _, server := range left {
		assert.Empty(t, server.Task, "%s is in deletion", server.Name)
	}
	again := mustCreate(t, mine, smallVM("01J0A"))
	assert.NotEqual(t, byHand, again.ID, "a server of the same name is not the VM's")
}

// Two servers that are in deletion hold their quota until they are gone, and not longer.
func TestBugLogDeletingServersBlockTheQuota(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cloud := computetest.New(computetest.WithDelays(0, time.Minute),
			computetest.WithQuota(computetest.Quota{Cores: 2, RAM: -1, Instances: 2, Ports: -1}))
		provider := newProvider(t, hosts{"cloud.test": cloud.Transport()}, openstack.Settings{})
		for _, vm := range []string{"01J0A", "01J0B"} {
			require.NoError(t, provider.Delete(t.Context(), mustCreate(t, provider, smallVM(vm))))
		}
		limits, err := provider.Limits(t.Context())
		require.NoError(t, err)
		assert.Zero(t, limits.Free[elasticpool.VMs])
		assert.EqualValues(t, 2, limits.Total[elasticpool.VMs], "they are still the pool's own")
		_, err = provider.Create(t.Context(), smallVM("01J0C"))
		require.ErrorIs(t, err, elasticpool.ErrQuota)

		time.Sleep(time.Minute)
		limits, err = provider.Limits(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2, limits.Free[elasticpool.VMs])
		for _, vm := range []string{"01J0C", "01J0D"} {
			mustCreate(t, provider, smallVM(vm))
		}
	})
}

// Three deletions at once are three, and nothing else goes.
func TestBugLogParallelDeletes(t *testing.T) {
	t.Parallel()
	_, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	var servers []elasticpool.Server
	for _, vm := range []string{"01J0A", "01J0B", "01J0C", "01J0D", "01J0E"} {
		servers = append(servers, mustCreate(t, provider, smallVM(vm)))
	}
	var deletes sync.WaitGroup
	for _, server := range servers[1:4] {
		deletes.Go(func() { assert.NoError(t, provider.Delete(t.Context(), server)) })
	}
	deletes.Wait()
	left := list(t, provider, pool)
	require.Len(t, left, 2)
	assert.ElementsMatch(t, []string{"01J0A", "01J0E"}, []string{left[0].VM, left[1].VM})
}

func TestDeleteFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault computetest.Fault
		class error
	}{
		{"Nova cannot be asked", computetest.Fault{Method: http.MethodGet, Path: "/servers/", Status: http.StatusInternalServerError, Times: -1}, elasticpool.ErrTransient},
		{"locked", computetest.Fault{Method: http.MethodDelete, Status: http.StatusConflict, Body: `{"conflictingRequest": {"message": "Instance is locked"}}`}, elasticpool.ErrTransient},
		{"not allowed", computetest.Fault{Method: http.MethodDelete, Status: http.StatusForbidden, Body: `{"forbidden": {"message": "Policy doesn't allow it"}}`}, elasticpool.ErrUnauthorized},
		{"fails", computetest.Fault{Method: http.MethodDelete, Status: http.StatusInternalServerError, Times: -1}, elasticpool.ErrTransient},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t)
			provider := newProvider(t, to, openstack.Settings{})
			server := mustCreate(t, provider, smallVM("01J0A"))
			cloud.Inject(test.fault)
			require.ErrorIs(t, provider.Delete(t.Context(), server), test.class)
			cloud.ClearFaults()
			require.NoError(t, provider.Delete(t.Context(), server))
			assert.Empty(t, cloud.Servers())
		})
	}
}

// A cell that is down hides whose a server is. That passes; it is no reason to give the server up.
func TestDeleteWhileTheCellIsDown(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	server := mustCreate(t, provider, smallVM("01J0A"))
	cloud.CellDown(true)
	require.ErrorIs(t, provider.Delete(t.Context(), server), elasticpool.ErrTransient)
}

func TestDeleteWithLostReplies(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	server := mustCreate(t, provider, smallVM("01J0A"))
	cloud.Inject(computetest.Fault{Method: http.MethodDelete, Lost: true})
	require.NoError(t, provider.Delete(t.Context(), server))
	assert.Empty(t, cloud.Servers())
}

// Nova makes the boot volume without any mark and forgets it. It is marked before the server goes; what somebody attached
// by hand is not.
func TestDeleteRemovesTheBootVolume(t *testing.T) {
	t.Parallel()
	cloud, to := newCloud(t, computetest.WithLeftovers())
	provider := newProvider(t, to, openstack.Settings{})
	spec := smallVM("01J0A")
	spec.Class.Extra = map[string]string{openstack.ExtraBootVolumeGB: "40"}
	server := mustCreate(t, provider, spec)
	foreign := cloud.AddVolume(computetest.Volume{Status: "available"})
	others := cloud.AddVolume(computetest.Volume{Status: "available", Metadata: map[string]string{elasticpool.TagPool: "physics2", elasticpool.TagVM: "01J0A"}})
	require.Len(t, cloud.Volumes(), 3)
	require.NoError(t, provider.Delete(t.Context(), server))
	left := cloud.Volumes()
	require.Len(t, left, 2)
	assert.ElementsMatch(t, []string{foreign, others}, []string{left[0].ID, left[1].ID})
}

// bindFPGA gives a server an accelerator, as Nova does when it makes it.
func bindFPGA(t *testing.T, cloud accelerated, instance string) {
	t.Helper()
	arqs, err := cloud.cyborg.CreateARQs(t.Context(), "fakedev")
	require.NoError(t, err)
	deployables, err := cloud.cyborg.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	for _, deployable := range deployables {
		if deployable.NumAccelerators == 16 {
			require.NoError(t, cloud.cyborg.Bind(t.Context(), []cyborgclient.Binding{{
				ARQ: arqs[0].UUID, Hostname: "gpu-1", DeviceRP: deployable.RPUUID, Instance: instance,
			}}))
			return
		}
	}
	t.Fatal("there is no fake device")
}

func arqsOf(t *testing.T, cloud accelerated, instance string) int {
	t.Helper()
	arqs, err := cloud.cyborg.ARQsByInstance(t.Context(), instance)
	require.NoError(t, err)
	return len(arqs)
}

func TestDeleteRemovesARQsThatNovaLeft(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t)
	provider := newProvider(t, cloud, openstack.Settings{})
	server, other := mustCreate(t, provider, fpgaVM("01J0A")), mustCreate(t, provider, fpgaVM("01J0B"))
	foreign := uuid.NewString()
	for _, instance := range []string{server.ID, other.ID, foreign} {
		bindFPGA(t, cloud, instance)
	}
	require.NoError(t, provider.Delete(t.Context(), server))
	assert.Zero(t, arqsOf(t, cloud, server.ID))
	assert.Equal(t, 1, arqsOf(t, cloud, other.ID))
	assert.Equal(t, 1, arqsOf(t, cloud, foreign))
}

// The server is gone and Cyborg does not answer: the deletion is not over.
func TestDeleteIsNotOverWhileCyborgIsAway(t *testing.T) {
	t.Parallel()
	cloud := newAccelerated(t)
	provider := newProvider(t, cloud, openstack.Settings{})
	server := mustCreate(t, provider, fpgaVM("01J0A"))
	bindFPGA(t, cloud, server.ID)
	cyborg := cloud.hosts["cyborg.test"]
	cloud.hosts["cyborg.test"] = hosts{}
	require.ErrorIs(t, provider.Delete(t.Context(), server), elasticpool.ErrTransient)
	assert.Empty(t, cloud.Servers())
	cloud.hosts["cyborg.test"] = cyborg
	require.NoError(t, provider.Delete(t.Context(), server))
	assert.Zero(t, arqsOf(t, cloud, server.ID))
}

func TestStopAndStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, sleep, status string }{
		{"stop", "", "SHUTOFF"}, {"stop by name", "stop", "SHUTOFF"}, {"shelve", "shelve", "SHELVED_OFFLOADED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t)
			provider := newProvider(t, to, openstack.Settings{})
			spec := smallVM("01J0A")
			if test.sleep != "" {
				spec.Class.Extra = map[string]string{openstack.ExtraSleep: test.sleep}
			}
			server := mustCreate(t, provider, spec)
			for range 2 {
				require.NoError(t, provider.Stop(t.Context(), server))
				assert.Equal(t, test.status, cloud.Servers()[0].Status)
			}
			assert.Equal(t, elasticpool.ServerStopped, list(t, provider, pool)[0].Status)
			for range 2 {
				require.NoError(t, provider.Start(t.Context(), server))
				assert.Equal(t, "ACTIVE", cloud.Servers()[0].Status)
			}
		})
	}
}

func TestStartWakesHoweverAServerWasPutToSleep(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"SUSPENDED", "PAUSED", "SHELVED_OFFLOADED", "SHUTOFF"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			cloud, to := newCloud(t)
			provider := newProvider(t, to, openstack.Settings{})
			server := mustCreate(t, provider, smallVM("01J0A"))
			cloud.Servers()
			cloud.Change(server.ID, func(i *computetest.Instance) { i.Status = status })
			require.NoError(t, provider.Start(t.Context(), server))
			assert.Equal(t, "ACTIVE", cloud.Servers()[0].Status)
		})
	}
	cloud, to := newCloud(t)
	provider := newProvider(t, to, openstack.Settings{})
	server := mustCreate(t, provider, smallVM("01J0A"))
	cloud.Servers()
	cloud.Change(server.ID, func(i *computetest.Instance) { i.Status = "ERROR" })
	require.ErrorIs(t, provider.Start(t.Context(), server), elasticpool.ErrTransient)
}
