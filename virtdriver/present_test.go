package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// TestNumbersAsLibvirtReadsThem: white space and a plus before a number count for
// nothing, so they hide no device.
func TestNumbersAsLibvirtReadsThem(t *testing.T) {
	t.Parallel()
	const occupied = "<domain type='kvm'><devices><disk><address type='pci' bus='5' slot='0'/></disk>" +
		"<hostdev mode='subsystem' type='pci' managed='yes'><source><address bus='0x3b'/></source></hostdev></devices></domain>"
	for text, taken := range map[string]bool{"+0x": true, " 0x": true, "\t\n+0x": true, "&#32;0x": true, "-0x": false, "+ 0x": false, "++0x": false} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			host := strings.Replace(occupied, "bus='0x3b'", "bus='"+text+"3b'", 1)
			got, err := virtdriver.Compose([]byte(host), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")})
			guest := strings.Replace(occupied, "bus='5'", "bus='"+text+"5'", 1)
			_, guestErr := virtdriver.Compose([]byte(guest), []cyborgclient.ARQ{pciARQ("b", "0:3c:0.0")}, with(virtdriver.DeviceOptions{GuestAddress: "5:0.0"}))
			require.ErrorIs(t, guestErr, virtdriver.ErrGuestAddress)
			if taken {
				require.NoError(t, err)
				assert.Equal(t, host, string(got.XML), "the domain has it")
				require.ErrorContains(t, guestErr, "0000:05:00.0 has /domain/devices/disk[1]")
				return
			}
			require.ErrorIs(t, err, virtdriver.ErrAddress)
			require.ErrorContains(t, guestErr, "/domain/devices/disk[1]: guest address: bus ")
		})
	}
}

// TestGuestAddressesThatCannotBeRead are told, wherever they matter.
func TestGuestAddressesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	xml := []byte(strings.Replace(string(q35(5, liveHostdev)), "bus='0x05'", "bus='five'", 1))
	arqs := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")}
	_, err := virtdriver.HotUnplug(xml, arqs)
	require.ErrorContains(t, err, `ARQ a: guest address: bus "five" is no number`)
	_, err = virtdriver.Decompose(xml, arqs)
	require.ErrorContains(t, err, `ARQ a: guest address: bus "five" is no number`)
	_, err = virtdriver.Compose(xml, arqs)
	require.ErrorContains(t, err, `/domain/devices/hostdev[1]: guest address: bus "five" is no number`)
}

// TestGuestAddressesThatLibvirtRefuses: a slot that the bus does not have, and
// functions beside one that is said to be alone.
func TestGuestAddressesThatLibvirtRefuses(t *testing.T) {
	t.Parallel()
	bus := func(model, more string) string {
		return "<domain type='kvm'><devices><controller type='pci' index='1' model='" + model + "'/>" + more + "</devices></domain>"
	}
	const alone = "<video><address type='pci' bus='5' slot='0' function='0' multifunction='off'/></video>"
	for _, test := range []struct{ name, xml, at, text string }{
		{"slot of a port", bus("pcie-root-port", ""), "1:1.0", "0000:01:01.0: bus 1 is a pcie-root-port, whose slots are 0 to 0"},
		{"the slot of a port", bus("pcie-root-port", ""), "1:0.0", ""},
		{"slot 0 of a bridge", bus("pci-bridge", ""), "1:0.0", "whose slots are 1 to 31"},
		{"the last slot of a bridge", bus("pci-bridge", ""), "1:1f.0", ""},
		{"slot 0 of a chipset's bridge", bus("dmi-to-pci-bridge", ""), "1:0.0", ""},
		{"bus for ports", bus("pcie-expander-bus", ""), "1:0.0", "bus 1 is a pcie-expander-bus, which takes no device of the host"},
		{"model of later", bus("cxl-root", ""), "1:9.0", ""},
		{"bus that is not listed", bus("pcie-root-port", ""), "2:9.0", ""},
		{"beside one that is alone", bus("pcie-root", alone), "5:0.1", "0000:05:00.1 has a function 0, /domain/devices/video[1], with multifunction='off'"},
		{"beside one that is not", bus("pcie-root", strings.Replace(alone, "off", "on", 1)), "5:0.1", ""},
		{"beside one that says nothing", bus("pcie-root", strings.Replace(alone, "multifunction='off'", "", 1)), "5:0.1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Compose([]byte(test.xml), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.0")}, with(virtdriver.DeviceOptions{GuestAddress: test.at}))
			if test.text == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, virtdriver.ErrGuestAddress)
			require.ErrorContains(t, err, "ARQ a: guest address: ")
			require.ErrorContains(t, err, test.text)
		})
	}
}
