package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// twoFunctions is a host with one card of two functions at the address.
func twoFunctions(slot string) virtdriver.Topology {
	return virtdriver.Topology{
		{Address: slot + ".0", Class: "0300", IOMMUGroup: 7, NUMANode: -1},
		{Address: slot + ".1", Class: "0403", IOMMUGroup: 7, NUMANode: -1},
	}
}

// composedCard is a domain with a card and its companion.
func composedCard(t *testing.T) []byte {
	t.Helper()
	composition, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")},
		virtdriver.WithTopology(twoFunctions("0000:3b:00")), virtdriver.WithCompanions())
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(composition.XML), "bus='0x3b'"))
	return composition.XML
}

// TestReplaceTakesCompanionsAlong: nothing of the host that the guest leaves stays.
func TestReplaceTakesCompanionsAlong(t *testing.T) {
	t.Parallel()
	old, next := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, []cyborgclient.ARQ{pciARQ("b", "0:5e:0.0")}
	single := virtdriver.Topology{{Address: "5e:00.0", Class: "0300", IOMMUGroup: 7, NUMANode: -1}}
	for _, test := range []struct {
		name      string
		opts      []virtdriver.ComposeOption
		functions int
	}{
		{"to another companion", []virtdriver.ComposeOption{virtdriver.WithTopology(twoFunctions("5e:00")), virtdriver.WithCompanions()}, 2},
		{"to none", []virtdriver.ComposeOption{virtdriver.WithTopology(single), virtdriver.WithCompanions()}, 1},
		{"told by the old host", []virtdriver.ComposeOption{virtdriver.WithTopologyBefore(twoFunctions("3b:00"))}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace(composedCard(t), old, next, test.opts...)
			require.NoError(t, err)
			assert.NotContains(t, string(got.XML), "0x3b")
			assert.Equal(t, test.functions, strings.Count(string(got.XML), "bus='0x5e'"))
		})
	}
}

func TestReplaceRefusesAnUnexplainedFunction(t *testing.T) {
	t.Parallel()
	old, next := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, []cyborgclient.ARQ{pciARQ("b", "0:5e:0.0")}
	_, err := virtdriver.Replace(composedCard(t), old, next)
	require.ErrorIs(t, err, virtdriver.ErrIOMMUGroup)
	require.ErrorContains(t, err, "ARQ a: IOMMU group: 0000:3b:00.0 leaves and 0000:3b:00.1 of the same device, which stands behind it, has no ARQ")
	require.ErrorContains(t, err, "WithCompanions (-companions) lets it leave too, WithOthers (-others) says that it is somebody else's")

	apart := twoFunctions("3b:00")
	apart[1].IOMMUGroup = 8
	got, err := virtdriver.Replace(composedCard(t), old, next, virtdriver.WithTopologyBefore(apart))
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(got.XML), "bus='0x3b'"), "the old host says that it is another's")
}

// TestReplacePairsCompanionsWithCompanions: a companion that goes does not give its
// place to the device of another ARQ.
func TestReplacePairsCompanionsWithCompanions(t *testing.T) {
	t.Parallel()
	second := pciARQ("b", "0:c1:0.0")
	composed, err := virtdriver.Compose(composedCard(t), []cyborgclient.ARQ{second})
	require.NoError(t, err)
	text := strings.Replace(string(composed.XML), "bus='0xc1' slot='0x00' function='0x0'/></source>", "bus='0xc1' slot='0x00' function='0x0'/></source><alias name='ua-second'/>", 1)
	require.Contains(t, text, "ua-second")
	got, err := virtdriver.Replace([]byte(text), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0"), second},
		[]cyborgclient.ARQ{pciARQ("c", "0:5e:0.0"), pciARQ("d", "0:d8:0.0")}, virtdriver.WithTopologyBefore(twoFunctions("3b:00")))
	require.NoError(t, err)
	assert.Contains(t, string(got.XML), "bus='0xd8' slot='0x00' function='0x0'/></source><alias name='ua-second'/>")
	assert.NotContains(t, string(got.XML), "0x3b")
}

// TestDecomposeWhatHasVanished: a card that fell off the bus is taken out, with its
// companion.
func TestDecomposeWhatHasVanished(t *testing.T) {
	t.Parallel()
	for name, host := range map[string]virtdriver.Topology{
		"vanished": {}, "still there": twoFunctions("3b:00"), "one function is left": twoFunctions("3b:00")[:1],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := []virtdriver.ComposeOption{virtdriver.WithTopology(host), virtdriver.WithCompanions()}
			arqs := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}
			gone, err := virtdriver.Decompose(composedCard(t), arqs, opts...)
			require.NoError(t, err)
			assert.Equal(t, []string{"a"}, uuids(gone.Detached))
			if name != "one function is left" { // the host says that it is alone
				assert.Equal(t, emptyDomain, string(gone.XML))
			}
			_, err = virtdriver.HotUnplug(composedCard(t), arqs, opts...)
			require.NoError(t, err)
		})
	}
}

// TestDecomposeWithAPortThatGoes: the ARQ of a port is as stateless as the others.
func TestDecomposeWithAPortThatGoes(t *testing.T) {
	t.Parallel()
	p := port("q", "0000:0a:00.1")
	composed, err := virtdriver.Compose([]byte(emptyDomain), nil, virtdriver.WithPorts(p))
	require.NoError(t, err)
	p.ARQ.State = cyborgclient.StateDeleting
	gone, err := virtdriver.Decompose(composed.XML, nil, virtdriver.WithPorts(p))
	require.NoError(t, err)
	assert.Equal(t, emptyDomain, string(gone.XML))
	plugged, err := virtdriver.HotUnplug(composed.XML, nil, virtdriver.WithPorts(p))
	require.NoError(t, err)
	assert.Len(t, plugged, 1)
	assert.Equal(t, cyborgclient.StateDeleting, p.ARQ.State)
}

// TestDecomposeOfFunctionZero leaves no function that the guest does not see.
func TestDecomposeOfFunctionZero(t *testing.T) {
	t.Parallel()
	zero, one := pciARQ("a", "0:3b:0.0"), pciARQ("b", "0:3b:0.1")
	composed, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{zero, one}, virtdriver.WithMultifunction("0000:05:00"))
	require.NoError(t, err)
	_, err = virtdriver.Decompose(composed.XML, []cyborgclient.ARQ{zero})
	require.ErrorIs(t, err, virtdriver.ErrGuestAddress)
	require.ErrorContains(t, err, "ARQ a: guest address: it is function 0 of a device of the guest of which /domain/devices/hostdev[2] stays")
	for _, arqs := range [][]cyborgclient.ARQ{{one}, {zero, one}} {
		gone, err := virtdriver.Decompose(composed.XML, arqs)
		require.NoError(t, err)
		assert.Equal(t, uuids(arqs), uuids(gone.Detached))
	}
}

// TestCompanionsAreDrivenAlike: the functions of one card have one driver.
func TestCompanionsAreDrivenAlike(t *testing.T) {
	t.Parallel()
	got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")},
		virtdriver.WithTopology(twoFunctions("3b:00")), virtdriver.WithCompanions(),
		with(virtdriver.DeviceOptions{IOMMUFD: new(true), DriverModel: "mlx5_vfio_pci", Alias: "ua-a"}))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(got.XML), "iommufd='yes'"))
	assert.Equal(t, 2, strings.Count(string(got.XML), "model='mlx5_vfio_pci'"))
	assert.Equal(t, 1, strings.Count(string(got.XML), "ua-a"))
}

// TestCompanionsInAnyNotation: addresses are compared by what they mean, and one
// that means nothing is that of another device.
func TestCompanionsInAnyNotation(t *testing.T) {
	t.Parallel()
	mixed := virtdriver.Topology{{Address: "3b:0.0", IOMMUGroup: 7}, {Address: "0000:3B:00.1", IOMMUGroup: 7}, {Address: "3b:00.0", IOMMUGroup: 7}}
	companions, err := mixed.Companions("0000:3b:00.0")
	require.NoError(t, err)
	require.Len(t, companions, 1)
	assert.Equal(t, "0000:3b:00.1", companions[0].Address)
	assert.Empty(t, mixed[:2].Changes(virtdriver.Topology{{Address: "0000:3b:00.0", IOMMUGroup: 7}, {Address: "3b:0.1", IOMMUGroup: 7}}))

	for _, bad := range []string{"", "nonsense", "10001:00:00.0"} {
		_, err = virtdriver.Topology{{Address: "3b:0.0", IOMMUGroup: 7}, {Address: bad, IOMMUGroup: 7}}.Companions("3b:0.0")
		require.ErrorIs(t, err, virtdriver.ErrIOMMUGroup, bad)
	}
	_, err = virtdriver.Topology{{Address: "nonsense", IOMMUGroup: 7}}.Companions("nonsense")
	require.ErrorIs(t, err, virtdriver.ErrTopology)
}
