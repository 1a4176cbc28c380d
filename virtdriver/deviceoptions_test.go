package virtdriver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// with gives all devices the same options.
func with(o virtdriver.DeviceOptions) virtdriver.ComposeOption {
	return virtdriver.WithDevice(func(cyborgclient.ARQ) virtdriver.DeviceOptions { return o })
}

func TestDeviceOptions(t *testing.T) {
	t.Parallel()
	pci, mdev := pciARQ("a", "0000:3b:00.0"), mdevARQ("a", vGPU)
	for _, test := range []struct {
		name    string
		arq     cyborgclient.ARQ
		options virtdriver.DeviceOptions
		want    []string
	}{
		{"not managed", pci, virtdriver.DeviceOptions{Managed: new(false)}, []string{`managed='no'`}},
		{"driver", pci, virtdriver.DeviceOptions{Driver: "vfio", DriverModel: "mlx5_vfio_pci", IOMMUFD: new(true)}, []string{`<driver name='vfio' model='mlx5_vfio_pci' iommufd='yes'/>`}},
		{"ROM", pci, virtdriver.DeviceOptions{ROMFile: "/r<o>m"}, []string{`<rom file='/r&lt;o&gt;m'/>`}},
		{"no ROM", mdev, virtdriver.DeviceOptions{ROMBar: new(false)}, []string{`<rom bar='off'/>`}},
		{"boot order", pci, virtdriver.DeviceOptions{BootOrder: 2}, []string{`<boot order='2'/>`}},
		{"alias", mdev, virtdriver.DeviceOptions{Alias: "ua-gpu_1"}, []string{`<alias name='ua-gpu_1'/>`}},
		{"guest address", pci, virtdriver.DeviceOptions{GuestAddress: "05:00.0"}, []string{`<address type='pci' domain='0x0000' bus='0x05' slot='0x00' function='0x0'/>`}},
		{"display", mdev, virtdriver.DeviceOptions{Display: new(true), RAMFB: new(true)}, []string{`display='on'`, `ramfb='on'`}},
		{"no display", mdev, virtdriver.DeviceOptions{Display: new(false)}, []string{`display='off'`}},
		{"teaming", pci, virtdriver.DeviceOptions{TeamingWith: "ua-net"}, []string{`<teaming type='transient' persistent='ua-net'/>`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			guest := []byte("<domain type='kvm'><devices>\n<graphics type='vnc'/><interface type='user'><alias name='ua-net'/></interface></devices></domain>")
			got, err := virtdriver.Compose(guest, []cyborgclient.ARQ{test.arq}, with(test.options))
			require.NoError(t, err)
			for _, text := range test.want {
				assert.Contains(t, string(got.XML), text)
			}
			again, err := virtdriver.Compose(got.XML, []cyborgclient.ARQ{test.arq}, with(test.options))
			require.NoError(t, err)
			assert.Equal(t, string(got.XML), string(again.XML))
			back, err := virtdriver.Decompose(got.XML, []cyborgclient.ARQ{test.arq}, with(test.options))
			require.NoError(t, err)
			assert.Equal(t, string(guest), string(back.XML))

			plain, err := virtdriver.Compose(guest, []cyborgclient.ARQ{test.arq})
			require.NoError(t, err)
			if test.name != "no display" { // off is what nothing said means
				_, err = virtdriver.Compose(plain.XML, []cyborgclient.ARQ{test.arq}, with(test.options))
				require.ErrorIs(t, err, virtdriver.ErrAddressInUse, "the domain has it without the option")
			}
		})
	}
}

func TestDeviceOptionRefusals(t *testing.T) {
	t.Parallel()
	pci, mdev := pciARQ("a", "0000:3b:00.0"), mdevARQ("a", vGPU)
	const guest = "<domain type='kvm'><os><boot dev='hd'/></os><devices><disk><boot order='1'/><alias name='ua-disk'/></disk>" +
		"<controller><address type='pci' bus='5' slot='0'/></controller></devices></domain>"
	for _, test := range []struct {
		name    string
		arq     cyborgclient.ARQ
		options virtdriver.DeviceOptions
		err     error
		text    string
	}{
		{"PCI option of a mediated device", mdev, virtdriver.DeviceOptions{Driver: "vfio"}, virtdriver.ErrOption, "are for PCI devices"},
		{"boot from a mediated device", mdev, virtdriver.DeviceOptions{BootOrder: 1}, virtdriver.ErrOption, "are for PCI devices"},
		{"display of a PCI device", pci, virtdriver.DeviceOptions{Display: new(true)}, virtdriver.ErrOption, "are for mediated devices"},
		{"driver", pci, virtdriver.DeviceOptions{Driver: "uio"}, virtdriver.ErrOption, `driver "uio", want vfio or xen`},
		{"alias that libvirt drops", pci, virtdriver.DeviceOptions{Alias: "gpu"}, virtdriver.ErrOption, `alias "gpu", want ua-`},
		{"alias with a quote", pci, virtdriver.DeviceOptions{Alias: "ua-'"}, virtdriver.ErrOption, `alias "ua-'"`},
		{"relative ROM", pci, virtdriver.DeviceOptions{ROMFile: "rom"}, virtdriver.ErrOption, "is no absolute path"},
		{"ROM that is off", pci, virtdriver.DeviceOptions{ROMFile: "/rom", ROMBar: new(false)}, virtdriver.ErrOption, "rom_file needs rom_bar"},
		{"ramfb alone", mdev, virtdriver.DeviceOptions{RAMFB: new(true)}, virtdriver.ErrOption, "ramfb needs display"},
		{"guest address", pci, virtdriver.DeviceOptions{GuestAddress: "5"}, virtdriver.ErrOption, "guest_address: parse pci address"},
		{"guest address that is taken", pci, virtdriver.DeviceOptions{GuestAddress: "0000:05:00.0"}, virtdriver.ErrGuestAddress, "0000:05:00.0 has /domain/devices/controller[1]"},
		{"function without 0", pci, virtdriver.DeviceOptions{GuestAddress: "0000:06:00.1"}, virtdriver.ErrGuestAddress, "0000:06:00.1 has no function 0"},
		{"alias that is taken", pci, virtdriver.DeviceOptions{Alias: "ua-disk"}, virtdriver.ErrAlias, "alias in use: ua-disk is also that of a <disk>"},
		{"boot order beside os/boot", pci, virtdriver.DeviceOptions{BootOrder: 9}, virtdriver.ErrOption, "cannot be together with <boot> in <os>"},
		{"teaming with nobody", pci, virtdriver.DeviceOptions{TeamingWith: "ua-disk"}, virtdriver.ErrOption, `no <interface> has the alias "ua-disk"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Compose([]byte(guest), []cyborgclient.ARQ{test.arq}, with(test.options))
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, "compose domain: ARQ a: ")
			require.ErrorContains(t, err, test.text)
		})
	}
	_, err := virtdriver.Compose([]byte(strings.Replace(guest, "<boot dev='hd'/>", "", 1)), []cyborgclient.ARQ{pci}, with(virtdriver.DeviceOptions{BootOrder: 1}))
	require.ErrorContains(t, err, "boot_order 1 is also that of a <disk>")
}

func TestOptionsOfTwoDevices(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{pciARQ("a", "0000:3b:00.0"), pciARQ("b", "0000:3c:00.0")}
	for _, test := range []struct {
		name, text string
		options    virtdriver.DeviceOptions
		err        error
	}{
		{"alias", "ARQ b: alias in use: ua-x is also that of ARQ a", virtdriver.DeviceOptions{Alias: "ua-x"}, virtdriver.ErrAlias},
		{"boot order", "ARQ b: device option: boot_order 1 is also that of ARQ a", virtdriver.DeviceOptions{BootOrder: 1}, virtdriver.ErrOption},
		{"guest address", "ARQ b: guest address: 0000:05:00.0 has the device of ARQ a", virtdriver.DeviceOptions{GuestAddress: "5:0.0"}, virtdriver.ErrGuestAddress},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := virtdriver.Compose([]byte(emptyDomain), arqs, with(test.options))
			require.ErrorIs(t, err, test.err)
			require.EqualError(t, err, "compose domain: "+test.text)
		})
	}
}

// TestMultifunction groups the functions of an FPGA, whose lowest on the host is
// not 0, on one slot of the guest.
func TestMultifunction(t *testing.T) {
	t.Parallel()
	arqs := []cyborgclient.ARQ{
		pciARQ("f2", "0000:d8:00.2"), pciARQ("lone", "0000:3b:00.1"), pciARQ("f1", "0000:d8:00.1"), mdevARQ("m", vGPU),
	}
	got, err := virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithMultifunction("0000:05:00", "06:01"))
	require.NoError(t, err)
	text := string(got.XML)
	assert.Contains(t, text, `function='0x2'/></source><address type='pci' domain='0x0000' bus='0x05' slot='0x00' function='0x1'/>`)
	assert.Contains(t, text, `function='0x1'/></source><address type='pci' domain='0x0000' bus='0x05' slot='0x00' function='0x0' multifunction='on'/>`)
	assert.Equal(t, 2, strings.Count(text, "<address type='pci'"), "one function, or a mediated device, is no group")

	_, err = virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithMultifunction())
	require.ErrorIs(t, err, virtdriver.ErrOption)
	require.ErrorContains(t, err, "1 devices have several functions, WithMultifunction has 0 slots")
	_, err = virtdriver.Compose([]byte(emptyDomain), arqs, virtdriver.WithMultifunction("5"))
	require.ErrorContains(t, err, `WithMultifunction: slot "5"`)
}
