package openstack_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
	"github.com/novacyborg/novacyborg/internal/osapi"
	"github.com/novacyborg/novacyborg/requestspec"
)

// realPool is a pool on a real Nova, Glance, Cyborg and Placement, such as functional/realstack starts. Entries of
// clouds.yaml say who asks: NOVACYBORG_COMPUTE_CLOUD the user whose project the servers are in, and
// NOVACYBORG_COMPUTE_ADMIN_CLOUD an admin of another project, who makes flavors and device profiles and sees free
// accelerators. The servers have no network.
type realPool struct {
	pool    string
	user    *openstack.Provider
	admin   *openstack.Provider
	compute *gophercloud.ServiceClient // the admin's
	images  *gophercloud.ServiceClient
	cyborg  *cyborgclient.Client
	class   elasticpool.Class
}

// newRealPool makes what a class needs; accelerated gives its flavor the device profile.
func newRealPool(t *testing.T, accelerated bool) *realPool {
	t.Helper()
	user, admin := os.Getenv("NOVACYBORG_COMPUTE_CLOUD"), os.Getenv("NOVACYBORG_COMPUTE_ADMIN_CLOUD")
	if user == "" || admin == "" {
		t.Skip("NOVACYBORG_COMPUTE_CLOUD and _ADMIN_CLOUD name no real cloud")
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	p := &realPool{pool: "real-" + uuid.NewString()[:8]}
	settings := openstack.Settings{Pool: p.pool, DeleteWait: elasticpool.Duration(time.Minute)}
	as := func(cloud string) []osapi.Option {
		return []osapi.Option{cyborgclient.WithCloud(cloud), cyborgclient.WithTransport(transport)}
	}
	var err error
	p.user, err = openstack.New(t.Context(), "real", settings, as(user)...)
	require.NoError(t, err)
	p.admin, err = openstack.New(t.Context(), "real", settings, as(admin)...)
	require.NoError(t, err)
	p.compute, err = osapi.NewService(t.Context(), "compute", as(admin)...)
	require.NoError(t, err)
	p.images, err = osapi.NewService(t.Context(), "image", as(admin)...)
	require.NoError(t, err)
	p.images.ResourceBase = p.images.Endpoint + "v2/"
	p.cyborg, err = cyborgclient.New(t.Context(), as(admin)...)
	require.NoError(t, err)
	p.class = elasticpool.Class{
		Name: "fpga", Flavor: p.pool, Image: p.pool, Network: "none", UserData: "#cloud-config\n# {{.VM}}\n",
	}
	flavor := p.prepare(t)
	if accelerated {
		p.class.DeviceProfile = p.pool
		_, err = flavors.CreateExtraSpecs(t.Context(), p.compute, flavor, flavors.ExtraSpecsOpts{"accel:device_profile": p.pool}).Extract()
		require.NoError(t, err)
	}
	return p
}

// prepare makes an image, a flavor and a device profile, and returns the id of the flavor.
func (p *realPool) prepare(t *testing.T) string {
	t.Helper()
	_, err := p.cyborg.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
		Name: p.pool, Groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:FPGA": "1", "trait:CUSTOM_FAKE_DEVICE": "required"})},
	})
	require.NoError(t, err)
	public := images.ImageVisibilityPublic
	image, err := images.Create(t.Context(), p.images, images.CreateOpts{Name: p.pool, DiskFormat: "raw", ContainerFormat: "bare", Visibility: &public}).Extract()
	require.NoError(t, err)
	require.NoError(t, imagedata.Upload(t.Context(), p.images, image.ID, strings.NewReader("nothing to boot")).ExtractErr())
	disk := 1
	flavor, err := flavors.Create(t.Context(), p.compute, flavors.CreateOpts{Name: p.pool, RAM: 64, VCPUs: 1, Disk: &disk}).Extract()
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		assert.NoError(t, images.Delete(ctx, p.images, image.ID).ExtractErr())
		assert.NoError(t, flavors.Delete(ctx, p.compute, flavor.ID).ExtractErr())
		assert.NoError(t, p.cyborg.DeleteDeviceProfile(ctx, p.pool))
	})
	return flavor.ID
}

func (p *realPool) spec(vm string) elasticpool.ServerSpec {
	return elasticpool.ServerSpec{Pool: p.pool, VM: vm, Name: elasticpool.ServerName(p.pool, vm), Queue: "juno", Generation: 7, Class: p.class}
}

// create makes a server that goes with the test.
func (p *realPool) create(t *testing.T, vm string) elasticpool.Server {
	t.Helper()
	server, err := p.user.Create(t.Context(), p.spec(vm))
	require.NoError(t, err)
	t.Cleanup(func() { p.delete(t, server) })
	return server
}

func (p *realPool) delete(t *testing.T, server elasticpool.Server) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	assert.Eventually(t, func() bool {
		if err := p.user.Delete(ctx, server); err != nil {
			t.Log(err)
			return false
		}
		servers, complete, err := p.user.Servers(ctx, p.pool)
		for _, left := range servers {
			complete = complete && left.ID != server.ID
		}
		return err == nil && complete
	}, 2*time.Minute, time.Second)
}

// await waits until the server is in a state, and returns it.
func (p *realPool) await(t *testing.T, vm string, status elasticpool.ServerStatus) elasticpool.Server {
	t.Helper()
	var found elasticpool.Server
	require.Eventually(t, func() bool {
		servers, complete, err := p.user.Servers(t.Context(), p.pool)
		require.NoError(t, err)
		require.True(t, complete)
		for _, server := range servers {
			if server.VM == vm {
				found = server
			}
		}
		return found.Status == status
	}, 2*time.Minute, time.Second, "VM %s is not %s: %+v", vm, status, found)
	return found
}

// TestRealNova lets two VMs with an accelerator each live, sleep, wake and go.
func TestRealNova(t *testing.T) {
	t.Parallel()
	p, ctx := newRealPool(t, true), t.Context()
	before, err := p.admin.Limits(ctx)
	require.NoError(t, err)

	first, second := p.create(t, "01J0A"), p.create(t, "01J0B")
	again, err := p.user.Create(t.Context(), p.spec("01J0A"))
	require.NoError(t, err)
	assert.Equal(t, first.ID, again.ID, "a VM is made once")
	for _, vm := range []string{"01J0A", "01J0B"} {
		server := p.await(t, vm, elasticpool.ServerActive)
		assert.Equal(t, "juno", server.Queue)
		assert.Equal(t, "fpga", server.Class)
		assert.EqualValues(t, 7, server.Generation)
		assert.NotEmpty(t, server.Host)
		assert.WithinDuration(t, time.Now(), server.Created, 5*time.Minute)
	}
	arqs, err := p.cyborg.ARQsByInstance(t.Context(), first.ID)
	require.NoError(t, err)
	require.Len(t, arqs, 1)
	during, err := p.admin.Limits(t.Context())
	require.NoError(t, err)
	assert.Equal(t, before.Free[elasticpool.FPGAs]-2, during.Free[elasticpool.FPGAs])

	require.NoError(t, p.user.Stop(t.Context(), first))
	p.await(t, "01J0A", elasticpool.ServerStopped)
	require.NoError(t, p.user.Start(t.Context(), first))
	p.await(t, "01J0A", elasticpool.ServerActive)

	p.delete(t, first)
	p.delete(t, second)
	arqs, err = p.cyborg.ARQsByInstance(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Empty(t, arqs)
	found, err := p.user.Orphans(t.Context(), p.pool)
	require.NoError(t, err)
	assert.Empty(t, found)
	assert.EventuallyWithT(t, func(t *assert.CollectT) { // Nova frees the allocation a little after the server is gone from its list
		after, err := p.admin.Limits(ctx)
		require.NoError(t, err)
		assert.Equal(t, before.Free[elasticpool.FPGAs], after.Free[elasticpool.FPGAs])
	}, time.Minute, time.Second)
}

// TestRealNovaLimits compares the user's quota with what two own servers take of it.
func TestRealNovaLimits(t *testing.T) {
	t.Parallel()
	p := newRealPool(t, false)
	p.create(t, "01J0A")
	p.await(t, "01J0A", elasticpool.ServerActive)
	limits, err := p.user.Limits(t.Context())
	require.NoError(t, err)
	require.Contains(t, limits.Total, elasticpool.VMs)
	assert.Positive(t, limits.Total[elasticpool.CPUs])
	assert.LessOrEqual(t, limits.Free[elasticpool.VMs], limits.Total[elasticpool.VMs]-1)
}

// TestRealNovaRefuses compares errors of the real services with the classes that they are taken for.
func TestRealNovaRefuses(t *testing.T) {
	t.Parallel()
	p := newRealPool(t, false)
	for _, test := range []struct {
		name   string
		change func(*elasticpool.ServerSpec)
		class  error
	}{
		{"flavor", func(s *elasticpool.ServerSpec) { s.Class.Flavor = "no-such-flavor" }, elasticpool.ErrInvalid},
		{"image", func(s *elasticpool.ServerSpec) { s.Class.Image = "no-such-image" }, elasticpool.ErrInvalid},
		{"image id", func(s *elasticpool.ServerSpec) { s.Class.Image = uuid.NewString() }, elasticpool.ErrInvalid},
		{"key pair", func(s *elasticpool.ServerSpec) { s.Class.KeyPair = "no-such-key" }, elasticpool.ErrInvalid},
		{"profile", func(s *elasticpool.ServerSpec) { s.Class.DeviceProfile = "other" }, elasticpool.ErrInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			spec := p.spec("01J0X")
			test.change(&spec)
			_, err := p.user.Create(t.Context(), spec)
			require.ErrorIs(t, err, test.class)
		})
	}
	foreign := p.create(t, "01J0A")
	foreign.VM = "01J0B"
	require.ErrorIs(t, p.user.Delete(t.Context(), foreign), elasticpool.ErrInvalid)
	foreign.ID = uuid.NewString()
	require.NoError(t, p.user.Delete(t.Context(), foreign), "a server that is not there is gone")
}
