package cyborgclient_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/requestspec"
)

// makeProfile creates a profile that is deleted at the end of the part.
func (s *subject) makeProfile(t *testing.T, name string, group requestspec.ProfileGroup) *cyborgclient.DeviceProfile {
	t.Helper()
	profile, err := s.client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
		Name: s.name + "-" + name, Groups: []requestspec.ProfileGroup{group},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.client.DeleteDeviceProfile(after(t), profile.UUID)) })
	return profile
}

func suiteProfiles(t *testing.T, s *subject) {
	ctx, client := t.Context(), s.client
	group := requestspec.ProfileGroup{{Key: "resources:FPGA", Value: "1"}, {Key: "accel:note", Value: "x"}}
	made := s.makeProfile(t, "p", group)
	assert.Equal(t, s.name+"-p", made.Name)
	assert.ElementsMatch(t, group, made.Groups[0])

	_, err := client.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: made.Name, Groups: made.Groups})
	require.ErrorIs(t, err, cyborgclient.ErrExists)

	listed, err := client.DeviceProfiles(ctx)
	require.NoError(t, err)
	assert.Contains(t, uuidsOf(listed, func(p cyborgclient.DeviceProfile) string { return p.UUID }), made.UUID)
	for _, find := range []func() (*cyborgclient.DeviceProfile, error){
		func() (*cyborgclient.DeviceProfile, error) { return client.DeviceProfileByName(ctx, made.Name) },
		func() (*cyborgclient.DeviceProfile, error) { return client.DeviceProfile(ctx, made.Name) },
		func() (*cyborgclient.DeviceProfile, error) { return client.DeviceProfile(ctx, made.UUID) },
	} {
		found, err := find()
		require.NoError(t, err)
		assert.Equal(t, made.UUID, found.UUID)
		assert.Equal(t, made.Name, found.Name)
		assert.ElementsMatch(t, group, found.Groups[0])
	}

	unknown := s.name + "-unknown"
	require.ErrorIs(t, only(client.DeviceProfileByName(ctx, unknown)), cyborgclient.ErrNotFound)
	require.ErrorIs(t, only(client.DeviceProfile(ctx, unknown)), cyborgclient.ErrNotFound)
	require.ErrorIs(t, only(client.DeviceProfile(ctx, uuid.NewString())), cyborgclient.ErrNotFound)
	require.ErrorIs(t, client.DeleteDeviceProfile(ctx, unknown), cyborgclient.ErrNotFound)
	require.ErrorIs(t, client.DeleteDeviceProfile(ctx, uuid.NewString()), cyborgclient.ErrNotFound)

	byName, err := client.CreateDeviceProfile(ctx, cyborgclient.DeviceProfileCreate{Name: s.name + "-q", Groups: made.Groups})
	require.NoError(t, err)
	require.NoError(t, client.DeleteDeviceProfile(ctx, byName.Name))
	require.ErrorIs(t, client.DeleteDeviceProfile(ctx, byName.Name), cyborgclient.ErrNotFound)
}

func suiteProfileInUse(t *testing.T, s *subject) {
	profile := s.makeProfile(t, "p", requestspec.ProfileGroup{{Key: "resources:FPGA", Value: "1"}})
	arqs, err := s.client.CreateARQs(t.Context(), profile.Name)
	require.NoError(t, err)
	require.ErrorIs(t, s.client.DeleteDeviceProfile(t.Context(), profile.Name), cyborgclient.ErrInUse)
	_, err = s.client.DeleteARQs(t.Context(), arqs[0].UUID)
	require.NoError(t, err)
}

func uuidsOf[T any](objects []T, id func(T) string) []string {
	uuids := make([]string, len(objects))
	for i, object := range objects {
		uuids[i] = id(object)
	}
	return uuids
}
