package cyborgclient_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// place is where ARQs can be bound.
type place struct{ class, host, provider string }

// freePlace finds a provider with so many devices left.
func (s *subject) freePlace(t *testing.T, count int) place {
	t.Helper()
	deployables, err := s.client.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	if s.ours && absent(t, err) { // the fake's one provider has a name that is known
		return place{"FPGA", "compute-1", uuid.NewMD5(uuid.NameSpaceDNS, []byte("compute-1_FakeDevice")).String()}
	}
	require.NoError(t, err)
	arqs, err := s.client.ARQs(t.Context(), cyborgclient.ARQFilter{})
	require.NoError(t, err)
	used := make(map[string]int)
	for _, arq := range arqs {
		used[arq.DeviceRPUUID]++
	}
	devices, err := s.client.Devices(t.Context(), cyborgclient.DeviceFilter{})
	require.NoError(t, err)
	for _, deployable := range deployables {
		class := "FPGA"
		attributes, err := deployable.Attributes()
		require.NoError(t, err)
		for _, attribute := range attributes {
			if attribute.Key == "rc" {
				class = attribute.Value
			}
		}
		if deployable.RPUUID != "" && deployable.NumAccelerators-used[deployable.RPUUID] >= count {
			return place{class, hostOf(deployable, devices), deployable.RPUUID}
		}
	}
	t.Skipf("no provider has %d devices left", count)
	return place{}
}

func (p place) binding(arq, instance string) cyborgclient.Binding {
	return cyborgclient.Binding{ARQ: arq, Hostname: p.host, DeviceRP: p.provider, Instance: instance}
}

// hostOf finds the host of a deployable by its name, which begins with it: the
// number of its device is shown nowhere else.
func hostOf(deployable cyborgclient.Deployable, devices []cyborgclient.Device) string {
	for _, device := range devices {
		if strings.HasPrefix(deployable.Name, device.Hostname+"_") {
			return device.Hostname
		}
	}
	return "unknown"
}

// bind binds the ARQs. A real Nova does not know the instance, which fails the
// request after it has been carried out.
func (s *subject) bind(t *testing.T, bindings ...cyborgclient.Binding) {
	t.Helper()
	err := s.client.Bind(t.Context(), bindings)
	if !s.ours && err != nil {
		require.True(t, failure(t, err, err).AllBound(), "%v", err)
		return
	}
	require.NoError(t, err)
}

func suiteBind(t *testing.T, s *subject) {
	ctx, client, at, instance := t.Context(), s.client, s.freePlace(t, 2), uuid.NewString()
	arqs := s.makeARQs(t, at.class, "2")
	s.bind(t, at.binding(arqs[0].UUID, instance), at.binding(arqs[1].UUID, instance))

	bound, err := client.ARQsByInstance(ctx, instance)
	require.NoError(t, err)
	assert.ElementsMatch(t, arqUUIDs(arqs), arqUUIDs(bound))
	for _, arq := range bound {
		assert.Equal(t, cyborgclient.StateBound, arq.State)
		assert.True(t, arq.State.Resolved())
		assert.Equal(t, []string{at.host, at.provider, instance}, []string{arq.Hostname, arq.DeviceRPUUID, arq.InstanceUUID})
		assert.NotEmpty(t, arq.AttachHandle.Type)
		for _, key := range []string{"domain", "bus", "device", "function"} {
			assert.Contains(t, arq.AttachHandle.Info, key)
		}
	}
	assert.NotEqual(t, bound[0].AttachHandle.Info, bound[1].AttachHandle.Info)
	for _, filter := range []cyborgclient.ARQFilter{{Resolved: true}, {Instance: instance, Resolved: true}} {
		resolved, err := client.ARQs(ctx, filter)
		require.NoError(t, err)
		assert.Subset(t, arqUUIDs(resolved), arqUUIDs(arqs))
	}
	for range 2 {
		require.NoError(t, client.DeleteARQsByInstance(ctx, instance))
		left, err := client.ARQsByInstance(ctx, instance)
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

func suiteBindWrongly(t *testing.T, s *subject) {
	ctx, client, at, instance := t.Context(), s.client, s.freePlace(t, 2), uuid.NewString()
	arqs := s.makeARQs(t, at.class, "3")
	nowhere := place{at.class, at.host, uuid.NewString()}

	failed := failure(t, client.Bind(ctx, []cyborgclient.Binding{at.binding(uuid.NewString(), instance)}), cyborgclient.ErrNotFound)
	assert.False(t, failed.AllBound())
	assert.False(t, failed.RetryElsewhere())

	other := uuid.NewString()
	err := client.Bind(ctx, []cyborgclient.Binding{at.binding(arqs[0].UUID, other), nowhere.binding(arqs[1].UUID, other)})
	failed = failure(t, err, err)
	assert.True(t, failed.RetryElsewhere(), "%v", err)
	assert.False(t, failed.AllBound())
	require.Len(t, failed.ARQs, 2)
	assert.Equal(t, cyborgclient.StateBound, failed.ARQs[0].State, "the first of the two stays bound")
	assert.NotEqual(t, cyborgclient.StateBound, failed.ARQs[1].State)

	if !s.first { // Train takes both
		err = client.Bind(ctx, []cyborgclient.Binding{at.binding(arqs[0].UUID, instance)})
		require.ErrorIs(t, err, cyborgclient.ErrBadState)
		err = client.Bind(ctx, []cyborgclient.Binding{at.binding(arqs[2].UUID, other)})
		require.ErrorIs(t, err, cyborgclient.ErrInstanceHasARQs)
	}
}

func suiteBindForProject(t *testing.T, s *subject) {
	at, instance := s.freePlace(t, 1), uuid.NewString()
	arqs := s.makeARQs(t, at.class, "1")
	binding := at.binding(arqs[0].UUID, instance)
	binding.Project = uuid.NewString()
	if !s.has(1) {
		err := s.client.Bind(t.Context(), []cyborgclient.Binding{binding})
		require.ErrorIs(t, err, cyborgclient.ErrVersion)
		require.ErrorContains(t, err, "it needs microversion 2.1")
		return
	}
	s.bind(t, binding)
	arq, err := s.client.ARQ(t.Context(), binding.ARQ)
	require.NoError(t, err)
	assert.Equal(t, cyborgclient.StateBound, arq.State)
	assert.Equal(t, binding.Project, arq.ProjectID)
}

// Releases before Xena may answer 500 to every unbind; deleting helps there.
func suiteUnbind(t *testing.T, s *subject) {
	ctx, client, at, instance := t.Context(), s.client, s.freePlace(t, 1), uuid.NewString()
	arqs := s.makeARQs(t, at.class, "1")
	s.bind(t, at.binding(arqs[0].UUID, instance))
	if err := client.Unbind(ctx, arqs[0].UUID); err != nil {
		require.True(t, s.old(2), "%v", err)
		assert.Equal(t, 500, failure(t, err, err).StatusCode)
		return
	}
	require.NoError(t, client.Unbind(ctx, arqs[0].UUID), "it may be repeated")
	arq, err := client.ARQ(ctx, arqs[0].UUID)
	require.NoError(t, err)
	assert.Equal(t, cyborgclient.StateUnbound, arq.State)
	assert.Empty(t, arq.Hostname+arq.InstanceUUID+arq.DeviceRPUUID)
	s.bind(t, at.binding(arqs[0].UUID, instance))
	require.ErrorIs(t, client.Unbind(ctx, uuid.NewString()), cyborgclient.ErrNotFound)
}
