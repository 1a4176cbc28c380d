package driver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func describe(t require.TestingT, name, host string, card driver.Card) driver.Device {
	kind, err := driver.Named(name)
	require.NoError(t, err)
	device, err := kind.Describe(host, card)
	require.NoError(t, err)
	return device
}

// pairs makes pairs of "key=value" texts.
func pairs(texts ...string) []driver.Pair {
	var all []driver.Pair
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		all = append(all, driver.Pair{Key: key, Value: value})
	}
	return all
}

func pciHandle(bus, device, function string, more ...string) driver.Handle {
	return driver.Handle{Type: "PCI", Info: append(pairs("bus="+bus, "device="+device, "domain=0000", "function="+function), pairs(more...)...)}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, driver string
		card         driver.Card
		want         driver.Device
	}{
		{
			name: "Intel FPGA", driver: "fpga",
			card: driver.Card{Address: "0000:3b:00.0", FunctionID: "9aef", RegionID: "69b2"},
			want: driver.Device{
				Type: "FPGA", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x09c4"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:3b:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:3b:00.0", Driver: "intel",
					Attributes: pairs("trait0=CUSTOM_FPGA_INTEL", "trait1=CUSTOM_FPGA_INTEL_PAC_ARRIA10", "trait2=CUSTOM_FPGA_FUNCTION_ID_INTEL_9AEF", "trait3=CUSTOM_FPGA_REGION_INTEL_69B2", "rc=FPGA"),
					Handles:    []driver.Handle{pciHandle("3b", "00", "0")},
				}},
			},
		},
		{
			name: "Intel FPGA with functions over a device's border, keys come twice", driver: "fpga",
			card: driver.Card{Address: "0000:3b:00.6", VFs: 3, FunctionID: "9aef", RegionID: "69b2"},
			want: driver.Device{
				Type: "FPGA", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x09c4"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:3b:00.6",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:3b:01.1", Driver: "intel",
					Attributes: pairs("trait0=CUSTOM_FPGA_INTEL", "trait1=CUSTOM_FPGA_INTEL_PAC_ARRIA10", "trait2=CUSTOM_FPGA_REGION_INTEL_69B2", "rc=FPGA",
						"trait2=CUSTOM_FPGA_FUNCTION_ID_INTEL_9AEF", "trait2=CUSTOM_FPGA_FUNCTION_ID_INTEL_9AEF", "trait2=CUSTOM_FPGA_FUNCTION_ID_INTEL_9AEF"),
					Handles: []driver.Handle{pciHandle("3b", "00", "7"), pciHandle("3b", "01", "0"), pciHandle("3b", "01", "1")},
				}},
			},
		},
		{
			name: "Inspur FPGA", driver: "inspur_fpga", card: driver.Card{Address: "0000:86:00.0"},
			want: driver.Device{
				Type: "FPGA", Vendor: "1bd4", Model: "Inspur Electronic Information Industry Co., Ltd. Device",
				StdBoardInfo: `{"product_id": "a115", "controller": "Processing accelerators"}`, VendorBoardInfo: `{"vendor_info": "fpga_vb_info"}`, ControlPath: "0000:86:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:86:00.0", Driver: "INSPUR",
					Attributes: pairs("rc=FPGA", "trait0=CUSTOM_FPGA_INSPUR", "trait1=CUSTOM_FPGA_PRODUCT_ID_A115"),
					Handles:    []driver.Handle{pciHandle("86", "00", "0")},
				}},
			},
		},
		{
			name: "Xilinx, two functions are one accelerator", driver: "xilinx_fpga", card: driver.Card{Address: "0000:3b:00.0"},
			want: driver.Device{
				Type: "FPGA", Vendor: "10ee", Model: "Xilinx Corporation Device",
				StdBoardInfo: `{"product_id": "5000", "controller": "Processing accelerators"}`, VendorBoardInfo: `{"vendor_info": "fpga_vb_info"}`, ControlPath: "0000:3b:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:3b:00.0", Driver: "XILINX", Accelerators: 1,
					Attributes: pairs("rc=FPGA", "trait0=CUSTOM_FPGA_XILINX", "trait1=CUSTOM_FPGA_PRODUCT_ID_5000"),
					Handles:    []driver.Handle{pciHandle("3b", "00", "0"), pciHandle("3b", "00", "1")},
				}},
			},
		},
		{
			name: "whole GPU", driver: "pgpu", card: driver.Card{Address: "0000:af:00.0", ProductID: "1EB8"},
			want: driver.Device{
				Type: "GPU", Vendor: "10de", Model: "NVIDIA Corporation TU104GL [Tesla T4]",
				StdBoardInfo: `{"product_id": "1eb8", "controller": "3D controller"}`, VendorBoardInfo: `{"vendor_info": "gpu_vb_info"}`, ControlPath: "0000:af:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:af:00.0", Driver: "NVIDIA",
					Attributes: pairs("rc=PGPU", "trait0=OWNER_CYBORG", "trait1=CUSTOM_NVIDIA_1EB8"),
					Handles:    []driver.Handle{pciHandle("af", "00", "0")},
				}},
			},
		},
		{
			name: "shared GPU", driver: "vgpu", card: driver.Card{Address: "0000:af:00.0", VGPUType: "nvidia-223", VGPUName: "GRID T4-2B", VGPUs: 2},
			want: driver.Device{
				Type: "GPU", Vendor: "10de", Model: "NVIDIA Corporation TU104GL [Tesla T4]",
				StdBoardInfo: `{"product_id": "1eb8", "controller": "3D controller"}`, VendorBoardInfo: `{"vendor_info": "gpu_vb_info"}`, ControlPath: "0000:af:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:af:00.0", Driver: "NVIDIA",
					Attributes: pairs("rc=VGPU", "trait0=OWNER_CYBORG", "trait1=CUSTOM_NVIDIA_1EB8_T4_2B"),
					Handles: []driver.Handle{
						{Type: "MDEV", Info: pairs("asked_type=nvidia-223", "bus=af", "device=00", "domain=0000", "function=0", "vgpu_mark=nvidia-223_0")},
						{Type: "MDEV", Info: pairs("asked_type=nvidia-223", "bus=af", "device=00", "domain=0000", "function=0", "vgpu_mark=nvidia-223_1")},
					},
				}},
			},
		},
		{
			name: "QAT, each function a deployable", driver: "qat", card: driver.Card{Address: "0000:3d:00.0", VFAddresses: []string{"0000:3d:01.0", "0000:3d:01.1"}},
			want: driver.Device{
				Type: "QAT", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x37c8"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:3d:00.0",
				Deployables: []driver.Deployable{
					{Name: "h1_0000:3d:01.0", Driver: "intel", Attributes: pairs("rc=CUSTOM_QAT"), Handles: []driver.Handle{pciHandle("3d", "01", "0")}},
					{Name: "h1_0000:3d:01.1", Driver: "intel", Attributes: pairs("rc=CUSTOM_QAT"), Handles: []driver.Handle{pciHandle("3d", "01", "1")}},
				},
			},
		},
		{
			name: "NIC without functions", driver: "nic", card: driver.Card{Address: "0000:05:00.0", ProductID: "1572", PhysicalNetwork: "physnet1", FunctionName: "gtp"},
			want: driver.Device{
				Type: "NIC", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x1572"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:05:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:05:00.0", Driver: "intel",
					Attributes: pairs("rc=CUSTOM_NIC", "trait0=CUSTOM_PF", "trait1=CUSTOM_GTP", "trait2=CUSTOM_PHYSNET1"),
					Handles:    []driver.Handle{pciHandle("05", "00", "0", "physical_network=physnet1")},
				}},
			},
		},
		{
			name: "NIC with a function, off any network", driver: "nic", card: driver.Card{Address: "0000:05:00.0", VFs: 1},
			want: driver.Device{
				Type: "NIC", Vendor: "0x8086", Model: "miss_model_info", StdBoardInfo: `{"product_id": "0x158b"}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:05:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:05:00.1", Driver: "intel", Attributes: pairs("rc=CUSTOM_NIC", "trait0=CUSTOM_VF"), Handles: []driver.Handle{pciHandle("05", "00", "1")},
				}},
			},
		},
		{
			name: "SSD", driver: "ssd", card: driver.Card{Address: "0000:db:00.0"},
			want: driver.Device{
				Type: "SSD", Vendor: "1bd4", Model: "Inspur Electronic Information Industry Co., Ltd. Device",
				StdBoardInfo: `{"product_id": "1001", "controller": "Non-Volatile memory controller"}`, VendorBoardInfo: `{"vendor_info": "ssd_vb_info"}`, ControlPath: "0000:db:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:db:00.0", Driver: "INSPUR",
					Attributes: pairs("rc=CUSTOM_SSD", "trait0=CUSTOM_SSD_INSPUR", "trait1=CUSTOM_SSD_PRODUCT_ID_1001"),
					Handles:    []driver.Handle{pciHandle("db", "00", "0")},
				}},
			},
		},
		{
			name: "AI chip, without class and without the host's name", driver: "aichip", card: driver.Card{Address: "0000:0c:00.0"},
			want: driver.Device{
				Type: "AICHIP", Vendor: "19e5", StdBoardInfo: `{"device_id": "d100", "class": "Processing accelerators"}`, ControlPath: "0000:0c:00.0",
				Deployables: []driver.Deployable{{Name: "Device_0000_0c_00_0", Driver: "huawei", Handles: []driver.Handle{pciHandle("0c", "00", "0")}}},
			},
		},
		{
			name: "any PCI function of a known vendor", driver: "pci", card: driver.Card{Address: "0000:01:00.0", VendorID: "8086", ProductID: "0a54"},
			want: driver.Device{
				Type: "GPU", Vendor: "8086", Model: "0a54", StdBoardInfo: `{"product_id": "0a54", "controller": null}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:01:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:01:00.0", Driver: "INTEL",
					Attributes: pairs("rc=CUSTOM_PCI", "trait0=OWNER_CYBORG", "trait1=CUSTOM_PCI_INTEL", "trait2=CUSTOM_PCI_PRODUCT_ID_0A54"),
					Handles:    []driver.Handle{pciHandle("01", "00", "0")},
				}},
			},
		},
		{
			name: "any PCI function of an unknown vendor", driver: "pci", card: driver.Card{Address: "0000:01:00.0", VendorID: "1af4", ProductID: "0010"},
			want: driver.Device{
				Type: "GPU", Vendor: "1af4", Model: "0010", StdBoardInfo: `{"product_id": "0010", "controller": null}`, VendorBoardInfo: "miss_vb_info", ControlPath: "0000:01:00.0",
				Deployables: []driver.Deployable{{
					Name: "h1_0000:01:00.0", Driver: "1AF4",
					Attributes: pairs("rc=CUSTOM_PCI", "trait0=OWNER_CYBORG", "trait1=CUSTOM_PCI_PRODUCT_ID_0010"),
					Handles:    []driver.Handle{pciHandle("01", "00", "0")},
				}},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, cmp.Diff(test.want, describe(t, test.driver, "h1", test.card)))
		})
	}
}

func TestFakeDeviceHasSixteenHandles(t *testing.T) {
	t.Parallel()
	device := describe(t, "fake", "node.example.org", driver.Card{})
	require.Len(t, device.Deployables, 1)
	deployable := device.Deployables[0]
	assert.Equal(t, "node_example_org_FakeDevice", deployable.Name)
	assert.Equal(t, "FPGA", deployable.ResourceClass())
	assert.Equal(t, []string{"CUSTOM_FAKE_DEVICE"}, deployable.Traits())
	require.Equal(t, 16, deployable.NumAccelerators())
	for i, handle := range deployable.Handles {
		assert.Equal(t, "TEST_PCI", handle.Type)
		assert.Equal(t, pairs("domain=0000", "bus=0c", "device="+strconv.Itoa((i+1)/8), "function="+strconv.Itoa((i+1)%8)), handle.Info)
	}
}

// Both handles of a Xilinx card belong to one accelerator; a card of one
// function has one handle.
func TestXilinxFunctions(t *testing.T) {
	t.Parallel()
	two := describe(t, "xilinx_fpga", "h", driver.Card{Address: "0000:3b:00.2", UserAddress: "0000:3b:00.5"}).Deployables[0]
	assert.Equal(t, 1, two.NumAccelerators())
	assert.Equal(t, []driver.Handle{pciHandle("3b", "00", "2"), pciHandle("3b", "00", "5")}, two.Handles)
	one := describe(t, "xilinx_fpga", "h", driver.Card{Address: "0000:3b:00.2", UserAddress: "none"}).Deployables[0]
	assert.Equal(t, 1, one.NumAccelerators())
	assert.Len(t, one.Handles, 1)
}

// Cyborg cannot keep an AI chip, since its driver reports no class; ours can be
// given one.
func TestAIChipHasNoClass(t *testing.T) {
	t.Parallel()
	card := driver.Card{Address: "0000:0c:00.0"}
	err := describe(t, "aichip", "h", card).CheckReport()
	require.ErrorIs(t, err, driver.ErrNoClass)
	require.ErrorContains(t, err, "Device_0000_0c_00_0")
	card.ResourceClass = "CUSTOM_NPU"
	chip := describe(t, "aichip", "h", card)
	require.NoError(t, chip.CheckReport())
	assert.Equal(t, "CUSTOM_NPU", chip.Deployables[0].ResourceClass())
}

// Python writes everything beyond ASCII as escapes, and no blanks are lost.
func TestBoardInfoIsPythons(t *testing.T) {
	t.Parallel()
	device := describe(t, "ssd", "h", driver.Card{Address: "0000:db:00.0", Controller: `é "<&> 😀`})
	want := `{"product_id": "1001", "controller": "\u00e9 \"<&> \ud83d\ude00"}`
	assert.Equal(t, []byte(want), []byte(device.StdBoardInfo), device.StdBoardInfo)
}

func TestDescribeRefuses(t *testing.T) {
	t.Parallel()
	const at = "0000:3b:00.0"
	for _, test := range []struct {
		name, driver string
		card         driver.Card
		field        string
		want         error
	}{
		{name: "no address", driver: "fpga", field: "address", want: driver.ErrMissing},
		{name: "no pci address", driver: "pgpu", card: driver.Card{Address: "first"}, field: "address", want: driver.ErrFormat},
		{name: "function id", driver: "fpga", card: driver.Card{Address: at, FunctionID: "x-y"}, field: "function_id", want: driver.ErrFormat},
		{name: "region id", driver: "fpga", card: driver.Card{Address: at, RegionID: "a-b"}, field: "region_id", want: driver.ErrFormat},
		{name: "too many functions", driver: "fpga", card: driver.Card{Address: "0000:3b:1f.0", VFs: 8}, field: "vfs", want: driver.ErrFormat},
		{name: "more functions than a bus has", driver: "qat", card: driver.Card{Address: at, VFs: 256}, field: "vfs", want: driver.ErrFormat},
		{name: "functions below zero", driver: "fpga", card: driver.Card{Address: at, VFs: -1}, field: "vfs", want: driver.ErrFormat},
		{name: "functions counted twice", driver: "nic", card: driver.Card{Address: at, VFs: 1, VFAddresses: []string{"0000:3b:00.1"}}, field: "vfs", want: driver.ErrFormat},
		{name: "function's address", driver: "nic", card: driver.Card{Address: at, VFAddresses: []string{"0000:3b:00.1", "x"}}, field: "vf_addresses[1]", want: driver.ErrFormat},
		{name: "function twice", driver: "qat", card: driver.Card{Address: at, VFAddresses: []string{"0000:3b:00.1", "0:3b:0.1"}}, field: "vf_addresses[1]", want: driver.ErrFormat},
		{name: "card as its function", driver: "qat", card: driver.Card{Address: at, VFAddresses: []string{at}}, field: "vf_addresses[0]", want: driver.ErrFormat},
		{name: "model of an fpga", driver: "fpga", card: driver.Card{Address: at, Model: "x"}, field: "model", want: driver.ErrUnused},
		{name: "model of two lines", driver: "pgpu", card: driver.Card{Address: at, Model: "a\nb"}, field: "model", want: driver.ErrFormat},
		{name: "functions of a gpu", driver: "pgpu", card: driver.Card{Address: at, VFs: 1}, field: "vfs", want: driver.ErrUnused},
		{name: "short product id", driver: "pgpu", card: driver.Card{Address: at, ProductID: "1e"}, field: "product_id", want: driver.ErrFormat},
		{name: "vendor of a gpu", driver: "pgpu", card: driver.Card{Address: at, VendorID: "10de"}, field: "vendor_id", want: driver.ErrUnused},
		{name: "vendor id", driver: "pci", card: driver.Card{Address: at, VendorID: "0x8086"}, field: "vendor_id", want: driver.ErrFormat},
		{name: "product of no such nic", driver: "nic", card: driver.Card{Address: at, ProductID: "1593"}, field: "product_id", want: driver.ErrFormat},
		{name: "network that is no trait", driver: "nic", card: driver.Card{Address: at, PhysicalNetwork: "phys-net"}, field: "physical_network", want: driver.ErrFormat},
		{name: "function name that is no trait", driver: "nic", card: driver.Card{Address: at, FunctionName: "a b"}, field: "function_name", want: driver.ErrFormat},
		{name: "user function elsewhere", driver: "xilinx_fpga", card: driver.Card{Address: at, UserAddress: "0000:3c:00.1"}, field: "user_address", want: driver.ErrFormat},
		{name: "user function the same", driver: "xilinx_fpga", card: driver.Card{Address: at, UserAddress: at}, field: "user_address", want: driver.ErrFormat},
		{name: "user function no address", driver: "xilinx_fpga", card: driver.Card{Address: at, UserAddress: "1"}, field: "user_address", want: driver.ErrFormat},
		{name: "no user function left", driver: "xilinx_fpga", card: driver.Card{Address: "0000:3b:00.7"}, field: "address", want: driver.ErrFormat},
		{name: "type of mediated devices", driver: "vgpu", card: driver.Card{Address: at, VGPUType: "a b"}, field: "vgpu_type", want: driver.ErrFormat},
		{name: "name of one word", driver: "vgpu", card: driver.Card{Address: at, VGPUName: "T4-1B"}, field: "vgpu_name", want: driver.ErrFormat},
		{name: "no mediated devices", driver: "vgpu", card: driver.Card{Address: at, VGPUs: -1}, field: "vgpus", want: driver.ErrFormat},
		{name: "class", driver: "aichip", card: driver.Card{Address: at, ResourceClass: "npu"}, field: "resource_class", want: driver.ErrFormat},
		{name: "address of the fake device", driver: "fake", card: driver.Card{Address: "0000:0c:00.0"}, field: "address", want: driver.ErrUnused},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			kind, err := driver.Named(test.driver)
			require.NoError(t, err)
			_, err = kind.Describe("h1", test.card)
			require.ErrorIs(t, err, test.want)
			var wrong *driver.Error
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, test.field, wrong.Field)
			assert.Contains(t, err.Error(), "driver "+test.driver+": "+test.field)
		})
	}
}

func TestNamedListsTheDrivers(t *testing.T) {
	t.Parallel()
	_, err := driver.Named("gpgpu")
	require.ErrorIs(t, err, driver.ErrUnknownDriver)
	require.ErrorContains(t, err, "aichip, fake, fpga, inspur_fpga, nic, pci, pgpu, qat, ssd, vgpu, xilinx_fpga")
	_, err = driver.Kind{}.Describe("h", driver.Card{})
	assert.ErrorIs(t, err, driver.ErrUnknownDriver)
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

// An FPGA with virtual functions has its function's trait once for each of them;
// a provider has it once.
func TestTraitsComeOnce(t *testing.T) {
	t.Parallel()
	part := describe(t, "fpga", "h", driver.Card{Address: "0000:3b:00.0", VFs: 2, FunctionID: "3afb"}).Deployables[0]
	assert.Len(t, part.Attributes, 5)
	assert.Equal(t, []string{"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_FPGA_FUNCTION_ID_INTEL_3AFB"}, part.Traits())
}

func TestResourceClassOfNothing(t *testing.T) {
	t.Parallel()
	assert.Empty(t, driver.Deployable{}.ResourceClass())
}

// anyCard draws a card that its kind takes.
func anyCard(t *rapid.T) (string, driver.Card) {
	name := rapid.SampledFrom(driver.Names()).Draw(t, "kind")
	kind, err := driver.Named(name)
	require.NoError(t, err)
	var card driver.Card
	for _, key := range kind.Keys() {
		switch key {
		case "address":
			// Few, so that two fleets have the same places, often with other cards.
			card.Address = fmt.Sprintf("0000:3b:%02x.%d", rapid.IntRange(0, 1).Draw(t, "device"), rapid.IntRange(0, 1).Draw(t, "function"))
		case "vfs":
			card.VFs = rapid.IntRange(0, 4).Draw(t, key)
		case "function_id":
			card.FunctionID = rapid.SampledFrom([]string{"", "3afb", "9aef68be"}).Draw(t, key)
		case "product_id":
			if name != "nic" {
				card.ProductID = rapid.SampledFrom([]string{"", "1eb8", "5000"}).Draw(t, key)
			}
		case "physical_network":
			card.PhysicalNetwork = rapid.SampledFrom([]string{"", "net1"}).Draw(t, key)
		case "vgpus":
			card.VGPUs = rapid.IntRange(0, 5).Draw(t, key)
		case "resource_class":
			card.ResourceClass = "CUSTOM_NPU"
		}
	}
	return name, card
}

// A card is described the same each time, can be reported, has different
// handles, and the UUIDs of its providers follow from names alone.
func TestDescriptionIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, card := anyCard(t)
		device := describe(t, name, "h", card)
		require.Empty(t, cmp.Diff(device, describe(t, name, "h", card)))
		require.NoError(t, device.CheckReport())
		seen := make(map[string]bool)
		for _, part := range device.Deployables {
			assert.False(t, seen[part.Name], "deployable %s twice", part.Name)
			seen[part.Name] = true
			id := driver.ProviderUUID(part.Name)
			assert.Equal(t, id, driver.ProviderUUID(part.Name))
			assert.Equal(t, uuid.Version(3), uuid.MustParse(id).Version())
			for _, handle := range part.Handles {
				assert.False(t, seen[fmt.Sprint(handle)], "handle %v twice", handle)
				seen[fmt.Sprint(handle)] = true
			}
		}
	})
}
