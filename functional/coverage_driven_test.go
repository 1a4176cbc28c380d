package functional_test

import (
	"bufio"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/journal"
	"github.com/novacyborg/novacyborg/requestspec"
)

// recordedOn is which version each recording of fakecyborg/testdata was made on.
var recordedOn = map[string]string{
	"stage1-no-nova": "14.1.0", "stage1-nova-stub": "14.1.0", "stage2-with-nova": "14.1.0", "nova-wire": "14.1.0", "clients-wire": "14.1.0",
	"sid-stage1-nova-stub": "17.0.0", "sid-nova-wire": "17.0.0",
}

// The operations of what was recorded, with the status that the real server gave: the fake's router names them.
func TestDrivenByRecordings(t *testing.T) {
	t.Parallel()
	driven := newDriven("recorded")
	for recording, version := range recordedOn {
		release, err := fakecyborg.FindRelease(version)
		require.NoError(t, err)
		server, err := fakecyborg.New(fakecyborg.WithRelease(release))
		require.NoError(t, err)
		t.Cleanup(server.Close)
		statuses := sendRecorded(t, server, filepath.Join("..", "fakecyborg", "testdata", recording+".jsonl"))
		entries := server.Journal().Entries(journal.Filter{Kind: journal.Exchange}.Match)
		require.Len(t, entries, len(statuses), recording)
		for i, entry := range entries {
			driven.add(version, entry.Operation, statuses[i])
		}
	}
	driven.check(t)
}

// sendRecorded sends what went to Cyborg, without its body, and returns the recorded statuses.
func sendRecorded(t *testing.T, server *fakecyborg.Server, path string) (statuses []int) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var recorded struct {
			Method, URL string
			Status      int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &recorded))
		target, err := url.Parse(recorded.URL)
		require.NoError(t, err)
		if strings.HasSuffix(target.Port(), "8778") { // Placement
			continue
		}
		(rawClient{server: server}).call(t, recorded.Method, target.RequestURI(), "")
		statuses = append(statuses, recorded.Status)
	}
	require.NoError(t, lines.Err())
	return statuses
}

// Every method of our client against every release.
func TestDrivenByClient(t *testing.T) {
	t.Parallel()
	driven := newDriven("client")
	t.Run("releases", func(t *testing.T) {
		for _, release := range fakecyborg.Releases() {
			t.Run(release.Version, func(t *testing.T) {
				t.Parallel()
				c := newTempest(t, driven, release, fakecyborg.WithImages(tempestImage))
				client := cyborgClient(t, c.server.Transport())
				_, err := client.Versions(t.Context())
				require.NoError(t, err)
				driveDevices(t, client, release)
				driveAttributes(t, client, release)
				driveARQs(t, client, release)
			})
		}
	})
	t.Run("coverage", func(t *testing.T) { driven.check(t) }) //nolint:paralleltest // after the releases
}

func driveDevices(t *testing.T, client *cyborgclient.Client, release fakecyborg.Release) {
	t.Helper()
	devices, err := client.Devices(t.Context(), cyborgclient.DeviceFilter{})
	if !release.Inventory {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	_, err = client.Device(t.Context(), devices[0].UUID)
	require.NoError(t, err)
	for _, change := range []error{client.DisableDevice(t.Context(), devices[0].UUID), client.EnableDevice(t.Context(), devices[0].UUID)} {
		assert.Equal(t, release.DeviceSwitch, change == nil, "%v", change)
	}
	places, err := client.Deployables(t.Context(), cyborgclient.DeployableFilter{})
	require.NoError(t, err)
	for _, place := range places {
		_, err = client.Deployable(t.Context(), place.UUID)
		require.NoError(t, err)
		if place.Name == tempestHost+"_0000:3b:00.0" {
			_, err = client.ProgramDeployable(t.Context(), place.UUID, plainImage)
			assert.Equal(t, release.Programming, err == nil, "%v", err)
		}
	}
}

func driveAttributes(t *testing.T, client *cyborgclient.Client, release fakecyborg.Release) {
	t.Helper()
	_, err := client.Attributes(t.Context(), cyborgclient.AttributeFilter{})
	if !release.Attributes {
		require.Error(t, err)
		return
	}
	require.NoError(t, err)
	made, err := client.CreateAttribute(t.Context(), 1, "key", "value")
	require.NoError(t, err)
	_, err = client.Attribute(t.Context(), made.UUID)
	require.NoError(t, err)
	assert.Equal(t, release.AttributeDeletion, client.DeleteAttribute(t.Context(), made.UUID) == nil)
}

func driveARQs(t *testing.T, client *cyborgclient.Client, release fakecyborg.Release) {
	t.Helper()
	profile, err := client.CreateDeviceProfile(t.Context(), cyborgclient.DeviceProfileCreate{
		Name: "drive", Groups: []requestspec.ProfileGroup{requestspec.GroupOf(map[string]string{"resources:PGPU": "1"})},
	})
	require.NoError(t, err)
	_, err = client.DeviceProfile(t.Context(), profile.UUID)
	require.NoError(t, err)
	_, err = client.DeviceProfileByName(t.Context(), "drive")
	require.NoError(t, err)
	arqs, err := client.CreateARQs(t.Context(), "drive")
	require.NoError(t, err)
	instance := uuid.NewString()
	require.NoError(t, client.Bind(t.Context(), []cyborgclient.Binding{{ARQ: arqs[0].UUID, Hostname: tempestHost, DeviceRP: tempestProvider, Instance: instance}}))
	bound, err := client.ARQ(t.Context(), arqs[0].UUID)
	require.NoError(t, err)
	assert.Equal(t, cyborgclient.StateBound, bound.State)
	listed, err := client.ARQsByInstance(t.Context(), instance)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	if err := client.Unbind(t.Context(), arqs[0].UUID); !release.UnbindFault {
		require.NoError(t, err)
	} else {
		require.Error(t, err)
	}
	_, err = client.DeleteARQs(t.Context(), arqs[0].UUID)
	require.NoError(t, err)
	require.NoError(t, client.DeleteDeviceProfile(t.Context(), profile.UUID))
}
