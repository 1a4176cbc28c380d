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

	back, _, err := compose(t, out, "-domain", "-", "-do", "remove")
	require.NoError(t, err)
	assert.Equal(t, string(defaultDomain), back)
	_, notes, err = compose(t, back, "-domain", "-", "-do", "remove")
	require.NoError(t, err)
	assert.Contains(t, notes, "the domain has no device of ARQ 0d2914f2-")
	assert.Contains(t, notes, "note: no -arqs and no -instance: the ARQs are those of the arqs.json beside this program\n")
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
	again, _, err := compose(t, composed, "-domain", "-", "-do", "plug")
	require.NoError(t, err)
	assert.Equal(t, "<devices>\n</devices>\n", again)
	unplugged, notes, err := compose(t, composed, "-domain", "-", "-do", "unplug")
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(unplugged, "<hostdev "))
	assert.NotContains(t, notes, "must be created")
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

	after := write(t, "after.json", `{"arqs": [`+strings.Replace(gpu, "3b", "d8", 1)+`]}`)
	moved, _, err := compose(t, out, "-domain", "-", "-do", "replace", "-before", write(t, "before.json", "["+gpu+"]"), "-arqs", after)
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(out, "bus='0x3b'", "bus='0xd8'", 1), moved)
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
		{"no such file", "", "no such file", []string{"-domain", "absent.xml"}},
		{"no ARQs", `{"list": []}`, `want a list of ARQs`, []string{"-arqs", "-"}},
		{"ARQs that are no JSON", `]`, `-: invalid character`, []string{"-arqs", "-"}},
		{"unknown option of a device", `{"*": {"colour": "red"}}`, `unknown field "colour"`, []string{"-options", "-"}},
		{"port without its ARQ", `[{"id": "p", "arq": "x"}]`, `port p: ARQ "x" is not among the 2 given`, []string{"-ports", "-"}},
		{"no domain", "<network/>", "line 1 column 1: /network: the root element must be <domain>", []string{"-domain", "-"}},
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
