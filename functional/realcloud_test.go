package functional_test

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// realCloud is a real Keystone, Placement and Cyborg, such as functional/realstack starts. Entries of clouds.yaml say who
// asks: NOVACYBORG_CYBORG_CLOUD an admin, who makes device profiles; NOVACYBORG_CYBORG_SERVICE_CLOUD the service, which
// asks Placement and whose token goes beside the user's, as Nova's does; NOVACYBORG_CYBORG_USER_CLOUD the user.
type realCloud struct {
	admin, user *cyborgclient.Client
	placement   *placement.Client
	manager     *lifecycle.Manager
}

func newRealCloud(t *testing.T, opts ...lifecycle.Option) realCloud {
	t.Helper()
	admin, service, user := os.Getenv("NOVACYBORG_CYBORG_CLOUD"), os.Getenv("NOVACYBORG_CYBORG_SERVICE_CLOUD"), os.Getenv("NOVACYBORG_CYBORG_USER_CLOUD")
	if admin == "" || service == "" || user == "" {
		t.Skip("NOVACYBORG_CYBORG_CLOUD, _SERVICE_CLOUD and _USER_CLOUD name no real cloud")
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	var (
		c   realCloud
		err error
	)
	c.admin, err = cyborgclient.New(t.Context(), cyborgclient.WithCloud(admin), cyborgclient.WithServiceCloud(service),
		cyborgclient.WithTransport(transport))
	require.NoError(t, err)
	c.user, err = cyborgclient.New(t.Context(), cyborgclient.WithCloud(user), cyborgclient.WithServiceCloud(service),
		cyborgclient.WithTransport(transport))
	require.NoError(t, err)
	c.placement, err = placement.New(t.Context(), placement.WithCloud(service), placement.WithTransport(transport))
	require.NoError(t, err)
	c.manager, err = lifecycle.New(c.placement, c.user, opts...)
	require.NoError(t, err)
	return c
}

// profile makes a device profile that goes with the test.
func (c realCloud) profile(t *testing.T, groups ...requestspec.ProfileGroup) string {
	t.Helper()
	name := "novacyborg-" + uuid.NewString()[:8]
	_, err := c.admin.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{Name: name, Groups: groups})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.admin.DeleteDeviceProfile(context.WithoutCancel(t.Context()), name)) })
	return name
}

// fakeDevices is a group for so many devices of Cyborg's fake driver.
func fakeDevices(count string) requestspec.ProfileGroup {
	return requestspec.GroupOf(map[string]string{"resources:FPGA": count, "trait:CUSTOM_FAKE_DEVICE": "required"})
}

func (c realCloud) requireNothingLeft(t *testing.T, instance string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	arqs, err := c.admin.ARQsByInstance(ctx, instance)
	require.NoError(t, err)
	assert.Empty(t, arqs, "ARQs are left")
	allocations, err := c.placement.Allocations(ctx, instance)
	require.NoError(t, err)
	assert.Empty(t, allocations.Allocations, "allocations are left")
}

// TestRealCloud boots instances on real services and gives everything back. No Nova knows them, which fails a bind after
// Cyborg has carried it out; the instances are booted all the same.
func TestRealCloud(t *testing.T) {
	t.Parallel()
	c := newRealCloud(t)
	for _, test := range []struct {
		name   string
		groups []requestspec.ProfileGroup
		arqs   int
	}{
		{"one device", []requestspec.ProfileGroup{fakeDevices("1")}, 1},
		{"two of a group", []requestspec.ProfileGroup{fakeDevices("2")}, 2},
		{"two groups", []requestspec.ProfileGroup{fakeDevices("1"), fakeDevices("2")}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := realRequest(c.profile(t, test.groups...))
			created, err := c.manager.Create(t.Context(), in)
			require.NoError(t, err)
			c.requireBound(t, created, test.arqs)
			recovered, err := c.manager.Recover(t.Context(), in.Consumer.UUID)
			require.NoError(t, err)
			assert.ElementsMatch(t, created.Record.ARQs(), recovered.ARQs())
			for range 2 { // repeating changes nothing
				require.NoError(t, c.manager.Delete(t.Context(), created.Record))
				c.requireNothingLeft(t, in.Consumer.UUID)
			}
		})
	}
}

// requireBound compares what Create says with what the services have.
func (c realCloud) requireBound(t *testing.T, created *lifecycle.Result, count int) {
	t.Helper()
	arqs, err := c.user.ARQsByInstance(t.Context(), created.Record.Instance())
	require.NoError(t, err)
	require.Len(t, arqs, count)
	assert.Len(t, created.ARQs, count)
	require.NotNil(t, created.Composition)
	assert.Len(t, created.Composition.Skipped, count, "there is no device behind a handle of Cyborg's fake driver")
	allocations, err := c.placement.Allocations(t.Context(), created.Record.Instance())
	require.NoError(t, err)
	assert.Equal(t, created.Candidate.Allocations, allocations.Allocations)
	held := int64(0)
	for _, arq := range arqs {
		assert.Equal(t, cyborgclient.StateBound, arq.State)
		assert.Equal(t, created.Record.Now.Host, arq.Hostname)
		assert.Equal(t, cyborgclient.HandleTestPCI, arq.AttachHandle.Type)
		held = allocations.Allocations[arq.DeviceRPUUID]["FPGA"]
	}
	assert.EqualValues(t, count, held, "the ARQs are of the provider that Placement gave")
}

// TestRealCloudRefuses leaves nothing behind when the devices do not suffice.
func TestRealCloudRefuses(t *testing.T) {
	t.Parallel()
	c := newRealCloud(t)
	in := realRequest(c.profile(t, fakeDevices("1000")))
	_, err := c.manager.Create(t.Context(), in)
	require.ErrorIs(t, err, lifecycle.ErrNoHost)
	require.ErrorContains(t, err, "FPGA")
	c.requireNothingLeft(t, in.Consumer.UUID)

	in = realRequest("novacyborg-" + uuid.NewString())
	_, err = c.manager.Create(t.Context(), in)
	require.ErrorIs(t, err, cyborgclient.ErrNotFound)
	c.requireNothingLeft(t, in.Consumer.UUID)
}

// realRequest asks for a small instance.
func realRequest(profile string) lifecycle.CreateRequest {
	in := request(profile)
	in.Spec.Flavor.VCPUs, in.Spec.Flavor.MemoryMB, in.Spec.Flavor.RootGB = 1, 64, 1
	return in
}
