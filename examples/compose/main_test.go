package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compose runs the program on a standard input and returns what it prints.
func compose(t *testing.T, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, notes bytes.Buffer
	err = run(t.Context(), args, strings.NewReader(stdin), &out, &notes)
	return out.String(), notes.String(), err
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFilesBesideTheProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	out, notes, err := compose(t, "", "-mdevs", folder)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(out, "<hostdev "))
	assert.Equal(t, "note: mediated device b2dd8561-7619-4216-bd8e-5c1e51fa76d8 of type nvidia-35 must be created on pci_0000_81_14_3 before\n", notes)
	node, err := os.ReadFile(filepath.Join(folder, "b2dd8561-7619-4216-bd8e-5c1e51fa76d8.xml"))
	require.NoError(t, err)
	assert.Contains(t, string(node), "<parent>pci_0000_81_14_3</parent>")

	const arqs = "arqs.json"
	back, _, err := compose(t, out, "-domain", "-", "-arqs", arqs, "-do", "remove")
	require.NoError(t, err)
	assert.Equal(t, string(defaultDomain), back)
	_, notes, err = compose(t, back, "-domain", "-", "-arqs", arqs, "-do", "remove")
	require.NoError(t, err)
	assert.Contains(t, notes, "the domain has no device of ARQ 0d2914f2-")
	_, notes, err = compose(t, "[]", "-domain", write(t, "domain.xml", back), "-arqs", "-")
	require.NoError(t, err)
	assert.Empty(t, notes)
}

func TestPlugAndUnplug(t *testing.T) {
	t.Parallel()
	plugged, notes, err := compose(t, "", "-do", "plug")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(plugged, "<hostdev "))
	assert.Contains(t, notes, "must be created")
	composed, _, err := compose(t, "")
	require.NoError(t, err)
	const arqs = "arqs.json"
	again, _, err := compose(t, composed, "-domain", "-", "-arqs", arqs, "-do", "plug")
	require.NoError(t, err)
	assert.Equal(t, "<devices>\n</devices>\n", again)
	unplugged, notes, err := compose(t, composed, "-domain", "-", "-arqs", arqs, "-do", "unplug")
	require.NoError(t, err)
	assert.Equal(t, plugged, unplugged, "also as to indentation")
	assert.Contains(t, plugged, "<devices>\n  <hostdev mode='subsystem' type='pci' managed='yes'>\n    <source>\n")
	assert.NotContains(t, notes, "must be created")
	flat, _, err := compose(t, strings.ReplaceAll(composed, "\n", ""), "-domain", "-", "-arqs", arqs, "-do", "unplug")
	require.NoError(t, err)
	assert.Contains(t, flat, "<devices>\n  <hostdev mode='subsystem' type='pci' managed='yes'>", "a domain of one line")
}

func TestPortsOptionsAndReplace(t *testing.T) {
	t.Parallel()
	const vf = `{"uuid": "vf", "state": "Bound", "attach_handle_type": "PCI",
		"attach_handle_info": {"domain": "0000", "bus": "0a", "device": "00", "function": "1", "physical_network": "p"}}`
	const gpu = `{"uuid": "gpu", "state": "Bound", "attach_handle_type": "PCI",
		"attach_handle_info": {"domain": "0000", "bus": "3b", "device": "00", "function": "0"}}`
	arqs := write(t, "arqs.json", "["+vf+","+gpu+"]")
	ports := write(t, "ports.json", `[{"id": "p1", "mac": "CA:FE:DE:AD:BE:EF", "vlan": 100, "arq": "vf"}]`)
	options := write(t, "options.json", `{"gpu": {"alias": "ua-gpu", "driver": "vfio"}}`)
	out, _, err := compose(t, "", "-arqs", arqs, "-ports", ports, "-options", options)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(out, "<interface type='hostdev' managed='yes'>"))
	assert.Contains(t, out, "<mac address='ca:fe:de:ad:be:ef'/>")
	assert.Contains(t, out, "<tag id='100'/>")
	assert.Equal(t, 1, strings.Count(out, "<hostdev "))
	assert.Contains(t, out, "<alias name='ua-gpu'/>")

	stray := write(t, "stray.json", `{"gpu": {}, "npu": {"alias": "ua-npu"}, "*": {}, "GPU": {}}`)
	_, _, err = compose(t, "", "-arqs", arqs, "-options", stray)
	require.ErrorContains(t, err, "stray.json: options for ARQs that are not among the 2 given: GPU, npu")

	after := write(t, "after.json", `{"arqs": [`+strings.Replace(gpu, "3b", "d8", 1)+`]}`)
	moved, _, err := compose(t, out, "-domain", "-", "-do", "replace", "-before", write(t, "before.json", "["+gpu+"]"), "-arqs", after)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(out, "bus='0x3b'", "bus='0xd8'", 1), moved)
}

// TestOptionsForAll: what stands under "*" goes to the devices that it is for, as the help has it.
func TestOptionsForAll(t *testing.T) {
	t.Parallel()
	help, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	var example string
	for line := range strings.Lines(string(help)) {
		if strings.HasPrefix(line, `//	{"*": `) {
			example = strings.TrimPrefix(line, "//")
		}
	}
	require.NotEmpty(t, example)
	out, _, err := compose(t, example, "-options", "-")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(out, "<hostdev "))
	assert.Contains(t, out, "<alias name='ua-gpu'/>")

	all := `{"*": {"driver": "vfio", "managed": false, "display": false, "rom_bar": false}}`
	out, _, err = compose(t, all, "-options", "-")
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(out, "<driver name='vfio'/>"))
	assert.Equal(t, 1, strings.Count(out, "type='pci' managed='no'"))
	assert.Equal(t, 1, strings.Count(out, " display='off'"))
	assert.Equal(t, 2, strings.Count(out, "<rom bar='off'/>"))

	own := strings.Replace(all, "*", "a4ac120b-2e2f-4dcc-af92-1670995d1b23", 1)
	_, _, err = compose(t, own, "-options", "-")
	require.ErrorContains(t, err, "driver_model, iommufd, boot_order and teaming_with are for PCI devices")
}

// cyborgWith answers every list of ARQs with that body.
func cyborgWith(body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/accelerator_requests") {
			_, _ = w.Write([]byte(body))
			return
		}
		_, _ = w.Write([]byte(`{"versions": [{"id": "v2", "status": "CURRENT", "min_version": "2.0", "max_version": "2.1"}]}`))
	})
}

func TestCyborg(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(cyborgWith(`{"arqs": [{"uuid": "0d2914f2-d077-4654-9292-1202797e3e85", "state": "Bound", "instance_uuid": "10bfcf46-3c8e-40eb-ad69-def1991ef164",
		"attach_handle_type": "PCI", "attach_handle_info": {"domain": "0", "bus": "3b", "device": "0", "function": "0"}}]}`))
	defer server.Close()
	out, _, err := compose(t, "", "-instance", "10bfcf46-3c8e-40eb-ad69-def1991ef164", "-cyborg", server.URL)
	require.NoError(t, err)
	assert.Contains(t, out, "bus='0x3b'")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, stdin, want string
		args              []string
	}{
		{"unknown release", "", `-release "2024.1", want 2025.1 or 2026.2`, []string{"-jsonl", "-release", "2024.1"}},
		{"release without lines", "", "-release goes with -jsonl", []string{"-release", "2025.1"}},
		{"lines with files", "", "-jsonl reads standard input", []string{"-jsonl", "-domain", "d.xml"}},
		{"unknown operation", "", `-do "boot", want one of`, []string{"-do", "boot"}},
		{"unknown policy", "", `-unknown "maybe"`, []string{"-unknown", "maybe"}},
		{"no cloud", "", "-instance goes with one of -cloud and -cyborg", []string{"-instance", "i"}},
		{"no old ARQs", "", "-do replace and -before go together", []string{"-do", "replace"}},
		{"companions of nothing", "", "-companions needs -sysfs", []string{"-companions"}},
		{"argument", "", `unexpected argument "x"`, []string{"x"}},
		{"no such file", "", "no such file", []string{"-domain", "absent.xml", "-arqs", "arqs.json"}},
		{"domain without ARQs", "", "-domain needs -arqs or -instance", []string{"-domain", "domain.xml"}},
		{"two files from standard input", "<domain/>", "-domain and -arqs: only one file can be standard input", []string{"-domain", "-", "-arqs", "-"}},
		{"three files from standard input", "", "-arqs and -ports and -options: only one", []string{"-arqs", "-", "-ports", "-", "-options", "-"}},
		{"one of them before", "", "-domain and -before: only one", []string{"-domain", "-", "-arqs", "arqs.json", "-do", "replace", "-before", "-"}},
		{"no ARQs", `{"list": []}`, `want a list of ARQs`, []string{"-arqs", "-"}},
		{"ARQs that are no JSON", `]`, `-: invalid character`, []string{"-arqs", "-"}},
		{"unknown option of a device", `{"*": {"colour": "red"}}`, `unknown field "colour"`, []string{"-options", "-"}},
		{"port without its ARQ", `[{"id": "p", "arq": "x"}]`, `port p: ARQ "x" is not among the 2 given`, []string{"-ports", "-"}},
		{"no domain", "<network/>", "line 1 column 1: /network: the root element must be <domain>", []string{"-domain", "-", "-arqs", "arqs.json"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out, _, err := compose(t, test.stdin, test.args...)
			require.ErrorContains(t, err, test.want)
			assert.Empty(t, out)
		})
	}
}

func TestLinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	out, _, err := compose(t, "{\n\n"+`{"virt_type":"kvm","color":1}`+"\n"+`{"virt_type":"'><devices/>","arqs":[]}`+"\n[]", "-jsonl")
	require.NoError(t, err)
	var codes []string
	for line := range strings.Lines(out) {
		var r recorded
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		codes = append(codes, r.Error)
	}
	assert.Equal(t, []string{"bad_input", "bad_input", "", "bad_input"}, codes)
	assert.Contains(t, out, "line 1: ")
}

func TestHelp(t *testing.T) {
	t.Parallel()
	out, _, err := compose(t, "", "-h")
	require.NoError(t, err)
	assert.Contains(t, out, "-release 2025.1 or 2026.2")
}

// TestOthers: a function that is somebody else's stays where a device is replaced or removed, and what stays unexplained
// is told.
func TestOthers(t *testing.T) {
	t.Parallel()
	const gpu = `[{"uuid": "gpu", "state": "Bound", "attach_handle_type": "PCI", "attach_handle_info": {"domain": "0000", "bus": "3b", "device": "00", "function": "0"}}]`
	const guest = "<domain type='kvm'><devices><hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b'/></source></hostdev>" +
		"<hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b' function='1'/></source></hostdev></devices></domain>"
	domain, before, after := write(t, "domain.xml", guest), write(t, "before.json", gpu), write(t, "after.json", strings.Replace(gpu, "3b", "d8", 1))
	replace := []string{"-domain", domain, "-do", "replace", "-before", before, "-arqs", after}
	_, _, err := compose(t, "", replace...)
	require.ErrorContains(t, err, "WithOthers (-others) says that it is somebody else's")
	out, notes, err := compose(t, "", append(replace, "-others", "0000:3b:00.1,0000:3b:00.2")...)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(guest, "bus='0x3b'/", "bus='0xd8'/", 1), out)
	assert.Empty(t, notes)

	remove := []string{"-domain", domain, "-do", "remove", "-arqs", before}
	_, notes, err = compose(t, "", remove...)
	require.NoError(t, err)
	assert.Contains(t, notes, "0000:3b:00.0 goes and 0000:3b:00.1 of the same device stays")
	_, notes, err = compose(t, "", append(remove, "-others", "3b:00.1")...)
	require.NoError(t, err)
	assert.Empty(t, notes)
	_, _, err = compose(t, "", append(remove, "-others", "3b")...)
	require.ErrorContains(t, err, "WithOthers: parse pci address")
}
