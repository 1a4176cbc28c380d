package fakecyborg_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// lspciText is a machine with a GPU, a Xilinx card of two functions, an AI chip,
// which Cyborg does not keep, and a bridge.
const lspciText = `0000:00:00.0 Host bridge [0600]: Intel Corporation Device [8086:2020] (rev 07)
0000:0c:00.0 Processing accelerators [1200]: Device [19e5:d100] (rev 20)
0000:3b:00.0 Processing accelerators [1200]: Xilinx Corporation Device [10ee:5000]
0000:3b:00.1 Processing accelerators [1200]: Xilinx Corporation Device [10ee:5001]
0000:af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)
`

func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// The cards of a real machine come behind the devices that the seed lists.
func TestSeedOfRealMachine(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{
		"seed.yaml": "hosts:\n- name: h\n  lspci: h.txt\n  devices: [driver: fake]\n- name: i\n  sysfs: i.txt\n",
		"h.txt":     lspciText,
		"i.txt":     "devices/0000:af:00.0/vendor:0x10de\ndevices/0000:af:00.0/device:0x1eb8\ndevices/0000:af:00.0/class:0x030200\n",
	})
	c := newClientOf(t, fakecyborg.WithSeedFile(filepath.Join(dir, "seed.yaml")))
	found := c.call(t, "GET", "/v2/deployables", "").body
	for _, name := range []string{"h_FakeDevice", "h_0000:3b:00.0", "h_0000:af:00.0", "i_0000:af:00.0"} {
		assert.Contains(t, found, `"name": "`+name+`"`)
	}
	assert.NotContains(t, found, "_0000_0c_00_0")
	assert.Len(t, c.call(t, "GET", "/v2/devices", "").listOf(t, "devices"), 4)
}

// A card of two functions is one accelerator.
func TestSeedOfXilinxCard(t *testing.T) {
	t.Parallel()
	c := newClientOf(t, fakecyborg.WithSeedYAML("s.yaml", []byte("hosts: [{name: h, devices: [{driver: xilinx_fpga, address: '0000:3b:00.0'}]}]")))
	assert.Contains(t, c.call(t, "GET", "/v2/deployables", "").body, `"num_accelerators": 1`)
}

func TestSeedOfRealMachineRefuses(t *testing.T) {
	t.Parallel()
	dir := writeFiles(t, map[string]string{"bad.txt": "hello\n", "bridge.txt": "0000:00:00.0 0600: 8086:2020\n", "h.txt": lspciText})
	for _, test := range []struct{ name, seed, want string }{
		{name: "bad line", seed: "hosts:\n- name: h\n  lspci: bad.txt\n", want: `bad.txt:1: "hello"`},
		{name: "no file", seed: "hosts:\n- name: h\n  lspci: none.txt\n", want: "none.txt"},
		{name: "no copy", seed: "hosts:\n- name: h\n  sysfs: none\n", want: "none"},
		{name: "no cards", seed: "hosts:\n- name: h\n  lspci: bridge.txt\n", want: "no driver takes any of the 1 functions"},
		{name: "no path", seed: "hosts:\n- name: h\n  lspci: []\n", want: "want text, got a list"},
	} {
		_, err := fakecyborg.New(fakecyborg.WithSeedYAML(filepath.Join(dir, "s.yaml"), []byte(test.seed)))
		require.ErrorContains(t, err, "s.yaml:3: hosts[0].", test.name)
		require.ErrorContains(t, err, test.want, test.name)
	}
	_, err := fakecyborg.New(fakecyborg.WithSeedYAML(filepath.Join(dir, "s.yaml"), []byte("hosts:\n- name: h\n  lspci: h.txt\n  devices:\n  - {driver: pgpu, address: '0000:af:00.0'}\n")))
	require.ErrorContains(t, err, `device on host h "0000:af:00.0" is already at`)
	_, err = fakecyborg.New(fakecyborg.WithSeedYAML("s.yaml", []byte("hosts:\n- name: h\n  devices:\n  - driver: aichip\n    address: '0000:0c:00.0'\n")))
	assert.ErrorContains(t, err, "s.yaml:4: hosts[0].devices[0]: no resource class: Cyborg does not keep such a device")
}

// Placement sees one accelerator of a Xilinx card, and a trait once that an FPGA
// has for each of its functions.
func TestReportOfFunctions(t *testing.T) {
	t.Parallel()
	server, place := withPlacement(t, fakecyborg.Seed{Hosts: []fakecyborg.Host{{
		Name: "h", ComputeNode: &fakecyborg.ComputeNode{VCPUs: 1, MemoryMB: 1, DiskGB: 1},
		Devices: []fakecyborg.Device{
			{Driver: "xilinx_fpga", Card: driver.Card{Address: "0000:3b:00.0"}},
			{Driver: "fpga", Card: driver.Card{Address: "0000:5e:00.0", VFs: 3, FunctionID: "3afb"}},
		},
	}}})
	require.NoError(t, server.Report(t.Context()))
	xilinx, intel := driver.ProviderUUID("h_0000:3b:00.0"), driver.ProviderUUID("h_0000:5e:00.3")
	assert.Equal(t, map[string][3]int{"FPGA": {1, 0, 1}}, place.inventory(t, xilinx))
	assert.Equal(t, map[string][3]int{"FPGA": {3, 0, 3}}, place.inventory(t, intel))
	assert.Equal(t, []string{"CUSTOM_FPGA_FUNCTION_ID_INTEL_3AFB", "CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10"}, place.traits(t, intel))
}
