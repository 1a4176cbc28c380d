package cyborgclient_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

func suiteDevices(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	devices, err := client.Devices(ctx, cyborgclient.DeviceFilter{})
	if absent(t, err) {
		require.True(t, s.first)
		require.True(t, absent(t, only(client.Device(ctx, uuid.NewString()))))
		return
	}
	require.NoError(t, err)
	none, err := client.Devices(ctx, cyborgclient.DeviceFilter{Vendor: "no such vendor"})
	require.NoError(t, err)
	assert.Empty(t, none)
	require.ErrorIs(t, only(client.Device(ctx, uuid.NewString())), cyborgclient.ErrNotFound)
	if s.ours {
		require.NotEmpty(t, devices)
	}
	for _, device := range devices {
		found, err := client.Device(ctx, device.UUID)
		require.NoError(t, err)
		assert.Equal(t, device.UUID, found.UUID)
		assert.Equal(t, s.has(3), found.Status != "", "the status belongs to 2.3")
		assert.Equal(t, device.Status, found.Status)
		some, err := client.Devices(ctx, cyborgclient.DeviceFilter{Type: device.Type, Vendor: device.Vendor, Hostname: device.Hostname})
		require.NoError(t, err)
		assert.Contains(t, uuidsOf(some, func(d cyborgclient.Device) string { return d.UUID }), device.UUID)
		for _, other := range some {
			assert.Equal(t, device.Hostname, other.Hostname)
		}
	}
}

func suiteDeviceSwitch(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	if !s.has(3) {
		require.True(t, absent(t, client.EnableDevice(ctx, uuid.NewString())))
		require.True(t, absent(t, client.DisableDevice(ctx, uuid.NewString())))
		return
	}
	require.ErrorIs(t, client.EnableDevice(ctx, uuid.NewString()), cyborgclient.ErrNotFound)
	require.ErrorIs(t, client.DisableDevice(ctx, uuid.NewString()), cyborgclient.ErrNotFound)
	if !s.ours {
		return // the real service may reserve the inventory of another device
	}
	devices, err := client.Devices(ctx, cyborgclient.DeviceFilter{})
	require.NoError(t, err)
	require.NotEmpty(t, devices)
	for _, step := range []struct {
		call func() error
		want cyborgclient.DeviceStatus
	}{
		{func() error { return client.DisableDevice(ctx, devices[0].UUID) }, cyborgclient.DeviceMaintaining},
		{func() error { return client.EnableDevice(ctx, devices[0].UUID) }, cyborgclient.DeviceEnabled},
	} {
		require.NoError(t, step.call())
		device, err := client.Device(ctx, devices[0].UUID)
		require.NoError(t, err)
		assert.Equal(t, step.want, device.Status)
	}
}

func suiteDeployables(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	deployables, err := client.Deployables(ctx, cyborgclient.DeployableFilter{})
	if absent(t, err) {
		require.True(t, s.first)
		require.True(t, absent(t, only(client.Deployable(ctx, uuid.NewString()))))
		return
	}
	require.NoError(t, err)
	none, err := client.Deployables(ctx, cyborgclient.DeployableFilter{Name: "no such name"})
	require.NoError(t, err)
	assert.Empty(t, none)
	require.ErrorIs(t, only(client.Deployable(ctx, uuid.NewString())), cyborgclient.ErrNotFound)
	if s.ours {
		require.NotEmpty(t, deployables)
	}
	for _, deployable := range deployables {
		found, err := client.Deployable(ctx, deployable.UUID)
		require.NoError(t, err)
		assert.Equal(t, deployable.Name, found.Name)
		assert.Positive(t, found.NumAccelerators)
		named, err := client.Deployables(ctx, cyborgclient.DeployableFilter{Name: deployable.Name})
		require.NoError(t, err)
		assert.Equal(t, []string{deployable.UUID}, uuidsOf(named, func(d cyborgclient.Deployable) string { return d.UUID }))
		_, err = found.Attributes()
		require.NoError(t, err)
	}
}

// Nothing is programmed: the deployable does not exist.
func suiteProgram(t *testing.T, s *subject) {
	err := only(s.client.ProgramDeployable(t.Context(), uuid.NewString(), uuid.NewString()))
	if s.old(1) {
		require.True(t, absent(t, err), "%v", err)
		return
	}
	require.ErrorIs(t, err, cyborgclient.ErrNotFound)
}

// The first two releases with attributes, 2023.1 and 2023.2, cannot delete them;
// their agent does that with its next report.
func suiteAttributes(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	attributes, err := client.Attributes(ctx, cyborgclient.AttributeFilter{})
	if absent(t, err) {
		require.True(t, s.old(3))
		require.True(t, absent(t, client.DeleteAttribute(ctx, uuid.NewString())))
		require.True(t, absent(t, only(client.Attribute(ctx, uuid.NewString()))))
		require.True(t, absent(t, only(client.CreateAttribute(ctx, 1, "k", "v"))))
		return
	}
	require.NoError(t, err)
	require.ErrorIs(t, only(client.Attribute(ctx, uuid.NewString())), cyborgclient.ErrNotFound)
	if len(attributes) == 0 {
		t.Skip("there is no deployable with attributes")
	}
	made, err := client.CreateAttribute(ctx, attributes[0].DeployableID, s.name, "v")
	require.NoError(t, err)
	found, err := client.Attribute(ctx, made.UUID)
	require.NoError(t, err)
	assert.Equal(t, s.name, found.Key)
	some, err := client.Attributes(ctx, cyborgclient.AttributeFilter{DeployableID: made.DeployableID, Key: s.name})
	require.NoError(t, err)
	require.Len(t, some, 1)
	assert.Equal(t, made.UUID, some[0].UUID)
	if err := client.DeleteAttribute(ctx, made.UUID); err != nil {
		assert.Equal(t, 500, failure(t, err, err).StatusCode)
		return
	}
	require.ErrorIs(t, client.DeleteAttribute(ctx, made.UUID), cyborgclient.ErrNotFound)
}
