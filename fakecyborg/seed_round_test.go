package fakecyborg_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

const (
	vgpuAddress = "0000:d8:00.0"
	vgpuName    = "rack1_" + vgpuAddress
	qatAddress  = "0000:3d:00.0"
)

// manyKinds are [twoHosts] with a card of mediated devices and one with two deployables.
func manyKinds() fakecyborg.Seed {
	seed := twoHosts()
	seed.Hosts[0].Devices = append(seed.Hosts[0].Devices,
		fakecyborg.Device{Driver: "vgpu", Card: driver.Card{Address: vgpuAddress, VGPUs: 2}},
		fakecyborg.Device{Driver: "qat", Card: driver.Card{Address: qatAddress, VFs: 2}})
	return seed
}

// What differs after a seed was exported and loaded: ids and times.
var (
	anyID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anyTime = regexp.MustCompile(`"(created|updated)_at": ("[^"]*"|null)`)
)

func plain(body string) string {
	return anyID.ReplaceAllString(anyTime.ReplaceAllString(body, ""), "ID")
}

// tried is a server in which something was made to arise.
type tried struct {
	*fakecyborg.Server
	client
}

func (s tried) machine(t *testing.T) *driver.Machine {
	t.Helper()
	machine, err := s.Machine("rack1")
	require.NoError(t, err)
	return machine
}

func (s tried) makeProfile(t *testing.T, fields string) {
	t.Helper()
	made := s.call(t, "POST", "/v2/device_profiles", `[{"name": "made", `+fields+`}]`)
	require.Equal(t, 201, made.status, made.body)
}

func (s tried) makeAttribute(t *testing.T, deployable int, key string) {
	t.Helper()
	made := s.call(t, "POST", "/v2/attributes", fmt.Sprintf(`{"deployable_id": %d, "key": %q, "value": ""}`, deployable, key))
	require.Equal(t, 201, made.status, made.body)
}

// bindOne binds the first request of a profile and returns it with the status.
func (s tried) bindOne(t *testing.T, host, provider, instance string) (arq string, status int) {
	t.Helper()
	arq = s.makeARQs(t, "one-fpga")[0].UUID
	return arq, s.bind(t, binding{arq, host, provider, instance}).status
}

// Whatever the API and the machines let arise can be exported and loaded, and is the same then.
func TestWhateverArisesGoesRound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		opts  []fakecyborg.Option
		arise func(t *testing.T, s tried)
		// reborn devices have all deployables again, with their attributes.
		reborn bool
	}{
		{name: "amount with a point", arise: func(t *testing.T, s tried) { s.makeProfile(t, `"groups": [{"resources:FPGA": 1.5}]`) }},
		{name: "amount in thousands", arise: func(t *testing.T, s tried) { s.makeProfile(t, `"groups": [{"resources:FPGA": 1e16}]`) }},
		{name: "boolean amount", arise: func(t *testing.T, s tried) {
			s.makeProfile(t, `"groups": [{"resources:FPGA": true, "resources:CUSTOM_A": false}]`)
		}},
		{name: "text that YAML escapes", arise: func(t *testing.T, s tried) {
			s.makeProfile(t, `"description": " a\u0000b\u0085\u2028\r\n\t é \ud83d\ude00 ~ \ud800 \u007f\ufeff\ufffe", "groups": [{"accel:x y: #": "\n\tx\n"}]`)
		}},
		{name: "empty texts of a group", arise: func(t *testing.T, s tried) {
			s.makeProfile(t, `"groups": [{"accel:": "", "accel: b ": null, "resources: FPGA ": " 1_0 "}, {}]`)
		}},
		{name: "attribute without a key", arise: func(t *testing.T, s tried) { s.makeAttribute(t, 1, "") }},
		{name: "attributes of a second deployable", arise: func(t *testing.T, s tried) {
			s.makeAttribute(t, 1, "trait9")
			s.makeAttribute(t, 5, "k")
		}},
		{name: "vanished with the deployable before the bound one", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "rack1", driver.ProviderUUID("rack1_0000:3d:00.2"), instanceA)
			require.Equal(t, 202, status)
			require.NoError(t, s.machine(t).Remove(qatAddress))
			require.ErrorIs(t, s.Report(t.Context()), fakecyborg.ErrHandleInUse)
			s.makeAttribute(t, 5, "k")
			require.Equal(t, []fakecyborg.Attribute{{Deployable: 2, Key: "k"}}, s.Seed().Hosts[0].Devices[3].Attributes)
		}, reborn: true},
		{name: "empty host", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "", driver.ProviderUUID(fpgaName), instanceA)
			require.Equal(t, 202, status)
		}},
		{name: "empty instance", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "h", driver.ProviderUUID(fpgaName), "")
			require.Equal(t, 202, status)
		}},
		{name: "instance that is none", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "h", driver.ProviderUUID(fpgaName), "zz")
			require.Equal(t, 202, status)
		}},
		{name: "empty provider", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "h", "", instanceA)
			require.Equal(t, 404, status)
		}},
		{name: "mediated device", arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "rack1", driver.ProviderUUID(vgpuName), instanceA)
			require.Equal(t, 202, status)
		}},
		{name: "mediated device that cannot be made", arise: func(t *testing.T, s tried) {
			require.NoError(t, s.machine(t).Break(vgpuAddress))
			arq, status := s.bindOne(t, "rack1", driver.ProviderUUID(vgpuName), instanceA)
			require.Equal(t, 500, status)
			failed := s.showARQ(t, arq)
			assert.Equal(t, "BindFailed", failed.State)
			assert.Empty(t, failed.HandleType+failed.HandleInfo["bus"], "only a bound request shows its handle")
			assert.Nil(t, failed.HandleUUID)
		}},
		{name: "vanished with a hole before the bound handle", arise: func(t *testing.T, s tried) {
			first, _ := s.bindOne(t, "rack1", driver.ProviderUUID(fakeName), instanceA)
			_, status := s.bindOne(t, "rack1", driver.ProviderUUID(fakeName), instanceB)
			require.Equal(t, 202, status)
			require.Equal(t, 202, s.call(t, "PATCH", "/v2/accelerator_requests", unbindBody(first)).status)
			require.NoError(t, s.machine(t).Remove("0000:0c:00.0"))
			require.ErrorIs(t, s.Report(t.Context()), fakecyborg.ErrHandleInUse)
		}},
		{name: "card in place of one that vanished", opts: []fakecyborg.Option{fakecyborg.WithCarefulReports()}, arise: func(t *testing.T, s tried) {
			_, status := s.bindOne(t, "rack1", driver.ProviderUUID(fpgaName), instanceA)
			require.Equal(t, 202, status)
			require.NoError(t, s.machine(t).Remove("0000:3b:00.0"))
			_, err := s.machine(t).Insert("pgpu", driver.Card{Address: "0000:3b:00.1"})
			require.NoError(t, err)
			require.NoError(t, s.Report(t.Context()))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, err := fakecyborg.New(append(test.opts, fakecyborg.WithSeed(manyKinds()))...)
			require.NoError(t, err)
			s := tried{server, clientOf(server)}
			test.arise(t, s)
			exported := s.call(t, "GET", "/_fake/seed", "").body
			again := newClientOf(t)
			put := again.call(t, "PUT", "/_fake/seed", exported)
			require.Equal(t, 204, put.status, "%s\n%s", put.body, exported)
			assert.Empty(t, cmp.Diff(exported, again.call(t, "GET", "/_fake/seed", "").body))
			for _, path := range []string{"/v2/accelerator_requests", "/v2/device_profiles", "/v2/attributes"} {
				if test.reborn && path == "/v2/attributes" {
					continue
				}
				assert.Empty(t, cmp.Diff(plain(s.call(t, "GET", path, "").body), plain(again.call(t, "GET", path, "").body)), path)
			}
		})
	}
}

// found is a driver with one device.
type found struct{ device driver.Device }

func (f found) Discover(context.Context) ([]driver.Device, error) {
	return []driver.Device{f.device}, nil
}

// What a seed cannot say is left out of it, with the requests that hang on it; the rest can be loaded.
func TestExportLeavesOut(t *testing.T) {
	t.Parallel()
	kind, err := driver.Named("pgpu")
	require.NoError(t, err)
	device, err := kind.Describe("rack2", driver.Card{Address: "0000:b0:00.0"})
	require.NoError(t, err)
	server, err := fakecyborg.New(fakecyborg.WithSeed(manyKinds()), fakecyborg.WithDriver("rack2", found{device}))
	require.NoError(t, err)
	require.NoError(t, server.Report(t.Context()))
	s := tried{server, clientOf(server)}
	foreign, status := s.bindOne(t, "rack2", driver.ProviderUUID("rack2_0000:b0:00.0"), instanceA)
	require.Equal(t, 202, status)
	kept, status := s.bindOne(t, "rack1", driver.ProviderUUID(fpgaName), instanceB)
	require.Equal(t, 202, status)
	require.Equal(t, 400, s.call(t, "POST", "/v2/device_profiles", `[{"name": "odd-id", "uuid": "zz", "groups": [{"resources:FPGA": "1"}]}]`).status)
	odd := s.makeARQs(t, "odd-id")[0].UUID
	// Another card is where the bound one was, and no report has told.
	swapped, status := s.bindOne(t, "rack1", driver.ProviderUUID(vgpuName), stateInstances[0])
	require.Equal(t, 202, status)
	require.NoError(t, s.machine(t).Remove(vgpuAddress))
	_, err = s.machine(t).Insert("qat", driver.Card{Address: vgpuAddress, VFs: 2})
	require.NoError(t, err)

	exported := s.call(t, "GET", "/_fake/seed", "").body
	assert.Contains(t, exported, kept)
	for _, arq := range []string{foreign, odd, swapped} {
		assert.NotContains(t, exported, arq)
	}
	put := s.call(t, "PUT", "/_fake/seed", exported)
	require.Equal(t, 204, put.status, "%s\n%s", put.body, exported)
	assert.Equal(t, "Bound", s.showARQ(t, kept).State)
	assert.Len(t, s.call(t, "GET", "/v2/accelerator_requests", "").arqs(t), 1)
}

// oddText is text with much of what YAML has forms for.
func oddText() *rapid.Generator[string] {
	parts := rapid.SampledFrom([]string{" ", "\n", "\t", "\r", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\x00", "\x7f", "x", "-", ":", "#", "'", `"`, "|", ">", "%", "---", "...", "é", "\U0001f600"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(parts, 1, 6).Draw(t, "parts"), "") })
}

// Whatever text there is in a seed, it reads the same again.
func TestTextOfSeedsGoesRound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(oddText(), rapid.String()).Draw(t, "text")
		seed := fakecyborg.Seed{DeviceProfiles: []fakecyborg.DeviceProfile{{
			Name: "p", Description: "d" + text, Groups: []fakecyborg.Group{{{Key: "accel:" + text, Value: text}}},
		}}}
		written, err := yaml.Marshal(seed)
		require.NoError(t, err)
		server, err := fakecyborg.New(fakecyborg.WithSeedYAML("s", written))
		require.NoError(t, err, "%q", written)
		read := server.Seed()
		read.DeviceProfiles[0].UUID = ""
		assert.Empty(t, cmp.Diff(seed, read))
	})
}
