package novastories_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// each does something to every server.
func each(act func(context.Context, *gophercloud.ServiceClient, string) error) func(context.Context, *telling) error {
	return func(ctx context.Context, l *telling) error {
		var failed []error
		for _, id := range l.servers {
			failed = append(failed, act(ctx, l.compute, id))
		}
		return errors.Join(failed...)
	}
}

func reboot(how servers.RebootMethod) func(context.Context, *telling) error {
	return each(func(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
		return servers.Reboot(ctx, c, id, servers.RebootOpts{Type: how}).ExtractErr()
	})
}

func stop(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Stop(ctx, c, id).ExtractErr()
}

func start(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Start(ctx, c, id).ExtractErr()
}

func pause(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Pause(ctx, c, id).ExtractErr()
}

func unpause(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Unpause(ctx, c, id).ExtractErr()
}

func suspend(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Suspend(ctx, c, id).ExtractErr()
}

func shelve(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Shelve(ctx, c, id).ExtractErr()
}

// offload is for admins.
func offload(ctx context.Context, l *telling) error {
	return each(func(ctx context.Context, _ *gophercloud.ServiceClient, id string) error {
		return servers.ShelveOffload(ctx, l.stack.compute, id).ExtractErr()
	})(ctx, l)
}

func unshelve(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Unshelve(ctx, c, id, servers.UnshelveOpts{}).ExtractErr()
}

func remove(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
	return servers.Delete(ctx, c, id).ExtractErr()
}

func rebuild(ctx context.Context, l *telling) error {
	return each(func(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
		_, err := servers.Rebuild(ctx, c, id, servers.RebuildOpts{ImageRef: l.image}).Extract()
		return err
	})(ctx, l)
}

func resize(ctx context.Context, l *telling) error {
	return each(func(ctx context.Context, c *gophercloud.ServiceClient, id string) error {
		return servers.Resize(ctx, c, id, servers.ResizeOpts{FlavorRef: l.plain}).ExtractErr()
	})(ctx, l)
}

// fpga is a group for so many of the accelerators that both Cyborgs have.
func fpga(count string) requestspec.ProfileGroup {
	return requestspec.GroupOf(map[string]string{"resources:FPGA": count, "trait:CUSTOM_FAKE_DEVICE": "required"})
}

// card is a group for so many of the cards that the fake alone has; each has one accelerator.
func card(count string) requestspec.ProfileGroup {
	return requestspec.GroupOf(map[string]string{"resources:FPGA": count, "trait:CUSTOM_FPGA_INTEL": "required"})
}

// withImage has the device programmed when it is bound.
func withImage(group requestspec.ProfileGroup) requestspec.ProfileGroup {
	return append(group, requestspec.Property{Key: "accel:bitstream_id", Value: "00000000-0000-0000-0000-000000000009"})
}

// takeAll binds every accelerator to an instance that Nova does not know, behind Placement's back.
func takeAll(ctx context.Context, t *testing.T, l *telling) {
	t.Helper()
	hog, instance := "all-"+l.id, uuid.NewString()
	_, err := l.peer.admin.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: hog, Groups: []requestspec.ProfileGroup{fpga("16")}})
	require.NoError(t, err)
	arqs, err := l.peer.admin.CreateARQs(ctx, hog)
	require.NoError(t, err)
	require.Len(t, arqs, devices)
	device, err := l.placement.ProviderByName(ctx, "realstack-cn1_FakeDevice")
	require.NoError(t, err)
	var bindings []cyborgclient.Binding
	for _, arq := range arqs {
		bindings = append(bindings, cyborgclient.Binding{ARQ: arq.UUID, Hostname: "realstack-cn1", DeviceRP: device.UUID, Instance: instance})
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		assert.NoError(t, l.peer.admin.DeleteARQsByInstance(ctx, instance))
		assert.NoError(t, l.peer.admin.DeleteDeviceProfile(ctx, hog))
	})
	if err := l.peer.admin.Bind(ctx, bindings); err != nil { // Nova does not know the instance, which comes too late to matter
		failed, ok := errors.AsType[*cyborgclient.Error](err)
		require.True(t, ok && failed.AllBound(), "%v", err)
	}
}

// novaTookEvents wants each of the events to have been taken by Nova.
func novaTookEvents(t *testing.T, l *telling) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	heard := 0
	for _, e := range l.journal {
		if e.side == tells {
			heard++
			assert.Equal(t, http.StatusOK, e.status, "%s", e.answer)
		}
	}
	assert.Equal(t, 1, heard)
}
