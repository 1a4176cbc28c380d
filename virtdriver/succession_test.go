package virtdriver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// inGroup puts an ARQ into a group of its device profile.
func inGroup(arq cyborgclient.ARQ, group int) cyborgclient.ARQ {
	arq.DeviceProfileName, arq.DeviceProfileGroupID = "mixed", group
	return arq
}

// guestOf is a guest with a PCI hostdev for each ARQ, whose alias is ua-0 and up.
func guestOf(t require.TestingT, arqs ...cyborgclient.ARQ) []byte {
	nth := make(map[string]int)
	for i, arq := range arqs {
		nth[arq.UUID] = i
	}
	composed, err := virtdriver.Compose([]byte("<domain type='kvm'>\n <devices>\n  <console/>\n </devices>\n</domain>"), arqs, virtdriver.WithDevice(func(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
		return virtdriver.DeviceOptions{Alias: fmt.Sprintf("ua-%d", nth[arq.UUID])}
	}))
	require.NoError(t, err)
	return composed.XML
}

// busOf tells, by alias, which bus of the host the guest's hostdevs are on.
func busOf(xml []byte) map[string]string {
	found := make(map[string]string)
	for device := range strings.SplitSeq(string(xml), "<hostdev ") {
		_, alias, named := strings.Cut(device, "<alias name='")
		_, bus, placed := strings.Cut(device, "bus='0x")
		if named && placed {
			found[alias[:strings.Index(alias, "'")]] = bus[:2]
		}
	}
	return found
}

// TestReplacePairsDevices: a device stays only if its ARQ does, whatever addresses
// the two hosts have in common.
func TestReplacePairsDevices(t *testing.T) {
	t.Parallel()
	gpu, fpga := inGroup(pciARQ("gpu", "0:3b:0.0"), 0), inGroup(pciARQ("fpga", "0:d8:0.0"), 1)
	for _, test := range []struct {
		name   string
		next   []cyborgclient.ARQ
		places map[string]string
	}{
		{"the new host has one of the addresses", []cyborgclient.ARQ{inGroup(pciARQ("g", "0:d8:0.0"), 0), inGroup(pciARQ("f", "0:5e:0.0"), 1)}, map[string]string{"ua-0": "d8", "ua-1": "5e"}},
		{"it has both, the other way round", []cyborgclient.ARQ{inGroup(pciARQ("g", "0:d8:0.0"), 0), inGroup(pciARQ("f", "0:3b:0.0"), 1)}, map[string]string{"ua-0": "d8", "ua-1": "3b"}},
		{"listed the other way round", []cyborgclient.ARQ{inGroup(pciARQ("f", "0:5e:0.0"), 1), inGroup(pciARQ("g", "0:d8:0.0"), 0)}, map[string]string{"ua-0": "d8", "ua-1": "5e"}},
		{"of another profile, in order", []cyborgclient.ARQ{pciARQ("g", "0:d8:0.0"), pciARQ("f", "0:3b:0.0")}, map[string]string{"ua-0": "d8", "ua-1": "3b"}},
		{"the same ARQs with other handles", []cyborgclient.ARQ{pciARQ("FPGA", "0:3b:0.0"), pciARQ("gpu", "0:d8:0.0")}, map[string]string{"ua-0": "d8", "ua-1": "3b"}},
		{"the second group alone", []cyborgclient.ARQ{inGroup(pciARQ("f", "0:3b:0.0"), 1)}, map[string]string{"ua-1": "3b"}},
		{"listed the other way round on the same host", []cyborgclient.ARQ{fpga, gpu}, map[string]string{"ua-0": "3b", "ua-1": "d8"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := virtdriver.Replace(guestOf(t, gpu, fpga), []cyborgclient.ARQ{gpu, fpga}, test.next)
			require.NoError(t, err)
			assert.Equal(t, test.places, busOf(got.XML))
			assert.Equal(t, len(test.next), strings.Count(string(got.XML), "<hostdev "))
		})
	}
}

// TestReplaceKeepsGroupsApart: the property, over hosts that share any addresses.
func TestReplaceKeepsGroupsApart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "devices")
		buses := rapid.SliceOfNDistinct(rapid.IntRange(0x10, 0x17), n, n, rapid.ID[int])
		old, next := make([]cyborgclient.ARQ, n), make([]cyborgclient.ARQ, n)
		want := make(map[string]string)
		for i, bus := range buses.Draw(t, "old") {
			old[i] = inGroup(pciARQ(fmt.Sprintf("old-%d", i), fmt.Sprintf("0:%x:0.0", bus)), i)
		}
		for i, bus := range buses.Draw(t, "new") {
			next[i] = inGroup(pciARQ(fmt.Sprintf("new-%d", i), fmt.Sprintf("0:%x:0.0", bus)), i)
			want[fmt.Sprintf("ua-%d", i)] = fmt.Sprintf("%x", bus)
		}
		guest := guestOf(t, old...)
		there, err := virtdriver.Replace(guest, old, rapid.Permutation(next).Draw(t, "order"))
		require.NoError(t, err)
		require.Equal(t, want, busOf(there.XML))
		back, err := virtdriver.Replace(there.XML, next, old)
		require.NoError(t, err)
		require.Equal(t, string(guest), string(back.XML))
	})
}

// TestReplaceAcrossKinds: the flavor's device and the port's cross on the new host,
// and one takes the address of the other.
func TestReplaceAcrossKinds(t *testing.T) {
	t.Parallel()
	flavor, nic := pciARQ("a", "0:1:0.0"), port("q", "0:2:0.0")
	composed, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{flavor}, virtdriver.WithPorts(nic))
	require.NoError(t, err)
	got, err := virtdriver.Replace(composed.XML, []cyborgclient.ARQ{flavor, nic.ARQ}, []cyborgclient.ARQ{pciARQ("b", "0:2:0.0")}, virtdriver.WithPorts(port("r", "0:1:0.0")))
	require.NoError(t, err)
	assert.Equal(t, strings.NewReplacer("bus='0x01'", "bus='0x02'", "bus='0x02'", "bus='0x01'").Replace(string(composed.XML)), string(got.XML))

	got, err = virtdriver.Replace(composed.XML, []cyborgclient.ARQ{flavor, nic.ARQ}, nil, virtdriver.WithPorts(port("r", "0:1:0.0")))
	require.NoError(t, err)
	assert.NotContains(t, string(got.XML), "<hostdev")
	assert.Contains(t, string(got.XML), "bus='0x01'")
}

// TestReplaceNamesThePlacesOfTheInput: an error's line is that of the text that was
// given, not of one from which devices were taken.
func TestReplaceNamesThePlacesOfTheInput(t *testing.T) {
	t.Parallel()
	a, b := pciARQ("a", "0:1:0.0"), pciARQ("b", "0:2:0.0")
	guest := strings.Replace(string(guestOf(t, a, b)), "\n </devices>", "\n  <hostdev type='pci'><source><address bus='9'/></source></hostdev>\n </devices>", 1)
	line := strings.Count(guest[:strings.Index(guest, "bus='9'")], "\n") + 1
	_, err := virtdriver.Replace([]byte(guest), []cyborgclient.ARQ{a, b}, []cyborgclient.ARQ{pciARQ("c", "0:9:0.0")})
	require.ErrorIs(t, err, virtdriver.ErrAddressInUse)
	require.ErrorContains(t, err, fmt.Sprintf("replace devices of domain: line %d column 3: /domain/devices/hostdev[3]: ARQ c: ", line))
}

// TestReplaceWritesNamedOptions: what the options name is written, what they do not
// name stays, and what would clash is refused for what it is.
func TestReplaceWritesNamedOptions(t *testing.T) {
	t.Parallel()
	old := []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")}
	one, two := []cyborgclient.ARQ{pciARQ("b", "0:5e:0.0")}, []cyborgclient.ARQ{pciARQ("b", "0:5e:0.0"), pciARQ("c", "0:5e:0.1")}
	byUUID := virtdriver.WithDevice(func(arq cyborgclient.ARQ) virtdriver.DeviceOptions {
		return virtdriver.DeviceOptions{Alias: "ua-" + arq.UUID, ROMFile: "/r'o<m", BootOrder: 2}
	})
	got, err := virtdriver.Replace([]byte(liveGuest), old, one, byUUID)
	require.NoError(t, err)
	want := strings.NewReplacer("hostdev0", "ua-b", "bus='0x3b' slot='0x00' function='0x1'", "bus='0x5e' slot='0x00' function='0x0'",
		"bus='0x05' slot='0x00' function='0x0'/>", "bus='0x05' slot='0x00' function='0x0'/>\n      <boot order='2'/>\n      <rom file='/r&apos;o&lt;m'/>").Replace(liveGuest)
	assert.ElementsMatch(t, strings.Split(want, "\n"), strings.Split(string(got.XML), "\n"))
	again, err := virtdriver.Compose(got.XML, one, byUUID)
	require.NoError(t, err)
	assert.Equal(t, string(got.XML), string(again.XML))
	same, err := virtdriver.Replace(got.XML, one, one, byUUID)
	require.NoError(t, err)
	assert.Equal(t, string(got.XML), string(same.XML))

	for _, slot := range []string{"0000:05:00", "0000:06:00"} {
		got, err = virtdriver.Replace([]byte(liveGuest), old, two, virtdriver.WithMultifunction(slot))
		require.NoError(t, err, slot)
		assert.Contains(t, string(got.XML), "<alias name='hostdev0'/>\n      <address type='pci' domain='0x0000' bus='0x"+slot[5:7]+"' slot='0x00' function='0x0' multifunction='on'/>")
		assert.Contains(t, string(got.XML), "bus='0x"+slot[5:7]+"' slot='0x00' function='0x1'/>\n    </hostdev>")
	}
}

func TestReplaceRefusesOptionsThatClash(t *testing.T) {
	t.Parallel()
	const others = "<disk><alias name='ua-disk'/><boot order='1'/><address type='pci' bus='7' slot='0'/></disk>"
	guest := strings.Replace(liveGuest, "<console/>", others, 1)
	for name, test := range map[string]struct {
		options virtdriver.DeviceOptions
		err     error
		text    string
	}{
		"alias":         {virtdriver.DeviceOptions{Alias: "ua-disk"}, virtdriver.ErrAlias, "ARQ b: alias in use: ua-disk is also that of a <disk>"},
		"boot order":    {virtdriver.DeviceOptions{BootOrder: 1}, virtdriver.ErrOption, "boot_order 1 is also that of a <disk>"},
		"guest address": {virtdriver.DeviceOptions{GuestAddress: "7:0.0"}, virtdriver.ErrGuestAddress, "line 4 column 5: /domain/devices/hostdev[1]: ARQ b: guest address: 0000:07:00.0 has /domain/devices/disk[1]"},
		"own alias":     {virtdriver.DeviceOptions{Alias: "ua-own", GuestAddress: "5:0.0"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Replace([]byte(guest), []cyborgclient.ARQ{pciARQ("a", "0:3b:0.1")}, []cyborgclient.ARQ{pciARQ("b", "0:5e:0.0")}, with(test.options))
			require.ErrorIs(t, err, test.err)
			if test.err != nil {
				require.NotErrorIs(t, err, virtdriver.ErrAddressInUse)
				require.ErrorContains(t, err, test.text)
			}
		})
	}
}
