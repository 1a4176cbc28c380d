package fakecyborg_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
)

// A state file can be read again whatever text the seed has in it, and the reset goes back to that text.
func TestStateFileKeepsTextOfTheSeed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{" x\ny", "\n x\n", "\tx\n", "x\r\n\ty", "\u0085x\ny", "\u2028x\ny\n", "#\n#", "---\n", "\ufeffa\nb", "\x01\n x"} {
		path := filepath.Join(t.TempDir(), "state")
		c := newClientOf(t, fakecyborg.WithStateFile(path))
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		seed := `{"device_profiles": [{"name": "x", "uuid": "` + instanceA + `", "description": ` + string(quoted) + `, "groups": [{"resources:FPGA": "1"}]}]}`
		require.Equal(t, 204, c.call(t, "PUT", "/_fake/seed", seed).status)
		want := plain(c.call(t, "GET", "/v2/device_profiles", "").body)
		assert.Contains(t, want, `"description": "`)
		again := newClientOf(t, fakecyborg.WithStateFile(path))
		require.Equal(t, 204, again.call(t, "POST", "/_fake/reset", "").status)
		assert.Empty(t, cmp.Diff(want, plain(again.call(t, "GET", "/v2/device_profiles", "").body)), "%q", text)
	}
}

// A seed that no text can hold is not taken when it has to be kept.
func TestStateFileRefusesASeedThatHasNoText(t *testing.T) {
	t.Parallel()
	odd := fakecyborg.Seed{DeviceProfiles: []fakecyborg.DeviceProfile{{Name: "p", Description: "\xff", Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}}}}}}
	path := filepath.Join(t.TempDir(), "state")
	server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	require.EqualError(t, server.Load(t.Context(), odd), "seed: it has text that YAML cannot hold")
	assert.Contains(t, clientOf(server).call(t, "GET", "/v2/device_profiles", "").body, "three-fpga", "nothing has changed")
	_, err = fakecyborg.New(fakecyborg.WithSeed(odd), fakecyborg.WithStateFile(filepath.Join(t.TempDir(), "state")))
	require.EqualError(t, err, "keep state: seed: it has text that YAML cannot hold")
	exported := newClientOf(t, fakecyborg.WithSeed(odd)).call(t, "GET", "/_fake/seed", "")
	assert.Equal(t, 500, exported.status, exported.body)
}

// namedSeed has a host, a profile and a rule that bear its name.
func namedSeed(name string) fakecyborg.Seed {
	return fakecyborg.Seed{
		Hosts:          []fakecyborg.Host{{Name: "host-" + name, Devices: []fakecyborg.Device{{Driver: "fake"}}}},
		DeviceProfiles: []fakecyborg.DeviceProfile{{Name: "profile-" + name, Groups: []fakecyborg.Group{{{Key: "resources:FPGA", Value: "1"}}}}},
		Faults:         []fault.Rule{{Name: "rule", Host: "host-" + name, Operation: fault.Bind, Fault: fault.Stuck{}}},
	}
}

// namesIn are the names of the seeds that parts of a seed come from, each once.
func namesIn(seed fakecyborg.Seed) map[string]bool {
	names := make(map[string]bool)
	for _, host := range seed.Hosts {
		names[strings.TrimPrefix(host.Name, "host-")] = true
	}
	for _, profile := range seed.DeviceProfiles {
		names[strings.TrimPrefix(profile.Name, "profile-")] = true
	}
	for _, rule := range seed.Faults {
		names[strings.TrimPrefix(rule.Host, "host-")] = true
	}
	return names
}

// Of two seeds that are loaded at once the one that comes second is there, as a whole, in memory and in the file, and
// is what a reset goes back to.
func TestSeedsAtOnce(t *testing.T) {
	t.Parallel()
	for range 40 {
		path := filepath.Join(t.TempDir(), "state")
		server, err := fakecyborg.New(fakecyborg.WithSeed(namedSeed("0")), fakecyborg.WithStateFile(path))
		require.NoError(t, err)
		var loads sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			loads.Go(func() { assert.NoError(t, server.Load(t.Context(), namedSeed(name))) })
		}
		loads.Go(func() { assert.NoError(t, server.Reset(t.Context())) })
		loads.Go(func() {
			for range 20 {
				assert.Len(t, namesIn(server.Seed()), 1, "no moment has parts of two")
			}
		})
		loads.Wait()
		now := namesIn(server.Seed())
		require.Len(t, now, 1)
		again, err := fakecyborg.New(fakecyborg.WithStateFile(path))
		require.NoError(t, err)
		assert.Equal(t, now, namesIn(again.Seed()))
		require.NoError(t, server.Reset(t.Context()))
		assert.Equal(t, now, namesIn(server.Seed()))
	}
}

// Whenever the process dies while seeds are loaded, the file has the rows and the seed of one of them.
func TestStateFileIsOfOneSeed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	server, err := fakecyborg.New(fakecyborg.WithSeed(namedSeed("a")), fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	var over atomic.Bool
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() { // whose answers wait for the file
			for !over.Load() {
				clientOf(server).call(t, http.MethodGet, "/v2/devices", "")
			}
		})
	}
	others.Go(func() {
		for !over.Load() {
			data, err := os.ReadFile(path)
			var state struct {
				Seed    string
				Devices []struct{ Hostname string }
			}
			if assert.NoError(t, err) && assert.NoError(t, json.Unmarshal(data, &state)) {
				assert.Contains(t, state.Seed, "name: "+state.Devices[0].Hostname)
			}
		}
	})
	for i := range 300 {
		require.NoError(t, server.Load(t.Context(), namedSeed([]string{"b", "a"}[i%2])))
	}
	over.Store(true)
	others.Wait()
}

// What happened to the cards of a machine is kept, whether a report has told or not.
func TestStateFileKeepsMachines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state")
	server, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithStateFile(path))
	require.NoError(t, err)
	c := clientOf(server)
	restarted := func() *driver.Machine {
		again, err := fakecyborg.New(fakecyborg.WithStateFile(path))
		require.NoError(t, err)
		machine, err := again.Machine("rack1")
		require.NoError(t, err)
		return machine
	}
	require.Equal(t, 204, c.call(t, "POST", "/_fake/devices?report=false", `{host: rack1, driver: pgpu, address: "e0:00.0"}`).status)
	require.Equal(t, 204, c.call(t, "POST", "/_fake/devices/break?host=rack1&address=e0:00.0&report=false", "").status)
	slot, err := restarted().Slot("0000:e0:00.0")
	require.NoError(t, err)
	assert.Equal(t, driver.Slot{ControlPath: "0000:e0:00.0", Kind: "pgpu", Card: driver.Card{Address: "e0:00.0"}, Broken: true}, slot)
	require.Equal(t, 204, c.call(t, "DELETE", "/_fake/devices?host=rack1&address=e0:00.0&report=false", "").status)
	_, err = restarted().Slot("0000:e0:00.0")
	require.ErrorIs(t, err, driver.ErrNoDevice)

	machine, err := server.Machine("rack1")
	require.NoError(t, err)
	for _, operation := range []string{"/v2/devices", "/_fake/health"} {
		require.NoError(t, machine.Remove("0000:3b:00.0"))
		require.Equal(t, 200, c.call(t, "GET", operation, "").status)
		_, err = restarted().Slot("0000:3b:00.0")
		require.ErrorIs(t, err, driver.ErrNoDevice, "after %s", operation)
		_, err = machine.Insert("fpga", driver.Card{Address: "0000:3b:00.0"})
		require.NoError(t, err)
	}
}

// A state file with a card that the release has no driver for is refused as a seed with it is, also where the card is
// not in the rows any more, or is not in them yet.
func TestStateFileOfAnotherRelease(t *testing.T) {
	t.Parallel()
	old, err := fakecyborg.FindRelease("ussuri")
	require.NoError(t, err)
	seed := twoHosts()
	later := twoHosts()
	later.Hosts[1].Devices = append(later.Hosts[1].Devices, fakecyborg.Device{Driver: "qat", Card: driver.Card{Address: qatAddress}})
	for _, test := range []struct {
		name   string
		seed   fakecyborg.Seed
		change func(t *testing.T, s *fakecyborg.Server, machine *driver.Machine)
		want   string
	}{
		{"in the seed", later, func(t *testing.T, s *fakecyborg.Server, machine *driver.Machine) {
			require.NoError(t, machine.Remove(qatAddress))
			require.NoError(t, s.Report(t.Context()))
		}, `seed:23: hosts[1].devices[1].driver: driver "qat": unknown driver: Cyborg 4.0.1 (ussuri) has none`},
		{"in the rows", seed, func(t *testing.T, s *fakecyborg.Server, machine *driver.Machine) {
			_, err := machine.Insert("qat", driver.Card{Address: qatAddress})
			require.NoError(t, err)
			require.NoError(t, s.Report(t.Context()))
			require.NoError(t, machine.Remove(qatAddress))
		}, `device 0000:3d:00.0 of host rack2: driver "qat": unknown driver`},
		{"not in them yet", seed, func(t *testing.T, _ *fakecyborg.Server, machine *driver.Machine) {
			_, err := machine.Insert("qat", driver.Card{Address: qatAddress})
			require.NoError(t, err)
		}, `device 0000:3d:00.0 of host rack2: driver "qat": unknown driver`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "state")
			server, err := fakecyborg.New(fakecyborg.WithSeed(test.seed), fakecyborg.WithStateFile(path))
			require.NoError(t, err)
			machine, err := server.Machine("rack2")
			require.NoError(t, err)
			test.change(t, server, machine)
			require.Equal(t, 200, clientOf(server).call(t, "GET", "/v2/devices", "").status)
			_, err = fakecyborg.New(fakecyborg.WithStateFile(path), fakecyborg.WithRelease(old))
			require.ErrorContains(t, err, fmt.Sprintf("read state %s: %s", path, test.want))
		})
	}
}
