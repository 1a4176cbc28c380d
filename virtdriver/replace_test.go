package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const liveGuest = "<domain type='kvm'>\n  <devices>\n    <console/>" + liveHostdev + `
    <hostdev mode="subsystem" type="mdev" model='vfio-pci' managed='no'>
      <source><address uuid="` + vGPU + `"></address></source>
    </hostdev>
    <interface type='hostdev' managed='yes'>
      <mac address='ca:fe:de:ad:be:ef'/>
      <source>
        <address type='pci' domain='0x0000' bus='0x0a' slot='0x00' function='0x1'/>
      </source>
    </interface>
    <memballoon/>
  </devices>
</domain>
`

// TestReplaceKeepsPlaces is an evacuation: the guest keeps its addresses, aliases
// and drivers, and gets the devices of another host.
func TestReplaceKeepsPlaces(t *testing.T) {
	t.Parallel()
	const other = "0d2914f2-d077-4654-9292-1202797e3e85"
	old := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1"), mdevARQ("m", vGPU), pciARQ("q", "0:a:0.1")}
	next := []cyborgclient.ARQ{mdevARQ("m2", other), pciARQ("a2", "0:d8:1f.7")}
	got, err := virtdriver.Replace([]byte(liveGuest), old, next, virtdriver.WithPorts(port("q2", "0:ab:0.2")))
	require.NoError(t, err)
	want := strings.NewReplacer(
		"domain='0x0000' bus='0x3b' slot='0x00' function='0x1'", "domain='0x0000' bus='0xd8' slot='0x1f' function='0x7'",
		vGPU, other, "bus='0x0a' slot='0x00' function='0x1'", "bus='0xab' slot='0x00' function='0x2'").Replace(liveGuest)
	assert.Equal(t, want, string(got.XML))
	assert.Equal(t, []string{"q2", "a2", "m2"}, uuids(got.Attached))
	require.Len(t, got.Mediated, 1)
	assert.Equal(t, other, got.Mediated[0].UUID)
}

func TestReplaceTakesOutAndAdds(t *testing.T) {
	t.Parallel()
	a, b, m := pciARQ("a", "0:3b:0.1"), pciARQ("b", "0:d8:0.0"), mdevARQ("m", vGPU)
	for _, test := range []struct {
		name      string
		old, next []cyborgclient.ARQ
		has       []string
		hasNot    []string
	}{
		{"nothing changes", []cyborgclient.ARQ{a, m}, []cyborgclient.ARQ{a, m}, []string{liveHostdev, vGPU}, nil},
		{"fewer", []cyborgclient.ARQ{a, m}, []cyborgclient.ARQ{m}, []string{vGPU}, []string{liveHostdev}},
		{"more", []cyborgclient.ARQ{a, m}, []cyborgclient.ARQ{b, a, m}, []string{liveHostdev, vGPU, "bus='0xd8'"}, nil},
		{"of another kind", []cyborgclient.ARQ{m}, []cyborgclient.ARQ{b}, []string{liveHostdev, "bus='0xd8'"}, []string{vGPU}},
		{"what was not there", []cyborgclient.ARQ{b}, []cyborgclient.ARQ{a}, []string{liveHostdev, vGPU}, []string{"bus='0xd8'"}},
		{"none", []cyborgclient.ARQ{a, m, typedARQ("t", "TEST_PCI")}, nil, nil, []string{liveHostdev, vGPU}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace([]byte(liveGuest), test.old, test.next)
			require.NoError(t, err)
			for _, text := range test.has {
				assert.Equal(t, 1, strings.Count(string(got.XML), text), text)
			}
			for _, text := range test.hasNot {
				assert.NotContains(t, string(got.XML), text)
			}
			assert.Equal(t, uuids(test.next), uuids(got.Attached))
		})
	}
}

// TestReplaceSwaps: two ARQs of one guest can change places.
func TestReplaceSwaps(t *testing.T) {
	t.Parallel()
	composed, err := virtdriver.Compose([]byte(liveGuest), []cyborgclient.ARQ{pciARQ("b", "0:d8:0.0")})
	require.NoError(t, err)
	old := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1"), pciARQ("b", "0:d8:0.0")}
	next := []cyborgclient.ARQ{pciARQ("c", "0:c1:0.0"), pciARQ("d", "0:c2:0.0")}
	there, err := virtdriver.Replace(composed.XML, old, next)
	require.NoError(t, err)
	assert.Less(t, strings.Index(string(there.XML), "0xc1"), strings.Index(string(there.XML), "0xc2"))
	back, err := virtdriver.Replace(there.XML, next, old)
	require.NoError(t, err)
	assert.Equal(t, string(composed.XML), string(back.XML))
}

func TestReplaceRefusals(t *testing.T) {
	t.Parallel()
	_, err := virtdriver.Replace([]byte(liveGuest), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")}, []cyborgclient.ARQ{pciARQ("b", "0:1:0.0")}, virtdriver.WithTopology(card()))
	require.ErrorIs(t, err, virtdriver.ErrIOMMUGroup, "the new host is looked at")
	_, err = virtdriver.Replace([]byte(liveGuest), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")}, []cyborgclient.ARQ{pciARQ("b", "0:100:0.0")})
	require.ErrorIs(t, err, virtdriver.ErrBadField)
	require.ErrorContains(t, err, "replace devices of domain: ARQ b: ")
	_, err = virtdriver.Replace([]byte(liveGuest), nil, []cyborgclient.ARQ{pciARQ("b", "0:0a:0.1")})
	require.ErrorIs(t, err, virtdriver.ErrAddressInUse, "the interface has it")
	_, err = virtdriver.Replace([]byte("<domain"), nil, nil)
	require.ErrorIs(t, err, virtdriver.ErrMalformedXML)
}
