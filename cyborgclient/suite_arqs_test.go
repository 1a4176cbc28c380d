package cyborgclient_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// makeARQs creates as many ARQs, which are deleted at the end of the part.
func (s *subject) makeARQs(t *testing.T, class, count string) []cyborgclient.ARQ {
	t.Helper()
	profile := s.makeProfile(t, "arqs", requestspec.ProfileGroup{{Key: "resources:" + class, Value: count}})
	arqs, err := s.client.CreateARQs(t.Context(), profile.Name)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := s.client.DeleteARQs(after(t), arqUUIDs(arqs)...)
		assert.NoError(t, err)
	})
	for _, arq := range arqs {
		assert.Equal(t, cyborgclient.StateInitial, arq.State)
		assert.Equal(t, profile.Name, arq.DeviceProfileName)
		assert.Zero(t, arq.DeviceProfileGroupID)
		assert.Empty(t, arq.Hostname+arq.DeviceRPUUID+arq.InstanceUUID)
		assert.Empty(t, arq.AttachHandle.Type)
	}
	return arqs
}

func arqUUIDs(arqs []cyborgclient.ARQ) []string {
	return uuidsOf(arqs, func(arq cyborgclient.ARQ) string { return arq.UUID })
}

func suiteARQs(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	arqs := s.makeARQs(t, "FPGA", "3")
	require.Len(t, arqs, 3)
	for _, arq := range arqs {
		found, err := client.ARQ(ctx, arq.UUID)
		require.NoError(t, err)
		assert.Equal(t, arq.UUID, found.UUID)
		assert.Equal(t, cyborgclient.StateInitial, found.State)
	}
	listed, err := client.ARQs(ctx, cyborgclient.ARQFilter{})
	require.NoError(t, err)
	assert.Subset(t, arqUUIDs(listed), arqUUIDs(arqs))
	resolved, err := client.ARQs(ctx, cyborgclient.ARQFilter{Resolved: true})
	require.NoError(t, err)
	assert.NotContains(t, arqUUIDs(resolved), arqs[0].UUID)
	none := uuid.NewString()
	for _, filter := range []cyborgclient.ARQFilter{{Instance: none}, {Instance: none, Resolved: true}} {
		listed, err = client.ARQs(ctx, filter)
		require.NoError(t, err)
		assert.Empty(t, listed)
	}

	require.ErrorIs(t, only(client.CreateARQs(ctx, s.name+"-unknown")), cyborgclient.ErrNotFound)
	require.ErrorIs(t, only(client.ARQ(ctx, none)), cyborgclient.ErrNotFound)
	nothing := s.makeProfile(t, "nothing", requestspec.ProfileGroup{{Key: "accel:note", Value: "x"}})
	require.ErrorIs(t, only(client.CreateARQs(ctx, nothing.Name)), cyborgclient.ErrNoARQs)

	gone, err := client.DeleteARQs(ctx, arqs[0].UUID, none, arqs[1].UUID)
	require.NoError(t, err)
	assert.Equal(t, []string{none}, gone)
	require.ErrorIs(t, only(client.ARQ(ctx, arqs[0].UUID)), cyborgclient.ErrNotFound)
	require.ErrorIs(t, only(client.ARQ(ctx, arqs[1].UUID)), cyborgclient.ErrNotFound)
	require.NoError(t, only(client.ARQ(ctx, arqs[2].UUID)))
	gone, err = client.DeleteARQs(ctx, arqs[2].UUID)
	require.NoError(t, err)
	assert.Empty(t, gone)
	gone, err = client.DeleteARQs(ctx, arqs[2].UUID)
	require.NoError(t, err)
	assert.Equal(t, []string{arqs[2].UUID}, gone)
}
