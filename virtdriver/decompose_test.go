package virtdriver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// mdevARQ is a bound ARQ with a mediated device.
func mdevARQ(uuid, device string) cyborgclient.ARQ {
	arq := pciARQ(uuid, "0000:81:14.3")
	arq.AttachHandle.Type, arq.AttachHandle.UUID = cyborgclient.HandleMDEV, device
	arq.AttachHandle.Info["asked_type"] = "nvidia-35"
	return arq
}

const vGPU = "b2dd8561-7619-4216-bd8e-5c1e51fa76d8"

// TestDecomposeUndoesCompose has a case for each way in which devices are written.
func TestDecomposeUndoesCompose(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{mdevARQ("m", vGPU), pciARQ("p", "0:3b:0.1")}
	ports := virtdriver.WithPorts(port("q", "0000:0a:00.1"))
	for _, test := range []struct{ name, xml string }{
		{"lines", "<domain type='kvm'>\n  <devices>\n    <console/>\n  </devices>\n</domain>\n"},
		{"end tag in the line of the last device", "<domain type='kvm'>\r\n <devices>\r\n  <console/></devices></domain>"},
		{"one line", "<domain type='kvm'><devices><console/> </devices></domain>"},
		{"hostdev and interface with something behind", "<domain type='kvm'>\n<devices>\n <interface type='user'/>\n <hostdev type='usb'/> <!-- x -->\n\n <memballoon/>\n</devices>\n</domain>"},
		{"empty element", "<domain type='kvm'>\n  <devices/>\n</domain>"},
		{"empty element with a blank", "<domain type='kvm'><devices /></domain>"},
		{"no content", "<domain type='kvm'><devices></devices></domain>"},
		{"only a comment", "<domain type='kvm'><devices >\n<!-- --></devices></domain>"},
		{"white space between the tags, one with a blank", "<domain type='kvm'><devices > </devices></domain>"},
		{"empty line between the tags, one with a blank", "<domain type='kvm'>\n <devices >\n\n </devices></domain>"},
		{"only white space", "<domain type='kvm'>\n  <devices>\n  </devices>\n</domain>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			composed, err := virtdriver.Compose([]byte(test.xml), arqs, ports)
			require.NoError(t, err)
			assert.Equal(t, []string{"q", "p", "m"}, uuids(composed.Attached), "ports, PCI handles, mediated devices")
			back, err := virtdriver.Decompose(composed.XML, arqs, ports)
			require.NoError(t, err)
			assert.Equal(t, test.xml, string(back.XML))
			assert.Equal(t, []string{"q", "p", "m"}, uuids(back.Detached))
			assert.Empty(t, back.Absent)
			require.Len(t, back.Mediated, 1)
			assert.Equal(t, vGPU, back.Mediated[0].UUID)

			again, err := virtdriver.Decompose(back.XML, arqs, ports)
			require.NoError(t, err)
			assert.Equal(t, test.xml, string(again.XML))
			assert.Equal(t, []string{"q", "p", "m"}, uuids(again.Absent))

			recomposed, err := virtdriver.Compose(back.XML, arqs, ports)
			require.NoError(t, err)
			assert.Equal(t, string(composed.XML), string(recomposed.XML))
		})
	}
}

// TestDecomposeLiveDomain takes out what libvirt has added to.
func TestDecomposeLiveDomain(t *testing.T) {
	t.Parallel()
	live := "<domain type='kvm'>\n  <devices>\n    <console/>" + liveHostdev + "\n    <memballoon/>\n  </devices>\n</domain>\n"
	unbound := pciARQ("a", "0:3b:0.1")
	unbound.State = cyborgclient.StateUnbound
	got, err := virtdriver.Decompose([]byte(live), []cyborgclient.ARQ{unbound})
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(live, liveHostdev, "", 1), string(got.XML))

	_, err = virtdriver.Decompose([]byte("<domain type='kvm'><devices>\n<disk type='nvme'><source><address bus='0x3b' function='1'/></source></disk></devices></domain>"), []cyborgclient.ARQ{unbound})
	require.ErrorIs(t, err, virtdriver.ErrAddressInUse)
	require.EqualError(t, err, "decompose domain: line 2 column 1: /domain/devices/disk[1]: ARQ a: host address in use: 0000:3b:00.1, and it is a <disk> there")
}

const liveHostdev = `
    <hostdev mode='subsystem' type='pci' managed='yes'>
      <driver name='vfio'/>
      <source>
        <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/>
      </source>
      <alias name='hostdev0'/>
      <address type='pci' domain='0x0000' bus='0x05' slot='0x00' function='0x0'/>
    </hostdev>`

// TestDecomposeUndoesComposeInAnyDomain: the property, over generated domains.
func TestDecomposeUndoesComposeInAnyDomain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		input := anyDomain().Draw(t, "domain")
		var arqs []cyborgclient.ARQ
		for i := range rapid.IntRange(0, 4).Draw(t, "PCI") {
			arqs = append(arqs, pciARQ("p"+strconv.Itoa(i), fmt.Sprintf("0000:b%d:00.0", i)))
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "MDEV") {
			arqs = append(arqs, mdevARQ("m"+strconv.Itoa(i), strings.Replace(vGPU, "b", strconv.Itoa(i), 1)))
		}
		var opts []virtdriver.ComposeOption
		for i := range rapid.IntRange(0, 2).Draw(t, "ports") {
			opts = append(opts, virtdriver.WithPorts(port("q"+strconv.Itoa(i), fmt.Sprintf("0000:c%d:00.0", i))))
		}
		composed, err := virtdriver.Compose([]byte(input), arqs, opts...)
		require.NoError(t, err)
		again, err := virtdriver.Compose(composed.XML, arqs, opts...)
		require.NoError(t, err)
		require.Equal(t, string(composed.XML), string(again.XML))
		back, err := virtdriver.Decompose(composed.XML, arqs, opts...)
		require.NoError(t, err)
		require.Equal(t, input, string(back.XML))
	})
}

// anyDomain writes a domain with devices, comments and text in any layout.
func anyDomain() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		blank := rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\r\n\t", "\n\n "})
		piece := rapid.SampledFrom([]string{
			"<console/>", "<!-- <hostdev/> -->", "<disk type='file'>\n<source file=\"x\"/></disk>", "<![CDATA[<hostdev>]]>", "<?pi hostdev?>",
			"<hostdev mode='subsystem' type='usb'/>", "<interface type='network'/>", "<q:hostdev xmlns:q='urn:x'/>", "&#32;",
			"<hostdev mode='subsystem' type='pci'><source>\n<address bus='1'/></source></hostdev>", "<hostdev type='mdev' model='vfio-ccw'/>",
		})
		if rapid.Bool().Draw(t, "empty") {
			return "<domain type='kvm'>" + blank.Draw(t, "before") + rapid.SampledFrom([]string{"<devices/>", "<devices />", "<devices\n/>", "<devices></devices>"}).Draw(t, "devices") + "</domain>"
		}
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"<domain type='kvm'>", "<?xml version=\"1.0\"?>\n<domain type=\"qemu\" id='1'>"}).Draw(t, "root"))
		b.WriteString(blank.Draw(t, "before") + rapid.SampledFrom([]string{"<devices>", "<devices\n>"}).Draw(t, "devices"))
		once := make(map[string]bool)
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			b.WriteString(blank.Draw(t, "blank"))
			if next := piece.Draw(t, "piece"); !once[next] {
				once[next] = true
				b.WriteString(next)
			}
		}
		b.WriteString(blank.Draw(t, "after") + "</devices>" + blank.Draw(t, "end") + "</domain>")
		return b.String()
	})
}
