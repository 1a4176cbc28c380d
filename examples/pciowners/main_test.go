package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/virtdriver/pciowner"
)

// pciowners runs the program on a standard input.
func pciowners(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, faults bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &faults)
	return code, out.String(), faults.String()
}

func TestBuiltInHost(t *testing.T) {
	t.Parallel()
	code, out, faults := pciowners(t, "")
	assert.Equal(t, conflict, code)
	assert.Empty(t, faults)
	want, err := os.ReadFile("testdata/built-in.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out)

	_, all, _ := pciowners(t, "", "-all")
	assert.Contains(t, all, "\n10001:8a:00.0  8086:0953  host ")
}

func TestJSON(t *testing.T) {
	t.Parallel()
	code, out, _ := pciowners(t, "", "-json")
	assert.Equal(t, conflict, code)
	var report pciowner.Report
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	assert.Len(t, report.Rows, 10)
	assert.Len(t, report.Conflicts(), 5)
}

func TestLspciFromStandardInput(t *testing.T) {
	t.Parallel()
	lspci := "0000:3b:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)\n"
	for name, test := range map[string]struct {
		args []string
		code int
		want string
	}{
		"Nova's": {[]string{"-nova-conf", "testdata/gpu-nova.conf"}, allWell, "0000:3b:00.0  10de:1eb8  nova "},
		"both":   {[]string{"-nova-conf", "testdata/gpu-nova.conf", "-cyborg-conf", "cyborg.conf"}, conflict, "CONFLICT: claimed by both: device 0000:3b:00.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, faults := pciowners(t, lspci, append([]string{"-lspci", "-"}, test.args...)...)
			assert.Equal(t, test.code, code)
			assert.Contains(t, out, test.want)
			assert.Empty(t, faults)
		})
	}
}

// TestMisspeltKey: Nova starts with it and takes every device, so the code stays 0, but a note says it.
func TestMisspeltKey(t *testing.T) {
	t.Parallel()
	conf := filepath.Join(t.TempDir(), "nova.conf")
	require.NoError(t, os.WriteFile(conf, []byte("[pci]\ndevice_spec = {\"vendr_id\": \"10de\"}\n"), 0o600))
	code, out, faults := pciowners(t, "", "-devices", "devices.json", "-nova-conf", conf)
	assert.Equal(t, allWell, code)
	assert.Empty(t, faults)
	assert.Contains(t, out, `note: key that nobody reads: `+conf+`:2 [pci]device_spec: nobody reads "vendr_id", so the entry is for any device; did you mean vendor_id?`)
}

// TestSysfs reads which functions belong to a device, so that its address stands for them.
func TestSysfs(t *testing.T) {
	t.Parallel()
	code, out, faults := pciowners(t, "", "-sysfs", "testdata/sysfs.txt", "-nova-conf", "testdata/nic-nova.conf")
	assert.Equal(t, allWell, code, faults)
	assert.Contains(t, out, "0000:5e:02.0  8086:154c  nova ")
	assert.Contains(t, out, "1 more devices are left to the host")
}

func TestHelpNamesEveryFlagAndCode(t *testing.T) {
	t.Parallel()
	code, out, _ := pciowners(t, "", "-h")
	assert.Equal(t, allWell, code)
	for _, word := range []string{"-lspci", "-sysfs", "-devices", "-nova-conf", "-cyborg-conf", "-host", "-cloud", "-cyborg URL", "-placement URL", "-json", "-all", "0 all is well, 1 two services", "OS_TOKEN"} {
		assert.Contains(t, out, word)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.conf")
	require.NoError(t, os.WriteFile(bad, []byte("[pci]\ndevice_spec = x\ndevice_spec = 5\n"), 0o600))
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"unknown flag", "flag provided but not defined: -x; -h lists the flags", []string{"-x"}},
		{"argument", `unexpected argument "file"`, []string{"file"}},
		{"no devices", "give the devices of the host by one of", []string{"-nova-conf", "nova.conf"}},
		{"devices twice", "give the devices of the host by one of", []string{"-lspci", "a", "-sysfs", "b", "-nova-conf", "nova.conf"}},
		{"no service", "give at least one of", []string{"-devices", "devices.json"}},
		{"no host", "need -host", []string{"-devices", "devices.json", "-cyborg", "http://127.0.0.1:1"}},
		{"cloud and URL", "-cloud goes with neither", []string{"-devices", "devices.json", "-cloud", "a", "-cyborg", "http://127.0.0.1:1", "-host", "h"}},
		{"no file", "no such file", []string{"-devices", "none.json", "-nova-conf", "nova.conf"}},
		{"no lspci", `nova.conf:1: "[pci]"`, []string{"-lspci", "nova.conf", "-nova-conf", "nova.conf"}},
		{"both faults of a file", "pciowners: " + bad + ":2: [pci]device_spec: invalid device spec: entry \"x\" is no JSON: invalid character 'x' looking for beginning of value\npciowners: " + bad + ":3:", []string{"-devices", "devices.json", "-nova-conf", bad}},
		{"nobody answers", "127.0.0.1:1", []string{"-devices", "devices.json", "-placement", "http://127.0.0.1:1", "-host", "h"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, out, faults := pciowners(t, "", test.args...)
			assert.Equal(t, badInput, code)
			assert.Empty(t, out)
			assert.Contains(t, faults, test.want)
		})
	}
}

// TestRunningServices asks a Cyborg that has a GPU and a Placement that has it from Cyborg, in lower case, and from Nova
// in upper case.
func TestRunningServices(t *testing.T) {
	t.Parallel()
	server := placementtest.Start(t)
	client, err := placement.New(t.Context(), placement.WithEndpoint(server.URL()), placement.WithToken("admin"))
	require.NoError(t, err)
	const host = "cn1.example.org"
	cyborg := fakecyborg.Start(t, fakecyborg.WithPlacement(client), fakecyborg.WithSeed(fakecyborg.Seed{Hosts: []fakecyborg.Host{{
		Name: host, ComputeNode: &fakecyborg.ComputeNode{VCPUs: 8, MemoryMB: 1024, DiskGB: 10},
		Devices: []fakecyborg.Device{{Driver: "pgpu", Card: driver.Card{Address: "0000:3b:00.0", ProductID: "1eb8"}}},
	}}}))
	args := []string{"-devices", "devices.json", "-host", host, "-cyborg", cyborg.URL() + "/v2", "-placement", server.URL()}
	code, out, faults := pciowners(t, "", args...)
	assert.Equal(t, allWell, code, "%s%s", out, faults)
	assert.Regexp(t, `0000:3b:00\.0  10de:1eb8  cyborg  deployable [0-9a-f-]{36} +`+host+`_0000:3b:00\.0`, out)

	_, err = client.Report(t.Context(), placement.Tree{Parent: host, Providers: []placement.TreeProvider{{
		UUID: "5b1c4f0c-6a8b-4b60-9f3e-0d6b5f0a2c11", Name: host + "_0000:3B:00.0",
		Inventories: map[string]placement.Inventory{"CUSTOM_PCI_10DE_1EB8": {Total: 1}}, Traits: []string{pciowner.TraitManagedPCI},
	}}}, nil)
	require.NoError(t, err)
	code, out, faults = pciowners(t, "", args...)
	assert.Equal(t, conflict, code, "%s%s", out, faults)
	assert.Contains(t, out, "CONFLICT: twice in placement: device 0000:3b:00.0 is in Placement as ")
	code, _, _ = pciowners(t, "", append(args, "-nova-conf", "testdata/gpu-nova.conf")...)
	assert.Equal(t, conflict, code)

	code, _, faults = pciowners(t, "", append(args[:2:2], "-host", "cn2", "-placement", server.URL())...)
	assert.Equal(t, badInput, code)
	assert.Contains(t, faults, "no provider has this name")
}
