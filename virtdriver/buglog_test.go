package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// Short, upper-case and prefixed fields of a handle are one address, in the XML
// and in the binding profile of a port.
func TestBugLogShortAddressFields(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0000:0c:00.0", "0:c:0.0", "0:C:0.0", "0x0000:0x0c:0x00.0x0", "0x0:0xC:0.0x0"} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			arq := pciARQ("a", address)
			arq.AttachHandle.Info["physical_network"] = "physnet1"
			got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{arq})
			require.NoError(t, err)
			assert.Contains(t, string(got.XML), "<address domain='0x0000' bus='0x0c' slot='0x00' function='0x0'/>")
			profile, err := virtdriver.PortBindingProfile(arq)
			require.NoError(t, err)
			assert.Equal(t, "0000:0c:00.0", profile.PCISlot)
		})
	}
}

// One device for two ARQs: the error names both. libvirt before 7.6 took it.
func TestBugLogSameDeviceTwice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		arqs []cyborgclient.ARQ
		what string
	}{
		{"one function", []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0"), pciARQ("b", "0x0:0x3B:0x00.0")}, "0000:3b:00.0"},
		{"one mediated device in two cases", []cyborgclient.ARQ{mdevARQ("a", vGPU), mdevARQ("b", strings.ToUpper(vGPU))}, vGPU},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Compose([]byte(emptyDomain), test.arqs)
			require.ErrorIs(t, err, virtdriver.ErrAddressTwice)
			require.EqualError(t, err, "compose domain: ARQ a and ARQ b: same host address twice: "+test.what)
		})
	}
}

// A console is asked of a mediated device only on wish, and not without graphics:
// the emulator would exit.
func TestBugLogDisplayWithoutGraphics(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{mdevARQ("m", vGPU)})
	require.NoError(t, err)
	assert.NotContains(t, string(got.XML), "display")
	on := with(virtdriver.DeviceOptions{Display: new(true)})
	_, err = virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{mdevARQ("m", vGPU)}, on)
	require.EqualError(t, err, "compose domain: ARQ m: device option: display needs a <graphics> in the domain")
	_, err = virtdriver.Compose([]byte("<domain type='kvm'><devices><graphics type='vnc'/></devices></domain>"), []cyborgclient.ARQ{mdevARQ("m", vGPU)}, on)
	require.NoError(t, err)
}

// Each type of handle is decided for itself: a hostdev, nothing, a mediated
// device, an error.
func TestBugLogHandleTypes(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{pciARQ("pci", "0:3b:0.0"), typedARQ("test", "TEST_PCI"), mdevARQ("mdev", vGPU)}
	got, err := virtdriver.Compose([]byte(emptyDomain), arqs)
	require.NoError(t, err)
	assert.Equal(t, []string{"pci", "mdev"}, uuids(got.Attached))
	assert.Equal(t, []string{"test"}, uuids(got.Skipped))
	_, err = virtdriver.Compose([]byte(emptyDomain), append(arqs, typedARQ("foo", "FOO")))
	require.EqualError(t, err, `compose domain: ARQ foo: attach handle type refused: "FOO" gives no device`)
}

// What libvirt has added to a device of a live guest stays: without its alias it
// could not be unplugged.
func TestBugLogLiveDeviceKeepsAlias(t *testing.T) {
	t.Parallel()
	live := realInput(t, "domain-xml/02-nova-live-hostdev.xml")
	arq := pciARQ("a", "0:81:0.1")
	got, err := virtdriver.Compose(live, []cyborgclient.ARQ{arq})
	require.NoError(t, err)
	assert.Equal(t, string(live), string(got.XML))
	unplug, err := virtdriver.HotUnplug(live, []cyborgclient.ARQ{arq})
	require.NoError(t, err)
	require.Len(t, unplug, 1)
	for _, kept := range []string{"<alias name='hostdev1'/>", "<driver name='vfio'/>", "slot='0x05'"} {
		assert.Contains(t, unplug[0].XML, kept)
	}
	moved, err := virtdriver.Replace(live, []cyborgclient.ARQ{arq}, []cyborgclient.ARQ{pciARQ("b", "0:3b:0.0")})
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(string(live), "bus='0x81' slot='0x00' function='0x1'", "bus='0x3b' slot='0x00' function='0x0'", 1), string(moved.XML))
}
