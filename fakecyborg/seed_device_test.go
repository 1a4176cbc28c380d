package fakecyborg_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// fullSeed has what a seed can say of devices beside their cards.
const fullSeed = `hosts:
    - name: h
      programming_time: 1s
      devices:
        - driver: fpga
          address: 0000:3b:00.0
          function_id: aa01
          bitstream_id: 00000000-0000-0000-0000-000000000009
          attributes:
            - deployable: 1
              key: note
              value: mine
        - driver: pgpu
          address: 0000:af:00.0
          disabled: true
          broken: true
        - driver: qat
          address: 0000:b1:00.0
          vfs: 2
          vanished: true
          attributes:
            - deployable: 2
              key: note
              value: second
device_profiles:
    - name: null-value
      uuid: aaaaaaaa-0000-4000-8000-00000000000a
      groups:
        - resources:FPGA: "1"
          accel:other: null
images:
    - id: 00000000-0000-0000-0000-000000000009
      function_id: aa01
`

// Such a seed comes out as it went in.
func TestSeedOfDevicesGoesRound(t *testing.T) {
	t.Parallel()
	server, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(fullSeed)))
	require.NoError(t, err)
	for range 2 {
		text, err := yaml.Marshal(server.Seed())
		require.NoError(t, err)
		assert.Empty(t, cmp.Diff(fullSeed, string(text)))
		c := clientOf(server)
		require.Equal(t, 204, c.call(t, "PUT", "/_fake/seed", string(text)).status)
	}
	assert.Contains(t, clientOf(server).call(t, "GET", "/_fake/devices", "").body, `"vanished": true`)
	require.NoError(t, server.Report(t.Context()))
	assert.NotContains(t, clientOf(server).call(t, "GET", "/v2/devices", "").body, "QAT", "the report notices")
	server, err = fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte("images: []")))
	require.NoError(t, err)
	text, err := yaml.Marshal(server.Seed())
	require.NoError(t, err)
	assert.Equal(t, "images: []\n", string(text), "an image service without images")
}

// What happened to devices is in the seed.
func TestSeedHasWhatHappened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, c := programming(t, fakecyborg.Newest(), 0, fakecyborg.WithImages(driver.Image{ID: wantedImage, FunctionID: "f00d"}))
		c.bindFPGA(t, "programmed")
		time.Sleep(time.Second)
		machine, err := server.Machine("rack2")
		require.NoError(t, err)
		require.NoError(t, machine.Break(gpuAddress))
		require.Equal(t, 201, c.call(t, "POST", "/v2/attributes", `{"deployable_id": 3, "key": "note", "value": "x"}`).status)
		seed := server.Seed()
		assert.Equal(t, "f00d", seed.Hosts[0].Devices[0].FunctionID)
		assert.Equal(t, wantedImage, seed.Hosts[0].Devices[0].Bitstream)
		assert.True(t, seed.Hosts[1].Devices[0].Broken)
		assert.Equal(t, []fakecyborg.Attribute{{Deployable: 1, Key: "note", Value: "x"}}, seed.Hosts[1].Devices[0].Attributes)
		require.NoError(t, server.Load(t.Context(), seed))
		machine, err = server.Machine("rack1")
		require.NoError(t, err)
		require.NoError(t, machine.Remove(fpgaAddress))
		assert.True(t, server.Seed().Hosts[0].Devices[0].Vanished)
	})
}

func TestSeedOfDevicesIsChecked(t *testing.T) {
	t.Parallel()
	device := "hosts:\n- name: h\n  devices:\n  - driver: fpga\n    address: '0000:3b:00.0'\n    "
	for _, test := range []struct{ name, seed, want string }{
		{"image without id", "images:\n- {function_id: a}\n", "s.yaml:2: images[0].id: an image needs an id"},
		{"image of no uuid", "images:\n- {id: x}\n", `s.yaml:2: images[0].id: "x" is not a uuid`},
		{"image twice", "images:\n- {id: " + wantedImage + "}\n- {id: " + wantedImage + "}\n", "s.yaml:3: images[1].id: image"},
		{"function", "images:\n- {id: " + wantedImage + ", function_id: 'a b'}\n", "images[0].function_id: \"a b\": want"},
		{"region", "images:\n- {id: " + wantedImage + ", region_id: xyz}\n", "images[0].region_id: \"xyz\": want"},
		{"time", "hosts:\n- name: h\n  programming_time: 3\n", `s.yaml:3: hosts[0].programming_time: want a time with its unit such as 20s, got "3"`},
		{"negative time", "hosts:\n- name: h\n  programming_time: -3s\n", "s.yaml:3: hosts[0].programming_time: -3s, want 0 or more"},
		{"bitstream", device + "bitstream_id: x\n", `s.yaml:6: hosts[0].devices[0].bitstream_id: "x" is not a uuid`},
		{"bitstream of a GPU", "hosts: [{name: h, devices: [{driver: pgpu, address: '0000:3b:00.0', bitstream_id: " + wantedImage + "}]}]\n", "takes no images"},
		{"deployable", device + "attributes: [{deployable: 2, key: a}]\n", "s.yaml:6: hosts[0].devices[0].attributes[0].deployable: 2, the device has the deployables 1 to 1"},
		{"key", device + "attributes: [{value: a}]\n", "attributes[0].key: an attribute needs a key"},
		{"null", "device_profiles:\n- name: p\n  groups:\n  - {'resources:FPGA': null}\n", "s.yaml:4: device_profiles[0].groups[0].resources:FPGA"},
	} {
		_, err := fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte(test.seed)))
		require.ErrorContains(t, err, test.want, test.name)
	}
}

// The rules of cyborg.conf stand beside lspci and sysfs.
func TestSeedOfRealMachineWithRules(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"h.txt": lspciText})
	for name, text := range map[string]string{
		"0000:3d:00.0/vendor": "0x8086", "0000:3d:00.0/device": "0x1572", "0000:3d:00.0/class": "0x020000", "0000:3d:00.0/net/eth0/mtu": "1500",
		"0000:af:00.0/vendor": "0x10de", "0000:af:00.0/device": "0x1eb8", "0000:af:00.0/class": "0x030200",
		"0000:af:00.0/mdev_supported_types/nvidia-222/name":                "GRID T4-1B",
		"0000:af:00.0/mdev_supported_types/nvidia-222/available_instances": "15",
	} {
		path := filepath.Join(dir, "i", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text+"\n"), 0o600))
	}
	load := func(text string) (client, error) {
		server, err := fakecyborg.New(fakecyborg.WithSeedYAML(filepath.Join(dir, "s.yaml"), []byte(text)))
		if err != nil {
			return client{}, err
		}
		return clientOf(server), nil
	}
	c, err := load("hosts:\n- name: h\n  passthrough: [{vendor_id: 10ee, product_id: '5000'}]\n  lspci: h.txt\n")
	require.NoError(t, err)
	assert.Contains(t, c.call(t, "GET", "/v2/attributes?key=rc", "").body, `"CUSTOM_PCI"`)
	c, err = load("hosts:\n- name: i\n  sysfs: i\n  vgpu_types: {'0000:af:00.0': nvidia-222}\n  physical_networks: {eth0: physnet1}\n  function_names: {eth0: fast}\n  skip_gpu_functions: true\n")
	require.NoError(t, err)
	assert.Contains(t, c.call(t, "GET", "/_fake/devices", "").body, "physnet1")
	body := c.call(t, "GET", "/v2/attributes?key=rc", "").body
	assert.Contains(t, body, `"VGPU"`)
	assert.NotContains(t, body, `"PGPU"`)
	_, err = load("hosts:\n- name: h\n  vgpu_types: {'0000:af:00.0': nvidia-222}\n")
	require.ErrorContains(t, err, "s.yaml:3: hosts[0].vgpu_types: it is about the cards that lspci or sysfs names, and neither is given")
	_, err = load("hosts:\n- name: h\n  vgpu_types: {'0000:11:00.0': nvidia-222}\n  lspci: h.txt\n")
	require.ErrorContains(t, err, "s.yaml:4: hosts[0].lspci: rules: vgpu type nvidia-222: the machine has no function 0000:11:00.0")
	_, err = load("hosts:\n- name: h\n  vgpu_types: [a]\n  lspci: h.txt\n")
	require.ErrorContains(t, err, "want keys and values")
}

// The routes about cards tell what is wrong with a call.
func TestControlOfCardsRefuses(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"unknown host", "POST", "/_fake/devices", `{"host": "no", "driver": "fake"}`, 404, "the seed has no such host"},
		{"empty", "POST", "/_fake/devices", ``, 400, "it is empty"},
		{"unknown key", "POST", "/_fake/devices", `{"host": "rack1", "disabled": true}`, 400, `unknown key \"disabled\"`},
		{"bad card", "POST", "/_fake/devices", `{"host": "rack1", "driver": "pgpu", "address": "x"}`, 400, `address \"x\"`},
		{"taken", "POST", "/_fake/devices", `{"host": "rack1", "driver": "fake"}`, 409, "already there"},
		{"bad report", "POST", "/_fake/devices?report=1", `{"host": "rack2", "driver": "fake"}`, 400, "want true or false"},
		{"no such card", "DELETE", "/_fake/devices?host=rack1&address=0000:00:00.0", "", 404, "not on this host"},
		{"no card", "POST", "/_fake/devices/break?host=rack1&address=0000:00:00.0", "", 404, `"place": "query: address"`},
		{"break without address", "POST", "/_fake/devices/break?host=rack1", "", 400, `"place": "query: address"`},
		{"repair without host", "POST", "/_fake/devices/repair?address=0000:af:00.0", "", 400, `"place": "query: host"`},
		{"remove from no host", "DELETE", "/_fake/devices?host=no&address=0000:af:00.0", "", 404, `"place": "query: host"`},
		{"insert without host", "POST", "/_fake/devices", "driver: fake\n", 400, `"place": "body:1: host"`},
		{"insert into no host", "POST", "/_fake/devices", "driver: fake\nhost: no\n", 404, `"place": "body:2: host"`},
		{"insert without address", "POST", "/_fake/devices", "host: rack1\ndriver: pgpu\n", 400, `"place": "body:1: address"`},
		{"insert of a bad address", "POST", "/_fake/devices", "host: rack1\ndriver: pgpu\naddress: x\n", 400, `"place": "body:3: address"`},
		{"insert of no driver", "POST", "/_fake/devices", "host: rack1\n", 400, `"place": "body:1: driver"`},
		{"virtual function of another", "POST", "/_fake/devices", "host: rack1\ndriver: pgpu\naddress: '0000:3b:00.1'\n", 409, "function 0000:3b:00.1 of 0000:3b:00.0: already there"},
		{"report of no host", "POST", "/_fake/devices/report?host=no", "", 404, "no such host"},
	} {
		got := c.call(t, test.method, test.path, test.body)
		assert.Equal(t, test.status, got.status, test.name)
		assert.Contains(t, got.body, test.want, test.name)
	}
	arq := c.makeARQs(t, "one-fpga")[0].UUID
	require.Equal(t, 202, c.bind(t, binding{arq, "rack2", driver.ProviderUUID(gpuName), instanceA}).status)
	assert.Equal(t, 409, c.call(t, "DELETE", "/_fake/devices?host=rack2&address=af:00.0", "").status, "in use, in the form without a domain")
	assert.Equal(t, 200, c.call(t, "GET", "/_fake/health", "").status, "the seed is reported")
	assert.Contains(t, c.call(t, "GET", "/_fake/devices", "").body, `"vanished": true`)
	require.Equal(t, 204, c.call(t, "POST", "/_fake/devices?report=false", `{"host": "rack1", "driver": "pgpu", "address": "0000:10:00.0"}`).status)
	assert.NotContains(t, c.call(t, "GET", "/_fake/devices", "").body, "0000:10:00.0")
	require.Equal(t, 204, c.call(t, "POST", "/_fake/devices/report?host=rack1", "").status)
	assert.Contains(t, c.call(t, "GET", "/_fake/devices", "").body, "0000:10:00.0")
}
