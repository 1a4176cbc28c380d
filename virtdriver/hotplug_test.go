package virtdriver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// q35 is a running guest with that many PCI Express ports, on buses 1 and up, of
// which the devices in more have some.
func q35(ports int, more string) []byte {
	var b strings.Builder
	b.WriteString("<domain type='kvm'><devices>\n<controller type='pci' index='0' model='pcie-root'/>\n")
	for i := 1; i <= ports; i++ {
		fmt.Fprintf(&b, "<controller type='pci' index='%d' model='pcie-root-port'><address type='pci' bus='0x00' slot='0x02' function='0x%x'/></controller>\n", i, i%8)
	}
	b.WriteString(more + "</devices></domain>")
	return []byte(b.String())
}

func manyARQs(n int) []cyborgclient.ARQ {
	var arqs []cyborgclient.ARQ
	for i := range n {
		arqs = append(arqs, pciARQ("arq-"+strconv.Itoa(i), fmt.Sprintf("0000:%02x:00.0", 0x40+i)))
	}
	return arqs
}

func TestHotPlug(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.HotPlug(q35(3, ""), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1"), mdevARQ("m", vGPU)})
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, `<hostdev mode='subsystem' type='pci' managed='yes'>
  <source>
    <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>
  </source>
</hostdev>
`, got[0].XML)
	assert.Nil(t, got[0].Mediated)
	require.NotNil(t, got[1].Mediated)
	assert.Equal(t, vGPU, got[1].Mediated.UUID)
	assert.Equal(t, "m", got[1].ARQ.UUID)

	none, err := virtdriver.HotPlug(q35(0, liveHostdev), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")})
	require.NoError(t, err)
	assert.Empty(t, none, "it is there")
}

// Twelve devices do not fit into eight ports: one clear error with both numbers,
// where an emulator fails at the ninth.
func TestBugLogNoFreePCIPort(t *testing.T) {
	t.Parallel()
	_, err := virtdriver.HotPlug(q35(8, ""), manyARQs(12))
	require.ErrorIs(t, err, virtdriver.ErrNoPort)
	require.EqualError(t, err, "plug into domain: no free place for a device: 12 devices need one each, the guest has 8 (free PCI Express ports that take devices while it runs)")
	_, err = virtdriver.HotPlug(q35(12, ""), manyARQs(12))
	require.NoError(t, err)
}

func TestHotPlugPlaces(t *testing.T) {
	t.Parallel()
	const i440 = "<domain type='kvm'><devices><controller type='pci' index='0' model='pci-root'/><disk><address type='pci' bus='0' slot='3'/></disk></devices></domain>"
	const expander = "<domain type='kvm'><devices><controller type='pci' index='0' model='pci-root'/><controller type='pci' index='1' model='pci-expander-bus'/></devices></domain>"
	one := manyARQs(1)
	at := func(address string) virtdriver.ComposeOption {
		return with(virtdriver.DeviceOptions{GuestAddress: address})
	}
	for _, test := range []struct {
		name string
		xml  []byte
		arqs []cyborgclient.ARQ
		opts []virtdriver.ComposeOption
		err  error
		text string
	}{
		{"port that is taken", q35(1, "<disk><address type='pci' bus='1' slot='0'/></disk>"), one, nil, virtdriver.ErrNoPort, "1 devices need one each, the guest has 0"},
		{"port that takes nothing", q35(0, "<controller type='pci' index='1' model='pcie-root-port'><target hotplug='off'/></controller>"), one, nil, virtdriver.ErrNoPort, "has 0"},
		{"bridge for old devices", q35(0, "<controller type='pci' index='1' model='pci-bridge'/>"), one, nil, virtdriver.ErrNoPort, "has 0"},
		{"30 slots", []byte(i440), manyARQs(30), nil, nil, ""},
		{"31 devices", []byte(i440), manyARQs(31), nil, virtdriver.ErrNoPort, "31 devices need one each, the guest has 30 (free PCI slots)"},
		{"named slot", []byte(i440), one, []virtdriver.ComposeOption{at("0:4.0")}, nil, ""},
		{"named slot of another function", []byte(i440), one, []virtdriver.ComposeOption{at("0:3.1")}, virtdriver.ErrHotPlug, "guest address 0000:00:03.1: only function 0"},
		{"named slot that is taken", []byte(i440), one, []virtdriver.ComposeOption{at("0:3.0")}, virtdriver.ErrGuestAddress, "0000:00:03.0 has /domain/devices/disk[1]"},
		{"slot 0", []byte(i440), one, []virtdriver.ComposeOption{at("0:0.0")}, virtdriver.ErrGuestAddress, "0000:00:00.0 is in the slot of the host bridge"},
		{"domain 1", []byte(i440), one, []virtdriver.ComposeOption{at("1:0:4.0")}, virtdriver.ErrGuestAddress, "guests have domain 0 only"},
		{"slot 1 of a port", q35(2, ""), one, []virtdriver.ComposeOption{at("1:1.0")}, virtdriver.ErrGuestAddress, "0000:01:01.0: bus 1 is a pcie-root-port, whose slots are 0 to 0"},
		{"root bus", q35(1, ""), one, []virtdriver.ComposeOption{at("0:9.0")}, virtdriver.ErrHotPlug, "bus 0 of the guest takes no device"},
		{"named port", q35(1, ""), one, []virtdriver.ComposeOption{at("1:0.0")}, nil, ""},
		{"two functions", q35(2, ""), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0"), pciARQ("b", "0:3b:0.1")}, []virtdriver.ComposeOption{virtdriver.WithMultifunction("1:0")}, virtdriver.ErrHotPlug, "only function 0, and that alone"},
		{"boot console", q35(1, "<graphics/>"), []cyborgclient.ARQ{mdevARQ("m", vGPU)}, []virtdriver.ComposeOption{with(virtdriver.DeviceOptions{Display: new(true), RAMFB: new(true)})}, virtdriver.ErrHotPlug, "ramfb is for devices that are there from the start"},
		{"named slot behind a bridge on a port", q35(2, conventional), one, []virtdriver.ComposeOption{at("3:1f.0")}, nil, ""},
		{"slot 0 behind a bridge on a port", q35(2, conventional), one, []virtdriver.ComposeOption{at("3:0.0")}, virtdriver.ErrGuestAddress, "bus 3 is a pcie-to-pci-bridge, whose slots are 1 to 31"},
		{"slot 0 of a second root", []byte(expander), one, []virtdriver.ComposeOption{at("1:0.0")}, nil, ""},
		{"slots of both roots", []byte(expander), manyARQs(63), nil, nil, ""},
		{"bus for ports", q35(0, "<controller type='pci' index='1' model='pcie-switch-upstream-port'/>"), one, []virtdriver.ComposeOption{at("1:0.0")}, virtdriver.ErrGuestAddress, "bus 1 is a pcie-switch-upstream-port, which takes no device of the host"},
		{"virtual IOMMU", q35(1, "<iommu model='intel'/>"), one, nil, virtdriver.ErrHotPlug, `without caching_mode="on"`},
		{"virtual IOMMU that caches", q35(1, "<iommu model='intel'><driver caching_mode='on'/></iommu>"), one, nil, nil, ""},
		{"controllers are not listed", []byte(emptyDomain), manyARQs(40), nil, nil, ""},
		{"not bound", q35(1, ""), []cyborgclient.ARQ{typedARQ("n", "")}, nil, virtdriver.ErrNoHandle, "plug into domain: ARQ n: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.HotPlug(test.xml, test.arqs, test.opts...)
			if test.err == nil {
				require.NoError(t, err)
				assert.Len(t, got, len(test.arqs))
				return
			}
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, test.text)
		})
	}
}

func TestHotUnplug(t *testing.T) {
	t.Parallel()
	gone := pciARQ("a", "0:3b:0.1")
	gone.State = cyborgclient.StateUnbound
	got, err := virtdriver.HotUnplug(q35(5, liveHostdev), []cyborgclient.ARQ{gone, pciARQ("absent", "0:3c:0.0")})
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, strings.TrimSpace(liveHostdev)+"\n", got[0].XML, "with alias and address, as the guest has it")
	assert.Equal(t, "a", got[0].ARQ.UUID)
}

// conventional is a bridge to PCI of old on a PCI Express port.
const conventional = "<controller type='pci' index='3' model='pcie-to-pci-bridge'><address type='pci' bus='1' slot='0'/></controller>"

// TestHotUnplugFromEveryBus: all but the root of PCI Express and the bridge of a
// chipset let a device go.
func TestHotUnplugFromEveryBus(t *testing.T) {
	t.Parallel()
	for model, goes := range map[string]bool{
		"pci-root": true, "pci-bridge": true, "pci-expander-bus": true, "pcie-to-pci-bridge": true, "pcie-root-port": true,
		"pcie-switch-downstream-port": true, "pcie-root": false, "dmi-to-pci-bridge": false,
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			xml := "<domain type='kvm'><devices><controller type='pci' index='5' model='" + model + "'/>" + liveHostdev + "</devices></domain>"
			got, err := virtdriver.HotUnplug([]byte(xml), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")})
			if goes {
				require.NoError(t, err)
				assert.Len(t, got, 1)
				return
			}
			require.ErrorIs(t, err, virtdriver.ErrHotPlug)
		})
	}
}

func TestHotUnplugRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		xml        []byte
	}{
		{
			"several functions", "/domain/devices/hostdev[1]: ARQ a: not while the guest runs: /domain/devices/hostdev[1] and /domain/devices/sound[1] are functions of one device",
			q35(5, liveHostdev+"<sound><address type='pci' bus='5' slot='0' function='1'/></sound>"),
		},
		{"bus that lets none go", "bus 5 of the guest lets no device go", q35(4, liveHostdev)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.HotUnplug(test.xml, []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")})
			require.ErrorIs(t, err, virtdriver.ErrHotPlug)
			require.ErrorContains(t, err, "unplug from domain: line ")
			require.ErrorContains(t, err, test.text)
		})
	}
}
