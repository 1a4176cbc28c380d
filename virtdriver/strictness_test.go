package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestReplacePassesNamespacesOver: only elements and attributes in no namespace
// name a device, and what else a tag says stays.
func TestReplacePassesNamespacesOver(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"default namespace": `<source xmlns='u'><address bus='0x3b'/></source><source><address bus='0x3b' q='1'/></source>`,
		"prefix":            `<x:source xmlns:x='u'><address bus='0x3b'/></x:source><source><x:address xmlns:x='u' bus='0x3b'/><address bus='0x3b' q='1'/></source>`,
		"namespace undone":  `<source xmlns='u'><address xmlns='' bus='0x3b'/></source><source><address bus='0x3b' q='1'/></source>`,
		"namespace in use":  `<source><address xmlns:x='u' x:bus='0x77' bus='0x3b' q='1'><x:y/></address></source>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			xml := "<domain type='kvm'><devices><hostdev mode='subsystem' type='pci' managed='yes'>" + source + "</hostdev></devices></domain>"
			got, err := virtdriver.Replace([]byte(xml), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, []cyborgclient.ARQ{pciARQ("b", "0:5e:1f.0")})
			require.NoError(t, err)
			want := strings.Replace(xml, "bus='0x3b' q='1'", "bus='0x5e' q='1' slot='0x1f'", 1)
			assert.Equal(t, want, string(got.XML))
		})
	}
}

// TestMediatedDeviceOfAPresentParent: in two steps it is refused as in one.
func TestMediatedDeviceOfAPresentParent(t *testing.T) {
	t.Parallel()
	whole, part := pciARQ("p", "0:81:14.3"), mdevARQ("m", vGPU)
	_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{whole, part})
	require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
	composed, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{whole})
	require.NoError(t, err)
	_, err = virtdriver.Compose(composed.XML, []cyborgclient.ARQ{part})
	require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
	require.ErrorContains(t, err, "ARQ m: same host address twice: the domain has the whole device 0000:81:14.3")
	_, err = virtdriver.HotPlug(composed.XML, []cyborgclient.ARQ{part})
	require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
}

// TestComposeDoesNotGrowWithTheIndentation: white space is copied within bounds, and
// what libvirt would not read is not written.
func TestComposeDoesNotGrowWithTheIndentation(t *testing.T) {
	t.Parallel()
	wide := "<domain type='kvm'>\n<devices>\n" + strings.Repeat(" ", 5_000_000) + "<console/>\n</devices>\n</domain>"
	got, err := virtdriver.Compose([]byte(wide), manyARQs(10))
	require.NoError(t, err)
	assert.Less(t, len(got.XML), len(wide)+10*3000)
	back, err := virtdriver.Decompose(got.XML, manyARQs(10))
	require.NoError(t, err)
	if wide != string(back.XML) { // too long for a message
		t.Error("it does not come back")
	}

	full := strings.Replace(wide, "<console/>", "<console/>"+strings.Repeat(" ", 4_999_900), 1)
	_, err = virtdriver.Compose([]byte(full), nil)
	require.NoError(t, err)
	_, err = virtdriver.Compose([]byte(full), manyARQs(1))
	require.ErrorIs(t, err, virtdriver.ErrMalformedXML)
	require.ErrorContains(t, err, "bytes, libvirt takes 10000000")
}

// TestHandlesAreTakenLiterally: one spelling of a uuid, and texts without control
// characters.
func TestHandlesAreTakenLiterally(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"x" + vGPU + "y", "{" + vGPU + "}", "urn:uuid:" + vGPU, strings.ReplaceAll(vGPU, "-", ""), " " + vGPU} {
		_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{mdevARQ("m", id)})
		require.ErrorIs(t, err, virtdriver.ErrBadField, id)
	}
	got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{mdevARQ("m", strings.ToUpper(vGPU))})
	require.NoError(t, err)
	assert.Equal(t, vGPU, got.Mediated[0].UUID)
	for _, text := range []string{"nvidia\n35", "nvidia\x00", "nvidia\u2028", "nvidia\x85", "nvidia\xff", "\ufffe"} {
		for _, field := range []string{"asked_type", "vgpu_mark"} {
			arq := mdevARQ("m", vGPU)
			arq.AttachHandle.Info[field] = text
			_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{arq})
			require.ErrorIs(t, err, virtdriver.ErrBadField, "%s %q", field, text)
		}
		for _, options := range []virtdriver.DeviceOptions{{ROMFile: "/" + text}, {DriverModel: text}, {TeamingWith: text}} {
			_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, with(options))
			require.ErrorIs(t, err, virtdriver.ErrOption)
			require.ErrorContains(t, err, "control characters")
		}
	}
}

func TestGuestAddressesThatNoGuestHas(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0"), pciARQ("b", "0:3b:0.1")}
	for address, text := range map[string]string{
		"0000:00:00.0": "0000:00:00.0 is in the slot of the host bridge", "0:0.7": "host bridge", "0001:05:00.0": "guests have domain 0 only",
	} {
		options := with(virtdriver.DeviceOptions{GuestAddress: address})
		_, err := virtdriver.Compose([]byte(emptyDomain), arqs[:1], options)
		require.ErrorIs(t, err, virtdriver.ErrGuestAddress, address)
		require.ErrorContains(t, err, text)
		_, err = virtdriver.HotPlug([]byte(emptyDomain), arqs[:1], options)
		require.ErrorIs(t, err, virtdriver.ErrGuestAddress, address)
		_, err = virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithMultifunction(address[:len(address)-2]))
		require.ErrorIs(t, err, virtdriver.ErrGuestAddress, address)
	}
}

// TestOneRAMFB: QEMU takes one, whatever brings it.
func TestOneRAMFB(t *testing.T) {
	t.Parallel()
	const other = "0d2914f2-d077-4654-9292-1202797e3e85"
	console := with(virtdriver.DeviceOptions{Display: new(true), RAMFB: new(true)})
	domain := func(more string) []byte {
		return []byte("<domain type='kvm'>\n  <devices>\n    <graphics type='vnc'/>" + more + "\n  </devices>\n</domain>\n")
	}
	_, err := virtdriver.Compose(domain(""), []cyborgclient.ARQ{mdevARQ("m", vGPU), mdevARQ("n", other)}, console)
	require.ErrorContains(t, err, "ARQ n: device option: ramfb is also that of ARQ m")
	first, err := virtdriver.Compose(domain(""), []cyborgclient.ARQ{mdevARQ("m", vGPU)}, console)
	require.NoError(t, err)
	for _, xml := range [][]byte{first.XML, domain("<video><model type='ramfb'/></video>")} {
		_, err = virtdriver.Compose(xml, []cyborgclient.ARQ{mdevARQ("n", other)}, console)
		require.ErrorIs(t, err, virtdriver.ErrOption)
		require.ErrorContains(t, err, "ramfb is also that of a <")
	}
}

// TestDefaultsAreTheSame: what libvirt takes for left out is no difference.
func TestDefaultsAreTheSame(t *testing.T) {
	t.Parallel()
	const xml = "<domain type='kvm'><devices><hostdev type='pci' managed='yes'><source><address bus='0x3b'/></source></hostdev></devices></domain>"
	got, err := virtdriver.Compose([]byte(xml), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")})
	require.NoError(t, err)
	assert.Equal(t, xml, string(got.XML))
}

// TestSplitARQsInAnyCase: uuids are the same in either case.
func TestSplitARQsInAnyCase(t *testing.T) {
	t.Parallel()
	flavor, ports, err := virtdriver.SplitARQs([]cyborgclient.ARQ{pciARQ("abc", "0:3b:0.0")}, map[string]string{"port": "ABC"})
	require.NoError(t, err)
	assert.Empty(t, flavor)
	assert.Len(t, ports, 1)
	q := port("ABC", "0:3b:0.0")
	got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("abc", "0:3b:0.0")}, virtdriver.WithPorts(q))
	require.NoError(t, err)
	assert.NotContains(t, string(got.XML), "<hostdev")
}
