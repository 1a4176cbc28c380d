package driver_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func discover(t testing.TB, name, host string, card driver.Card) driver.Device {
	t.Helper()
	d, err := driver.Named(name)
	require.NoError(t, err)
	device, err := d.Discover(host, card)
	require.NoError(t, err)
	return device
}

func TestDiscover(t *testing.T) {
	t.Parallel()
	pci := func(bus, device, function string) driver.Handle {
		return driver.Handle{Type: "PCI", Info: []driver.Pair{{Key: "bus", Value: bus}, {Key: "device", Value: device}, {Key: "domain", Value: "0000"}, {Key: "function", Value: function}}}
	}
	for _, test := range []struct {
		name, driver string
		card         driver.Card
		want         driver.Device
	}{
		{
			name: "fpga without functions", driver: "fpga",
			card: driver.Card{Address: "0000:3b:00.0", FunctionID: "9aef", RegionID: "69b2"},
			want: driver.Device{
				Type: "FPGA", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x09c4"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:3b:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:3b:00.0", Driver: "intel",
					Attributes: []driver.Pair{
						{Key: "trait0", Value: "CUSTOM_FPGA_INTEL"},
						{Key: "trait1", Value: "CUSTOM_FPGA_INTEL_PAC_ARRIA10"},
						{Key: "trait2", Value: "CUSTOM_FPGA_FUNCTION_ID_INTEL_9AEF"},
						{Key: "trait3", Value: "CUSTOM_FPGA_REGION_INTEL_69B2"},
						{Key: "rc", Value: "FPGA"},
					},
					Handles: []driver.Handle{pci("3b", "00", "0")},
				}},
			},
		},
		{
			name: "fpga with functions over a device's border", driver: "fpga",
			card: driver.Card{Address: "0000:3b:00.6", VFs: 3},
			want: driver.Device{
				Type: "FPGA", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x09c4"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:3b:00.6",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:3b:01.1", Driver: "intel",
					Attributes: []driver.Pair{
						{Key: "trait0", Value: "CUSTOM_FPGA_INTEL"},
						{Key: "trait1", Value: "CUSTOM_FPGA_INTEL_PAC_ARRIA10"},
						{Key: "rc", Value: "FPGA"},
					},
					Handles: []driver.Handle{pci("3b", "00", "7"), pci("3b", "01", "0"), pci("3b", "01", "1")},
				}},
			},
		},
		{
			name: "pgpu", driver: "pgpu",
			card: driver.Card{Address: "0000:af:00.0", ProductID: "1eb8", Model: "T4"},
			want: driver.Device{
				Type: "GPU", Vendor: "10de", Model: "T4", StdBoardInfo: `{"product_id": "1eb8", "controller": "3D controller"}`, VendorBoardInfo: `{"vendor_info": "gpu_vb_info"}`, ControlPath: "0000:af:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:af:00.0", Driver: "NVIDIA",
					Attributes: []driver.Pair{{Key: "rc", Value: "PGPU"}, {Key: "trait0", Value: "OWNER_CYBORG"}, {Key: "trait1", Value: "CUSTOM_NVIDIA_1EB8"}},
					Handles:    []driver.Handle{pci("af", "00", "0")},
				}},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, cmp.Diff(test.want, discover(t, test.driver, "h1", test.card)))
		})
	}
}

func TestFakeDeviceHasSixteenHandles(t *testing.T) {
	t.Parallel()
	device := discover(t, "fake", "node.example.org", driver.Card{})
	require.Len(t, device.Deployables, 1)
	deployable := device.Deployables[0]
	assert.Equal(t, "node_example_org_FakeDevice", deployable.Name)
	assert.Equal(t, "FPGA", deployable.ResourceClass())
	require.Len(t, deployable.Handles, 16)
	for i, handle := range deployable.Handles {
		assert.Equal(t, "TEST_PCI", handle.Type)
		want := []driver.Pair{{Key: "domain", Value: "0000"}, {Key: "bus", Value: "0c"}, {Key: "device", Value: strconv.Itoa((i + 1) / 8)}, {Key: "function", Value: strconv.Itoa((i + 1) % 8)}}
		assert.Equal(t, want, handle.Info)
	}
}

func TestDiscoverRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, driver string
		card         driver.Card
		field        string
		want         error
	}{
		{name: "no address", driver: "fpga", field: "address", want: driver.ErrMissing},
		{name: "no pci address", driver: "pgpu", card: driver.Card{Address: "first"}, field: "address", want: driver.ErrFormat},
		{name: "function id", driver: "fpga", card: driver.Card{Address: "0000:3b:00.0", FunctionID: "xyz"}, field: "function_id", want: driver.ErrFormat},
		{name: "region id", driver: "fpga", card: driver.Card{Address: "0000:3b:00.0", RegionID: "a-b"}, field: "region_id", want: driver.ErrFormat},
		{name: "too many functions", driver: "fpga", card: driver.Card{Address: "0000:3b:1f.0", VFs: 8}, field: "vfs", want: driver.ErrFormat},
		{name: "functions below zero", driver: "fpga", card: driver.Card{Address: "0000:3b:00.0", VFs: -1}, field: "vfs", want: driver.ErrFormat},
		{name: "model of an fpga", driver: "fpga", card: driver.Card{Address: "0000:3b:00.0", Model: "x"}, field: "model", want: driver.ErrUnused},
		{name: "functions of a gpu", driver: "pgpu", card: driver.Card{Address: "0000:af:00.0", VFs: 1}, field: "vfs", want: driver.ErrUnused},
		{name: "short product id", driver: "pgpu", card: driver.Card{Address: "0000:af:00.0", ProductID: "1e"}, field: "product_id", want: driver.ErrFormat},
		{name: "address of the fake device", driver: "fake", card: driver.Card{Address: "0000:0c:00.0"}, field: "address", want: driver.ErrUnused},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d, err := driver.Named(test.driver)
			require.NoError(t, err)
			_, err = d.Discover("h1", test.card)
			require.ErrorIs(t, err, test.want)
			var wrong *driver.Error
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, test.field, wrong.Field)
			assert.Contains(t, err.Error(), test.field)
		})
	}
}

func TestNamedListsTheDrivers(t *testing.T) {
	t.Parallel()
	_, err := driver.Named("gpgpu")
	require.ErrorIs(t, err, driver.ErrUnknownDriver)
	assert.ErrorContains(t, err, "fake, fpga, pgpu")
}

func TestProviderUUID(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"cmp1_FakeDevice":          "99efe5b3-5d2b-3cbd-bf9b-6cdfa6028320",
		"cmp2_FakeDevice":          "f11ec60e-a885-390b-b3c0-11a54bc74581",
		"realstack-cn1_FakeDevice": "f3827af2-e6ff-374b-9d29-4b424658c25d",
	} {
		assert.Equal(t, want, driver.ProviderUUID(name))
	}
}

func TestResourceClassOfNothing(t *testing.T) {
	t.Parallel()
	assert.Empty(t, driver.Deployable{}.ResourceClass())
}

// Whatever card the FPGA driver takes, it has as many different handles as
// functions, and each is on the card's bus.
func TestFPGAHandlesAreDistinct(t *testing.T) {
	t.Parallel()
	d, err := driver.Named("fpga")
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		vfs := rapid.IntRange(0, 300).Draw(t, "vfs")
		address := fmt.Sprintf("0000:%02x:%02x.%d", rapid.IntRange(0, 255).Draw(t, "bus"), rapid.IntRange(0, 31).Draw(t, "device"), rapid.IntRange(0, 7).Draw(t, "function"))
		device, err := d.Discover("h", driver.Card{Address: address, VFs: vfs})
		if err != nil {
			return
		}
		handles := device.Deployables[0].Handles
		assert.Len(t, handles, max(1, vfs))
		seen := make(map[string]bool)
		for _, handle := range handles {
			seen[fmt.Sprint(handle.Info)] = true
			assert.Equal(t, address[5:7], handle.Info[0].Value)
		}
		assert.Len(t, seen, len(handles))
	})
}

func ExampleNamed() {
	gpu, err := driver.Named("pgpu")
	if err != nil {
		panic(err)
	}
	device, err := gpu.Discover("compute-1", driver.Card{Address: "0000:af:00.0", ProductID: "1eb8"})
	if err != nil {
		panic(err)
	}
	for _, deployable := range device.Deployables {
		fmt.Println(deployable.Name, deployable.ResourceClass(), len(deployable.Handles))
	}
	// Output: compute-1_0000:af:00.0 PGPU 1
}
