package fakecyborg_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func TestSeedErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, seed, want string
	}{
		{name: "unknown key", seed: "hosts:\n  - name: h\n    disks: 3\n", want: `s.yaml:3: hosts[0].disks: unknown key "disks", known are compute_node, devices, function_names, lspci, name, passthrough, physical_networks, programming_time, skip_gpu_functions, sysfs, vgpu_types`},
		{name: "unknown key at the top", seed: "host: []\n", want: `s.yaml:1: host: unknown key "host", known are accelerator_requests, device_profiles, faults, hosts, images`},
		{name: "repeated key", seed: "hosts:\n  - name: h\n    name: i\n", want: "s.yaml:3: hosts[0].name: the key is already in line 2"},
		{name: "no list", seed: "hosts: {name: h}\n", want: "s.yaml:1: hosts: want a list, got keys and values"},
		{name: "no mapping", seed: "hosts:\n  - h\n", want: `s.yaml:2: hosts[0]: want keys and values, got "h"`},
		{name: "no text", seed: "hosts:\n  - name: [h]\n", want: "s.yaml:2: hosts[0].name: want text, got a list"},
		{name: "null", seed: "hosts:\n  - name:\n", want: "s.yaml:2: hosts[0].name: want text, got nothing"},
		{name: "no number", seed: "hosts:\n  - name: h\n    compute_node: {vcpus: many}\n", want: `s.yaml:3: hosts[0].compute_node.vcpus: want a whole number, got "many"`},
		{name: "number missing", seed: "hosts:\n  - name: h\n    compute_node: {vcpus: 1, memory_mb: 5}\n", want: "s.yaml:3: hosts[0].compute_node.disk_gb: 0, want 1 to 2147483647"},
		{name: "node id", seed: "hosts:\n  - name: h\n    compute_node: {uuid: x, vcpus: 1}\n", want: `s.yaml:3: hosts[0].compute_node.uuid: "x" is not a uuid with dashes, in lower case`},
		{name: "node id in upper case", seed: "hosts:\n  - name: h\n    compute_node:\n      uuid: AAAAAAAA-0000-4000-8000-000000000001\n", want: `s.yaml:4: hosts[0].compute_node.uuid: "AAAAAAAA-0000-4000-8000-000000000001" is not a uuid with dashes, in lower case`},
		{name: "node id without dashes", seed: "hosts:\n  - name: h\n    compute_node: {uuid: aaaaaaaa000040008000000000000001}\n", want: `s.yaml:3: hosts[0].compute_node.uuid: "aaaaaaaa000040008000000000000001" is not a uuid with`},
		{name: "node id twice", seed: "hosts:\n  - name: g\n    compute_node: &n {uuid: aaaaaaaa-0000-4000-8000-000000000001, vcpus: 1, memory_mb: 1, disk_gb: 1}\n  - name: h\n    compute_node: *n\n", want: `s.yaml:4: hosts[1].name: uuid of a resource provider "aaaaaaaa-0000-4000-8000-000000000001" is already at s.yaml:2: hosts[0].name`},
		{name: "node id of another host's name", seed: "hosts:\n  - name: realstack-cn1\n  - name: h\n    compute_node: {uuid: 55000c73-102e-559f-a8cd-63f5e94ef5ac, vcpus: 1, memory_mb: 1, disk_gb: 1}\n", want: `s.yaml:3: hosts[1].name: uuid of a resource provider "55000c73-102e-559f-a8cd-63f5e94ef5ac" is already at`},
		{name: "amount too large", seed: "hosts:\n  - name: h\n    compute_node:\n      vcpus: 4\n      memory_mb: 2147483648\n", want: "s.yaml:5: hosts[0].compute_node.memory_mb: 2147483648, want 1 to 2147483647"},
		{name: "amount below zero", seed: "hosts:\n  - name: h\n    compute_node:\n      vcpus: -1\n", want: "s.yaml:4: hosts[0].compute_node.vcpus: -1, want 1 to 2147483647"},
		{name: "host name too long", seed: "hosts:\n  - devices: []\n    name: " + strings.Repeat("ü", 100) + "x" + "\n", want: "s.yaml:3: hosts[0].name: the name of the resource provider has 201 bytes, want 1 to 200"},
		{name: "device name too long", seed: "hosts:\n  - name: " + strings.Repeat("h", 190) + "\n    devices:\n      - driver: fake\n", want: "s.yaml:4: hosts[0].devices[0]: the name of the resource provider has 201 bytes, want 1 to 200"},
		{name: "host named like a device", seed: "hosts:\n  - name: h\n    devices: [driver: fake]\n  - name: h_FakeDevice\n", want: `s.yaml:4: hosts[1].name: resource provider "h_FakeDevice" is already at s.yaml:3: hosts[0].devices[0]`},
		{name: "empty host name", seed: "hosts:\n  - devices: []\n    name: ''\n", want: "s.yaml:3: hosts[0].name: a host needs a name"},
		{name: "blank host name", seed: "hosts:\n  - devices: []\n    name: ' '\n", want: "s.yaml:3: hosts[0].name: a host needs a name"},
		{name: "host without name", seed: "hosts:\n  - devices: []\n", want: "s.yaml:2: hosts[0].name: a host needs a name"},
		{name: "host twice", seed: "hosts:\n  - name: h\n  - name: H\n", want: `s.yaml:3: hosts[1].name: host "H" is already at s.yaml:2: hosts[0].name`},
		{name: "unknown driver", seed: "hosts:\n  - name: h\n    devices:\n      - {driver: gpgpu}\n", want: `s.yaml:4: hosts[0].devices[0].driver: driver "gpgpu": unknown driver, known are aichip, fake, fpga, inspur_fpga, nic, pci, pgpu, qat, ssd, vgpu, xilinx_fpga`},
		{name: "bad address", seed: "hosts:\n  - name: h\n    devices:\n      - driver: fpga\n        address: x\n", want: `s.yaml:5: hosts[0].devices[0].address: driver fpga: address "x": wrong value`},
		{name: "no address", seed: "hosts:\n  - name: h\n    devices:\n      - driver: fpga\n", want: `s.yaml:4: hosts[0].devices[0]: driver fpga: address "": needed`},
		{name: "field of another driver", seed: "hosts:\n  - name: h\n    devices:\n      - {driver: pgpu, address: \"0000:af:00.0\",\n         vfs: 2}\n", want: `s.yaml:5: hosts[0].devices[0].vfs: driver pgpu: vfs "2": not read by this driver, leave it out`},
		{name: "device twice", seed: "hosts:\n  - name: h\n    devices:\n      - driver: fake\n      - driver: fake\n", want: `s.yaml:5: hosts[0].devices[1]: device on host h "0000:0c:00.0" is already at s.yaml:4: hosts[0].devices[0]`},
		{name: "function of another device", seed: "hosts:\n  - name: h\n    devices:\n      - {driver: fpga, address: \"0000:10:00.0\", vfs: 4}\n      - {driver: pgpu, address: \"0000:10:00.2\"}\n", want: `s.yaml:5: hosts[0].devices[1]: PCI function on host h "0000:10:00.2" is already at s.yaml:4: hosts[0].devices[0]`},
		{name: "functions of both", seed: "hosts:\n  - name: h\n    devices:\n      - {driver: qat, address: \"0000:10:00.0\", vf_addresses: [\"11:00.0\"]}\n      - {driver: nic, address: \"0000:10:00.1\", vf_addresses: [\"0000:11:00.0\"]}\n", want: `s.yaml:5: hosts[0].devices[1]: PCI function on host h "0000:11:00.0" is already at s.yaml:4: hosts[0].devices[0]`},
		{name: "same deployable name on two hosts", seed: "hosts:\n  - name: a.b\n    devices: [driver: fake]\n  - name: a_b\n    devices: [driver: fake]\n", want: `s.yaml:5: hosts[1].devices[0]: deployable "a_b_FakeDevice" is already at s.yaml:3: hosts[0].devices[0]`},
		{name: "profile without name", seed: "device_profiles:\n  - groups: [{\"resources:FPGA\": 1}]\n", want: "s.yaml:2: device_profiles[0].name: DeviceProfile name needed."},
		{name: "profile without groups", seed: "device_profiles:\n  - name: p\n", want: "s.yaml:2: device_profiles[0]: a device profile needs at least one group"},
		{name: "profile twice", seed: "device_profiles:\n  - {name: p, groups: [{}]}\n  - {name: p, groups: [{}]}\n", want: `s.yaml:3: device_profiles[1].name: device profile "p" is already at s.yaml:2: device_profiles[0].name`},
		{name: "profile id", seed: "device_profiles:\n  - {name: p, uuid: x, groups: [{}]}\n", want: `s.yaml:2: device_profiles[0].uuid: "x" is not a uuid`},
		{name: "profile id twice", seed: "device_profiles:\n  - {name: p, uuid: 00000000-0000-0000-0000-000000000001, groups: [{}]}\n  - {name: q, uuid: 00000000-0000-0000-0000-000000000001, groups: [{}]}\n", want: "s.yaml:3: device_profiles[1]: DeviceProfile with uuid 00000000-0000-0000-0000-000000000001 already exists."},
		{name: "misspelt class", seed: "device_profiles:\n  - name: p\n    groups:\n      - resources:FPGB: 1\n", want: "s.yaml:4: device_profiles[0].groups[0].resources:FPGB: Unsupported resource class FPGB"},
		{name: "group key", seed: "device_profiles:\n  - name: p\n    groups:\n      - {\"resources:FPGA\": 1,\n         \"gpu\": 1}\n", want: "s.yaml:5: device_profiles[0].groups[0].gpu: Device profile group keys must be of the form ^(resources:|trait:|accel:)"},
		{name: "not YAML", seed: "hosts: [\n", want: "s.yaml:1: did not find expected node content"},
		{name: "tab", seed: "hosts:\n\t- name: a\n", want: "s.yaml:2: found character that cannot start any token"},
		{name: "tab in the first line", seed: "\thosts: []\n", want: "s.yaml:1: found character that cannot start any token"},
		{name: "wrong bracket", seed: "hosts: []\n\ndevice_profiles: [}\n\n\n\n\n\n", want: "s.yaml:3: did not find expected node content"},
		{name: "misplaced key", seed: "hosts:\n  - name: a\n    devices: []\n   compute_node: {}\n# end\n", want: "s.yaml:4: did not find expected '-' indicator"},
		{name: "no closing quote", seed: "hosts:\n  - name: \"a\n  - name: b\n", want: "s.yaml:2: found unexpected end of stream"},
		{name: "undefined anchor", seed: "hosts:\n- name: a\n  devices: *nope\n- name: b\n\n", want: "s.yaml:3: unknown anchor 'nope' referenced"},
		{name: "undefined anchor in the first line", seed: "hosts: *nope", want: "s.yaml:1: unknown anchor 'nope' referenced"},
		{name: "control character", seed: "hosts:\n- name: \"a\x00\"\n- name: b\n", want: "s.yaml:2: control characters are not allowed"},
		{name: "not UTF-8", seed: "hosts:\n- name: \xff\n", want: "s.yaml:2: not UTF-8 text"},
		{name: "UTF-16", seed: "\xff\xfeh\x00", want: "s.yaml:1: not UTF-8 text"},
		{name: "too deep", seed: "hosts:\n" + strings.Repeat("- ", 10_001) + "\n", want: "s.yaml:2: exceeded max depth of 10000"},
		{name: "second document is not YAML", seed: "hosts: []\n---\n\t{\n", want: "s.yaml:3: found character that cannot start any token"},
		{name: "empty key", seed: "hosts: []\n\"\": 1\n", want: `s.yaml:2: want a plain key, got ""`},
		{name: "null key", seed: "hosts: []\n? \n: 1\n", want: `s.yaml:2: want a plain key, got nothing`},
		{name: "key a mapping", seed: "hosts:\n- ? {a: b}\n  : 1\n", want: `s.yaml:2: hosts[0]: want a plain key, got keys and values`},
		{name: "key an alias", seed: "hosts:\n- name: &a h\n  *a : []\n", want: `s.yaml:3: hosts[0]: want a plain key, got an alias`},
		{name: "line feed in a key", seed: "hosts: []\n\"a\\nb\": 1\n", want: `s.yaml:2: a\nb: unknown key "a\nb", known are`},
		{name: "only a list", seed: "\n\n- a\n", want: "s.yaml:3: want keys and values, got a list"},
		{name: "two documents", seed: "hosts: []\n---\nhosts: []\n", want: "s.yaml:2: a seed is one document"},
		{name: "only a word", seed: "hosts\n", want: `s.yaml:1: want keys and values, got "hosts"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(test.seed)))
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), test.want), "%v", err)
			var seedError *fakecyborg.SeedError
			assert.ErrorAs(t, err, &seedError)
		})
	}
}

// Aliases may repeat some thousand values, but not fill the memory.
func TestSeedBoundsAliases(t *testing.T) {
	t.Parallel()
	devices := strings.Repeat("  - {driver: pgpu, address: '0000:3d:00.0'}\n", 3000)
	bomb := "hosts:\n- name: h\n  devices: &d\n" + devices + strings.Repeat("- {name: h, devices: *d}\n", 3000)
	_, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(bomb)))
	require.Error(t, err)
	assert.Regexp(t, `^s\.yaml:\d+: hosts\[\d+\]\.\S+: aliases repeat more than 10000 values, write them out or leave them out$`, err.Error())
	assert.Less(t, len(err.Error()), 200)

	var few strings.Builder
	few.WriteString("hosts:\n- name: h0\n  devices: &d [{driver: pgpu, address: '0000:3d:00.0'}]\n")
	for i := range 1000 {
		fmt.Fprintf(&few, "- {name: host%d, devices: *d}\n", i)
	}
	_, err = fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(few.String())))
	require.NoError(t, err)
}

// What loads can be reported.
func TestSeedLimitsAreThoseOfPlacement(t *testing.T) {
	t.Parallel()
	most := fakecyborg.ComputeNode{UUID: instanceA, VCPUs: 1<<31 - 1, MemoryMB: 1<<31 - 1, DiskGB: 1<<31 - 1}
	server, _ := withPlacement(t, fakecyborg.Seed{Hosts: []fakecyborg.Host{
		{Name: strings.Repeat("ü", 100), ComputeNode: &most},
		{Name: strings.Repeat("h", 189), ComputeNode: &fakecyborg.ComputeNode{VCPUs: 1, MemoryMB: 1, DiskGB: 1}, Devices: []fakecyborg.Device{{Driver: "fake"}}},
	}})
	require.NoError(t, server.Report(t.Context()))
}

func TestSeedFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "seed.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
hosts:
  - name: rack1
    devices: &cards
      - {driver: fpga, address: "0000:3b:00.0"}
  - name: rack2
    devices: *cards
device_profiles:
  - name: p
    groups:
      - {"trait: CUSTOM_B ": required, "resources:FPGA": 1, "accel:x": y}
`), 0o600))
	c := newClientOf(t, fakecyborg.WithSeedFile(path))
	assert.Len(t, c.call(t, "GET", "/v2/devices", "").listOf(t, "devices"), 2, "aliases work")
	assert.Contains(t, c.call(t, "GET", "/v2/device_profiles", "").body,
		`"groups": [{"trait:CUSTOM_B": "required", "resources:FPGA": "1", "accel:x": "y"}]`, "the order stays, names are cleaned")

	_, err := fakecyborg.New(fakecyborg.WithSeedFile(path + "x"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestEmptySeeds(t *testing.T) {
	t.Parallel()
	for _, seed := range []string{"", "# nothing\n", "---\n", "hosts: []\n"} {
		_, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(seed)))
		assert.NoError(t, err, seed)
	}
}

func TestSeedOfValuesNamesThePath(t *testing.T) {
	t.Parallel()
	_, err := fakecyborg.New(fakecyborg.WithSeed(fakecyborg.Seed{Hosts: []fakecyborg.Host{{Name: "h", Devices: []fakecyborg.Device{{Driver: "fpga"}}}}}))
	require.ErrorIs(t, err, driver.ErrMissing)
	require.ErrorContains(t, err, "seed: hosts[0].devices[0]: ")

	twice := fakecyborg.Group{{Key: "resources:FPGA", Value: "1"}, {Key: "resources:FPGA", Value: "2"}}
	_, err = fakecyborg.New(fakecyborg.WithSeed(fakecyborg.Seed{DeviceProfiles: []fakecyborg.DeviceProfile{{Name: "p", Groups: []fakecyborg.Group{twice}}}}))
	assert.EqualError(t, err, "seed: device_profiles[0].groups[0].resources:FPGA: the key is there twice")
}

// The same random bytes give the same ids.
func TestUUIDsAreRepeatable(t *testing.T) {
	t.Parallel()
	ids := func() string {
		c := newClient(t, fakecyborg.WithUUIDs(rand.NewChaCha8([32]byte{7})))
		return c.call(t, "GET", "/v2/devices", "").listOf(t, "devices")[0].UUID + c.makeARQs(t, "one-fpga")[0].UUID
	}
	first, second := ids(), ids()
	assert.Equal(t, first, second)

	_, err := fakecyborg.New(fakecyborg.WithSeed(twoHosts()), fakecyborg.WithUUIDs(strings.NewReader("short")))
	require.Error(t, err, "the reader ends")
	server, err := fakecyborg.New(fakecyborg.WithUUIDs(strings.NewReader("sixteen bytes...")))
	require.NoError(t, err)
	c := clientOf(server)
	assert.Equal(t, 201, c.call(t, "POST", "/v2/device_profiles", `[{"name": "a", "groups": [{"resources:FPGA": 1}]}]`).status)
	assert.Equal(t, 500, c.call(t, "POST", "/v2/accelerator_requests", `{"device_profile_name": "a"}`).status)
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]fakecyborg.Option{
		"placement":      fakecyborg.WithPlacement(nil),
		"nova":           fakecyborg.WithNova("127.0.0.1:8774"),
		"events":         fakecyborg.WithEvents(nil),
		"nova transport": fakecyborg.WithNovaTransport(nil),
		"logger":         fakecyborg.WithLogger(nil),
		"uuids":          fakecyborg.WithUUIDs(nil),
		"release":        fakecyborg.WithRelease(fakecyborg.Release{MaxMicroversion: -1}),
	} {
		_, err := fakecyborg.New(opt)
		assert.ErrorContains(t, err, name)
	}
}
