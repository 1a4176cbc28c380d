package functional_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestLibvirtAcceptsComposedDomains(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	acceptsComposed(t, domainFiles(t, "testdata/domains/*.xml"))
}

// realDomains are guests of public reports. Those whose name begins with n are wrong.
const realDomains = "../../shared/real-inputs/domain-xml/[0-9]*.xml"

// TestLibvirtAcceptsRealDomains composes into guests that have host devices, addresses and aliases already.
func TestLibvirtAcceptsRealDomains(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	acceptsComposed(t, domainFiles(t, realDomains))
}

// domainFiles skips the test where there are none, or fails it where they are required.
func domainFiles(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	if len(paths) == 0 && os.Getenv("NOVACYBORG_PEERS") == "required" {
		t.Fatal("NOVACYBORG_PEERS=required: no " + pattern)
	}
	if len(paths) == 0 {
		t.Skip("no " + pattern)
	}
	return paths
}

func acceptsComposed(t *testing.T, paths []string) {
	t.Helper()
	handles := []cyborgclient.ARQ{
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "0000", "3b", "00", "0"),
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a02", "0000", "d8", "1f", "7"),
		mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03"),
	}
	port := virtdriver.WithPorts(virtdriver.Port{
		ID: "port", MAC: "52:54:00:ab:cd:ef", VLAN: 7, ARQ: pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a04", "0000", "5e", "02", "1"),
	})
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			composition, err := virtdriver.Compose(before, handles, port)
			require.NoError(t, err)
			require.Len(t, hostdevs(t, composition.XML), len(hostdevs(t, before))+len(handles))

			after := libvirtAccepts(t, composition.XML)
			assert.Empty(t, cmp.Diff(withUserAliases(hostdevs(t, composition.XML)), hostdevs(t, after)), "libvirt changed a hostdev")
			again, err := virtdriver.Compose(after, handles, port)
			require.NoError(t, err)
			assert.Equal(t, string(after), string(again.XML), "what libvirt made of it has the devices")
		})
	}
}

// withUserAliases leaves out the aliases that libvirt gives to the devices of a running guest.
func withUserAliases(devices []libvirtxml.DomainHostdev) []libvirtxml.DomainHostdev {
	for i := range devices {
		if alias := devices[i].Alias; alias != nil && !strings.HasPrefix(alias.Name, "ua-") {
			devices[i].Alias = nil
		}
	}
	return devices
}

// teamedInterface is the slow path beside a network function.
const teamedInterface = "<interface type='user'><mac address='52:54:00:00:00:07'/><model type='virtio'/><teaming type='persistent'/>" +
	"<alias name='ua-net'/></interface>"

// placedOptions say where the device is in the guest, its ROM and, for PCI devices, its slow path.
func placedOptions(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
	last := arq.UUID[len(arq.UUID)-1:]
	options := virtdriver.DeviceOptions{GuestAddress: "0000:00:1" + last + ".0", ROMFile: "/usr/share/qemu/rom-" + last + ".bin"}
	if arq.AttachHandle.Type == cyborgclient.HandlePCI {
		options.TeamingWith = "ua-net"
	}
	return options
}

// TestLibvirtAcceptsPlacedDevices has the options of libvirt 9 that speak of the rest of the guest.
func TestLibvirtAcceptsPlacedDevices(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	before := strings.NewReplacer("machine='q35'", "machine='pc'", "<console type='pty'/>", teamedInterface).Replace(domainXML)
	arqs := []cyborgclient.ARQ{pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "0000", "3b", "00", "0"), mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03")}
	composition, err := virtdriver.Compose([]byte(before), arqs, virtdriver.WithDevice(placedOptions))
	require.NoError(t, err)
	for _, want := range []string{"<teaming type='transient' persistent='ua-net'/>", "<rom file='/usr/share/qemu/rom-1.bin'/>", "slot='0x13'"} {
		require.Contains(t, string(composition.XML), want)
	}
	after := libvirtAccepts(t, composition.XML)
	assert.Empty(t, cmp.Diff(hostdevs(t, composition.XML), hostdevs(t, after)), "libvirt changed a hostdev")
	again, err := virtdriver.Compose(after, arqs, virtdriver.WithDevice(placedOptions))
	require.NoError(t, err)
	assert.Equal(t, string(after), string(again.XML))
}

// TestLibvirtAcceptsRecordedHandles composes every recorded set of attach handles that Compose takes. Some are numbers of
// one digit, upper case, or prefixed; what comes out must always be what libvirt takes.
func TestLibvirtAcceptsRecordedHandles(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	recorded, err := os.ReadFile("../virtdriver/testdata/hostdev-cases.jsonl")
	require.NoError(t, err)
	composed := 0
	for line := range bytes.Lines(recorded) {
		var recording struct {
			ID    string
			Input struct {
				VirtType string             `json:"virt_type"`
				ARQs     []cyborgclient.ARQ `json:"arqs"`
			}
		}
		if json.Unmarshal(line, &recording) != nil {
			continue // handles that are no objects of strings
		}
		if recording.Input.VirtType == "parallels" {
			continue // a domain type that libvirt's schema does not have, whatever its devices
		}
		domain := strings.Replace(domainXML, "type='kvm'", "type='"+recording.Input.VirtType+"'", 1)
		composition, err := virtdriver.Compose([]byte(domain), recording.Input.ARQs, virtdriver.WithUnknown(virtdriver.Skip))
		if err != nil || len(composition.Attached) == 0 {
			continue
		}
		composed++
		t.Run(recording.ID, func(t *testing.T) {
			t.Parallel()
			after := libvirtAccepts(t, composition.XML)
			assert.Empty(t, cmp.Diff(hostdevs(t, composition.XML), hostdevs(t, after)), "libvirt changed a hostdev")
		})
	}
	require.GreaterOrEqual(t, composed, 9)
}

// TestNewLibvirtAcceptsOptions has what libvirt takes since 10.0.
func TestNewLibvirtAcceptsOptions(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	version, err := exec.CommandContext(t.Context(), "virsh", "--version").Output()
	require.NoError(t, err)
	var major int
	_, err = fmt.Sscanf(string(version), "%d.", &major)
	require.NoError(t, err)
	if major < 10 {
		t.Skipf("this is libvirt %s", version)
	}
	before := strings.Replace(domainXML, "<console type='pty'/>", "<graphics type='vnc'/>", 1)
	composition, err := virtdriver.Compose([]byte(before), []cyborgclient.ARQ{
		pciARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a01", "0000", "3b", "00", "0"), mdevARQ("6f1f2a3c-0b57-4a2e-8d1c-1c9f6b2f7a03"),
	}, virtdriver.WithDevice(func(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
		options := allOptions(arq)
		if arq.AttachHandle.Type == cyborgclient.HandlePCI {
			options.DriverModel = "mlx5_vfio_pci"
		}
		return options
	}))
	require.NoError(t, err)
	require.Contains(t, string(composition.XML), "mlx5_vfio_pci")
	after := libvirtAccepts(t, composition.XML)
	assert.Empty(t, cmp.Diff(withoutAdded(hostdevs(t, composition.XML)), withoutAdded(hostdevs(t, after))), "libvirt changed a hostdev")
}

// TestLibvirtRefusesWhatItDoesNotKnow shows that acceptance by libvirt's schema and parser means something.
func TestLibvirtRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	requireLibvirt(t)
	for _, test := range []struct{ name, hostdev string }{
		{name: "unknown attribute", hostdev: `<hostdev mode='subsystem' type='pci' managed='yes' color='red'>` +
			`<source><address domain='0x0000' bus='0x3b' slot='0x00' function='0x0'/></source></hostdev>`},
		{name: "no source", hostdev: `<hostdev mode='subsystem' type='pci' managed='yes'/>`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := writeDomain(t, []byte(`<domain type='kvm'><name>bad</name><memory>1024</memory><os><type>hvm</type></os>`+
				`<devices>`+test.hostdev+`</devices></domain>`))
			out, err := exec.CommandContext(t.Context(), "virt-xml-validate", path, "domain").CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), "fails to validate")
		})
	}
}

func requireLibvirt(t *testing.T) {
	t.Helper()
	requirePrograms(t, "virsh", "virt-xml-validate", "xmllint")
}

// libvirtAccepts fails the test unless the domain is valid by libvirt's schema and can be defined; it returns the domain
// in libvirt's own words. The test driver lives in the one virsh process, so nothing stays and tests do not meet.
func libvirtAccepts(t *testing.T, domainXML []byte) (defined []byte) {
	t.Helper()
	path := writeDomain(t, domainXML)
	out, err := exec.CommandContext(t.Context(), "virt-xml-validate", path, "domain").CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, domainXML)

	script := "define --file '" + path + "' --validate; dumpxml '" + parseDomain(t, domainXML).Name + "'"
	command := exec.CommandContext(t.Context(), "virsh", "--quiet", "--connect", "test:///default", script)
	command.Env = append(os.Environ(), "HOME="+filepath.Dir(path)) // virsh keeps a history there
	out, err = command.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, domainXML)
	return out
}

func writeDomain(t *testing.T, domainXML []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "domain.xml")
	require.NoError(t, os.WriteFile(path, domainXML, 0o600))
	return path
}

func parseDomain(t *testing.T, domainXML []byte) libvirtxml.Domain {
	t.Helper()
	var domain libvirtxml.Domain
	require.NoError(t, domain.Unmarshal(string(domainXML)))
	return domain
}

func hostdevs(t *testing.T, domainXML []byte) []libvirtxml.DomainHostdev {
	t.Helper()
	devices := parseDomain(t, domainXML).Devices
	require.NotNil(t, devices)
	return devices.Hostdevs
}

// pciARQ is a bound ARQ with a PCI handle, its numbers as Cyborg writes them.
func pciARQ(uuid, domain, bus, device, function string) cyborgclient.ARQ {
	return cyborgclient.ARQ{
		UUID:  uuid,
		State: cyborgclient.StateBound,
		AttachHandle: cyborgclient.AttachHandle{
			Type: cyborgclient.HandlePCI,
			Info: map[string]any{"domain": domain, "bus": bus, "device": device, "function": function},
		},
	}
}

// mdevARQ is a bound ARQ with a mediated device.
func mdevARQ(uuid string) cyborgclient.ARQ {
	arq := pciARQ(uuid, "0000", "81", "14", "3")
	arq.AttachHandle.Type, arq.AttachHandle.UUID = cyborgclient.HandleMDEV, "b2dd8561-7619-4216-bd8e-5c1e51fa76d8"
	arq.AttachHandle.Info["asked_type"] = "nvidia-35"
	return arq
}
