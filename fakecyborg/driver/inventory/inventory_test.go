package inventory_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
)

func parse(t testing.TB, text string) []inventory.Function {
	t.Helper()
	functions, err := inventory.ParseLspci("lspci.txt", strings.NewReader(text))
	require.NoError(t, err)
	return functions
}

func cards(t testing.TB, functions []inventory.Function, rules inventory.Rules) inventory.Inventory {
	t.Helper()
	found, err := inventory.Cards(functions, rules)
	require.NoError(t, err)
	return found
}

func TestParseLspci(t *testing.T) {
	t.Parallel()
	gpu := inventory.Function{Line: 1, Address: "0000:af:00.0", Class: "0302", ClassName: "3D controller", Vendor: "10de", Product: "1eb8", Model: "NVIDIA Corporation TU104GL [Tesla T4]"}
	driven := gpu
	driven.KernelDriver = "vfio-pci"
	for _, test := range []struct {
		name, text string
		want       []inventory.Function
	}{
		{name: "nothing"},
		{name: "comments", text: "# a\n\n  \n"},
		{name: "-Dnn", text: "0000:af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)\n", want: []inventory.Function{gpu}},
		{name: "-nn", text: "af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8]\n", want: []inventory.Function{gpu}},
		{name: "ends of Windows, capitals, -v", text: "0000:AF:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10DE:1EB8] (rev a1) (prog-if 00 [VGA controller])\r\n", want: []inventory.Function{gpu}},
		{
			name: "-Dnnk",
			text: "0000:af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)\n" +
				"\tSubsystem: NVIDIA Corporation Device [10de:12a2]\n\tKernel driver in use: vfio-pci\n\tKernel modules: nouveau\n",
			want: []inventory.Function{driven},
		},
		{
			name: "-Dvmmnnk",
			text: "Slot:\t0000:af:00.0\nClass:\t3D controller [0302]\nVendor:\tNVIDIA Corporation [10de]\nDevice:\tTU104GL [Tesla T4] [1eb8]\nSVendor:\tNVIDIA Corporation [10de]\n" +
				"SDevice:\tDevice [12a2]\nRev:\ta1\nDriver:\tvfio-pci\nModule:\tnouveau\nModule:\tnvidiafb\nNUMANode:\t1\nIOMMUGroup:\t80\n\n",
			want: []inventory.Function{driven},
		},
		{
			name: "-Dn, and two blocks in a row of which the last has no end",
			text: "0000:af:00.0 0302: 10de:1eb8 (rev a1)\n\nSlot:\t0000:00:00.0\nClass:\t0600\nVendor:\t8086\nDevice:\t1237\n\nSlot:\t0000:00:01.0\nClass:\t0601\nVendor:\t8086\nDevice:\t7000",
			want: []inventory.Function{
				{Line: 1, Address: "0000:af:00.0", Class: "0302", Vendor: "10de", Product: "1eb8"},
				{Line: 3, Address: "0000:00:00.0", Class: "0600", Vendor: "8086", Product: "1237"},
				{Line: 8, Address: "0000:00:01.0", Class: "0601", Vendor: "8086", Product: "7000"},
			},
		},
		{
			name: "groups, drivers, wide domains, no ids",
			text: "15 0000:5d:00.0 0302 10de:2335 nvidia\n10001:80:05.0 0604\n",
			want: []inventory.Function{
				{Line: 1, Address: "0000:5d:00.0", Class: "0302", Vendor: "10de", Product: "2335", KernelDriver: "nvidia"},
				{Line: 2, Address: "10001:80:05.0", Class: "0604"},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, cmp.Diff(test.want, parse(t, test.text)))
		})
	}
}

// All bad lines are told, each with its number; details below them are not.
func TestParseLspciRefuses(t *testing.T) {
	t.Parallel()
	const good = "0000:af:00.0 0302: 10de:1eb8\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{name: "words", text: "hello\n" + good + "\tKernel driver in use: x\n0000:af:00.8 0302: 10de:1eb8\n", want: []string{`l:1: "hello": not a line`, `l:4: "0000:af:00.8 0302: 10de:1eb8": not a line`}},
		{name: "detail of nothing", text: "\tKernel driver in use: x\n", want: []string{`l:1: "\tKernel driver in use: x": not a line`}},
		{name: "details of a bad line", text: "hello\n\tKernel driver in use: x\n", want: []string{`l:1: "hello"`}},
		{name: "detail after an empty line", text: good + "\n\tKernel driver in use: x\n", want: []string{`l:3: `}},
		{name: "twice", text: good + "af:00.0 0302: 10de:1eb8\n\tKernel driver in use: x\n", want: []string{`l:2: "af:00.0 0302: 10de:1eb8": the address is there twice, first in line 1`}},
		{name: "long", text: strings.Repeat("ä", 200) + "\n", want: []string{`l:1: "` + strings.Repeat("ä", 80) + `…": not a line`}},
		{name: "endless", text: good + strings.Repeat("a", 1<<17), want: []string{"read l after line 1: "}},
		{name: "block without a class", text: "Slot:\t0000:af:00.0\nVendor:\t8086\nDevice:\t1237\n\n", want: []string{`l:1: "0000:af:00.0": not a line of this kind of listing: the block has no Class`}},
		{name: "block with a bad id", text: "Slot:\t0000:af:00.0\nClass:\tBridge\nVendor:\tx\n\n" + good, want: []string{`l:2: "Class:\tBridge": not a line`}},
		{name: "block with a key twice", text: "Slot:\t0000:af:00.0\nSlot:\t0000:af:00.0\n", want: []string{`l:2: "Slot:\t0000:af:00.0"`}},
		{name: "block with a bad slot", text: "Slot:\tx\n", want: []string{`l:1: "Slot:\tx"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := inventory.ParseLspci("l", strings.NewReader(test.text))
			require.Error(t, err)
			lines := strings.Split(err.Error(), "\n")
			require.Len(t, lines, len(test.want), "%v", err)
			for i, want := range test.want {
				assert.True(t, strings.HasPrefix(lines[i], want), lines[i])
			}
		})
	}
}

// fleet is lspci of a machine that has one of each.
const fleet = `0000:00:00.0 Host bridge [0600]: Intel Corporation Sky Lake-E DMI3 Registers [8086:2020] (rev 07)
0000:05:00.0 Ethernet controller [0200]: Intel Corporation Ethernet Controller XXV710 for 25GbE SFP28 [8086:158b] (rev 02)
0000:05:00.1 Ethernet controller [0200]: Intel Corporation Ethernet Controller XXV710 for 25GbE SFP28 [8086:158b] (rev 02)
0000:05:02.0 Ethernet controller [0200]: Intel Corporation Ethernet Virtual Function 700 Series [8086:154c] (rev 02)
0000:0c:00.0 Processing accelerators [1200]: Device [19e5:d100] (rev 20)
0000:3b:00.0 Processing accelerators [1200]: Xilinx Corporation Device [10ee:5000]
0000:3b:00.1 Processing accelerators [1200]: Xilinx Corporation Device [10ee:5001]
0000:3d:00.0 Co-processor [0b40]: Intel Corporation C62x Chipset QuickAssist Technology [8086:37c8] (rev 04)
0000:3d:01.0 Co-processor [0b40]: Intel Corporation Device [8086:37c9] (rev 04)
0000:3d:01.1 Co-processor [0b40]: Intel Corporation Device [8086:37c9] (rev 04)
0000:5e:00.0 Processing accelerators [1200]: Intel Corporation Device [8086:09c4]
0000:86:00.0 Processing accelerators [1200]: Inspur Electronic Information Industry Co., Ltd. Device [1bd4:a115] (rev 04)
0000:af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)
0000:af:00.1 Audio device [0403]: NVIDIA Corporation TU104 HD Audio Controller [10de:10f8] (rev a1)
0000:db:00.0 Non-Volatile memory controller [0108]: Inspur Electronic Information Industry Co., Ltd. Device [1bd4:1001] (rev 02)
10001:80:05.0 PCI bridge [0604]: Intel Corporation Sky Lake-E PCI Express Root Port [8086:2030] (rev 07)
`

func TestCards(t *testing.T) {
	t.Parallel()
	found := cards(t, parse(t, fleet), inventory.Rules{Passthrough: []inventory.Passthrough{{Vendor: "8086", Product: "2020"}}})
	want := []inventory.Card{
		{Driver: "pci", Card: driver.Card{Address: "0000:00:00.0", VendorID: "8086", ProductID: "2020"}, Functions: []string{"0000:00:00.0"}},
		{Driver: "nic", Card: driver.Card{Address: "0000:05:00.0", ProductID: "158b"}, Functions: []string{"0000:05:00.0"}},
		{Driver: "nic", Card: driver.Card{Address: "0000:05:00.1", ProductID: "158b"}, Functions: []string{"0000:05:00.1"}},
		{Driver: "aichip", Card: driver.Card{Address: "0000:0c:00.0", Model: "Device", Controller: "Processing accelerators"}, Functions: []string{"0000:0c:00.0"}},
		{Driver: "xilinx_fpga", Card: driver.Card{Address: "0000:3b:00.0", ProductID: "5000", Model: "Xilinx Corporation Device", Controller: "Processing accelerators", UserAddress: "0000:3b:00.1"}, Functions: []string{"0000:3b:00.0", "0000:3b:00.1"}},
		{Driver: "qat", Card: driver.Card{Address: "0000:3d:00.0", VFAddresses: []string{"0000:3d:01.0", "0000:3d:01.1"}}, Functions: []string{"0000:3d:00.0", "0000:3d:01.0", "0000:3d:01.1"}},
		{Driver: "fpga", Card: driver.Card{Address: "0000:5e:00.0"}, Functions: []string{"0000:5e:00.0"}},
		{Driver: "inspur_fpga", Card: driver.Card{Address: "0000:86:00.0", ProductID: "a115", Model: "Inspur Electronic Information Industry Co., Ltd. Device", Controller: "Processing accelerators"}, Functions: []string{"0000:86:00.0"}},
		{Driver: "pgpu", Card: driver.Card{Address: "0000:af:00.0", ProductID: "1eb8", Model: "NVIDIA Corporation TU104GL [Tesla T4]", Controller: "3D controller"}, Functions: []string{"0000:af:00.0"}},
		{Driver: "ssd", Card: driver.Card{Address: "0000:db:00.0", ProductID: "1001", Model: "Inspur Electronic Information Industry Co., Ltd. Device", Controller: "Non-Volatile memory controller"}, Functions: []string{"0000:db:00.0"}},
	}
	assert.Empty(t, cmp.Diff(want, found.Cards))
	reasons := make(map[string]string)
	for _, ignored := range found.Ignored {
		reasons[ignored.Function.Address] = ignored.Reason
	}
	assert.Equal(t, map[string]string{
		"0000:05:02.0":  "a virtual function of a NIC; which one, sysfs knows",
		"0000:af:00.1":  "no driver takes 10de:10f8 of class 0403",
		"10001:80:05.0": "a PCI domain of more than 16 bits, which no guest can be given",
	}, reasons)
}

// lspci names the model and the class of a card just as the driver does.
func TestCardsAreDescribedAsLspciNamesThem(t *testing.T) {
	t.Parallel()
	kind, err := driver.Named("pgpu")
	require.NoError(t, err)
	found := cards(t, parse(t, "0000:01:00.0 VGA compatible controller [0300]: NVIDIA Corporation TU116 [GeForce GTX 1660] [10de:2184] (rev a1)\n"), inventory.Rules{})
	device, err := kind.Describe("h", found.Cards[0].Card)
	require.NoError(t, err)
	assert.Equal(t, "NVIDIA Corporation TU116 [GeForce GTX 1660]", device.Model)
	assert.JSONEq(t, `{"product_id": "2184", "controller": "VGA compatible controller"}`, device.StdBoardInfo)
}

func TestCardsOddities(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		functions []inventory.Function
		rules     inventory.Rules
		reason    string
	}{
		{name: "no ids", functions: []inventory.Function{{Address: "0000:01:00.0", Class: "0302"}}, reason: "no vendor and device id"},
		{name: "no address", functions: []inventory.Function{{Address: "x", Vendor: "10de", Product: "1eb8"}}, reason: "address"},
		{name: "virtual GPU left out", functions: []inventory.Function{{Address: "0000:01:00.4", Class: "0302", Vendor: "10de", Product: "20f1", Parent: "0000:01:00.0"}}, rules: inventory.Rules{SkipGPUFunctions: true}, reason: "a virtual function of a GPU"},
		{name: "type of mediated devices not there", functions: []inventory.Function{{Address: "0000:01:00.0", Class: "0302", Vendor: "10de", Product: "1eb8"}}, rules: inventory.Rules{VGPU: map[string]string{"0000:01:00.0": "nvidia-1"}}, reason: "sysfs shows no mediated devices of type nvidia-1"},
		{name: "type of mediated devices with an odd name", functions: []inventory.Function{{Address: "0000:01:00.0", Class: "0302", Vendor: "10de", Product: "1eb8", MediatedTypes: []inventory.MediatedType{{Type: "a", Name: "b", Instances: 1}}}}, rules: inventory.Rules{VGPU: map[string]string{"0000:01:00.0": "a"}}, reason: "driver vgpu: vgpu_name"},
		{name: "same twice", functions: []inventory.Function{{Address: "0000:01:00.0", Class: "0302", Vendor: "10de", Product: "1eb8"}, {Address: "0000:01:00.0", Class: "0302", Vendor: "10de", Product: "1eb8"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := cards(t, test.functions, test.rules)
			if test.reason == "" {
				assert.Len(t, found.Cards, 1)
				return
			}
			assert.Empty(t, found.Cards)
			require.Len(t, found.Ignored, 1)
			assert.Contains(t, found.Ignored[0].Reason, test.reason)
		})
	}
	whole := cards(t, []inventory.Function{{Address: "0000:01:00.4", Class: "0302", Vendor: "10de", Product: "20f1", Parent: "0000:01:00.0"}}, inventory.Rules{})
	assert.Equal(t, "pgpu", whole.Cards[0].Driver, "a virtual GPU counts as a whole one")
}

// Of more than two functions of a Xilinx card the driver keeps the first and
// the last.
func TestXilinxWithThreeFunctions(t *testing.T) {
	t.Parallel()
	found := cards(t, parse(t, "0000:3b:00.0 1200: 10ee:5000\n0000:3b:00.1 1200: 10ee:5001\n0000:3b:00.2 1200: 10ee:5002\n0000:3c:00.0 1200: 10ee:5000\n"), inventory.Rules{})
	require.Len(t, found.Cards, 2)
	assert.Equal(t, "0000:3b:00.2", found.Cards[0].Card.UserAddress)
	assert.Equal(t, "none", found.Cards[1].Card.UserAddress)
	require.Len(t, found.Ignored, 1)
	assert.Equal(t, "0000:3b:00.1", found.Ignored[0].Function.Address)
}

func TestRulesAreChecked(t *testing.T) {
	t.Parallel()
	_, err := inventory.Cards(nil, inventory.Rules{Passthrough: []inventory.Passthrough{{}}})
	require.ErrorContains(t, err, "takes nothing")
	_, err = inventory.Cards(nil, inventory.Rules{VGPU: map[string]string{"0000:01:00.0": "nvidia-1"}})
	assert.ErrorContains(t, err, "no function 0000:01:00.0")
}

// machine is what sysfs shows of a NIC with two virtual functions, of which one
// is passed through, a shared GPU and an FPGA. Links are given by their targets.
var machine = map[string]string{
	"0000:05:00.0/vendor": "0x8086\n", "0000:05:00.0/device": "0x158b\n", "0000:05:00.0/class": "0x020000\n",
	"0000:05:00.0/driver": "../../../../bus/pci/drivers/i40e", "0000:05:00.0/net/ens1f0/mtu": "1500\n",
	"0000:05:00.0/virtfn0": "../0000:05:02.0", "0000:05:00.0/virtfn1": "../0000:05:02.1",
	"0000:05:02.0/vendor": "0x8086\n", "0000:05:02.0/device": "0x154c\n", "0000:05:02.0/class": "0x020000\n", "0000:05:02.0/physfn": "../0000:05:00.0",
	"0000:05:02.1/vendor": "0x8086\n", "0000:05:02.1/device": "0x154c\n", "0000:05:02.1/class": "0x020000\n", "0000:05:02.1/physfn": "../0000:05:00.0",
	"0000:af:00.0/vendor": "0x10de\n", "0000:af:00.0/device": "0x1eb8\n", "0000:af:00.0/class": "0x030200\n",
	"0000:af:00.0/mdev_supported_types/nvidia-222/name":                       "GRID T4-1B\n",
	"0000:af:00.0/mdev_supported_types/nvidia-222/available_instances":        "15\n",
	"0000:af:00.0/mdev_supported_types/nvidia-222/devices/4b20d080/mdev_type": "x\n",
	"0000:5e:00.0/vendor": "0x8086\n", "0000:5e:00.0/device": "0x09c4\n", "0000:5e:00.0/class": "0x120000\n", "0000:5e:00.0/uevent": "DRIVER=intel-fpga-pci\nPCI_CLASS=120000\n",
	"0000:5e:00.0/fpga/intel-fpga-dev.0/intel-fpga-port.0/afu_id":         "9aeffe5f84570612c000c9660d824272\n",
	"0000:5e:00.0/fpga/intel-fpga-dev.0/intel-fpga-fme.0/pr/interface_id": "69528db6eb31577a8c3668f9faa081f6\n",
}

func isLink(target string) bool { return strings.HasPrefix(target, "../") }

func checkMachine(t *testing.T, functions []inventory.Function) {
	t.Helper()
	require.Len(t, functions, 5)
	assert.Equal(t, "i40e", functions[0].KernelDriver)
	assert.Equal(t, "intel-fpga-pci", functions[3].KernelDriver)
	found := cards(t, functions, inventory.Rules{
		VGPU:             map[string]string{"0000:af:00.0": "nvidia-222"},
		PhysicalNetworks: map[string]string{"ens1f0": "physnet1"},
		FunctionNames:    map[string]string{"ens1f0": "gtp"},
		Passthrough:      []inventory.Passthrough{{Address: "0000:05:02.1"}},
	})
	want := []inventory.Card{
		{Driver: "nic", Card: driver.Card{Address: "0000:05:00.0", ProductID: "158b", VFAddresses: []string{"0000:05:02.0"}, PhysicalNetwork: "physnet1", FunctionName: "gtp"}, Functions: []string{"0000:05:00.0", "0000:05:02.0"}},
		{Driver: "pci", Card: driver.Card{Address: "0000:05:02.1", VendorID: "8086", ProductID: "154c"}, Functions: []string{"0000:05:02.1"}},
		{Driver: "fpga", Card: driver.Card{Address: "0000:5e:00.0", FunctionID: "9aeffe5f84570612c000c9660d824272", RegionID: "69528db6eb31577a8c3668f9faa081f6"}, Functions: []string{"0000:5e:00.0"}},
		{Driver: "vgpu", Card: driver.Card{Address: "0000:af:00.0", ProductID: "1eb8", VGPUType: "nvidia-222", VGPUName: "GRID T4-1B", VGPUs: 16}, Functions: []string{"0000:af:00.0"}},
	}
	assert.Empty(t, cmp.Diff(want, found.Cards))
	assert.Empty(t, found.Ignored)
}

func TestReadSysfs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range machine {
		full := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		if isLink(content) {
			require.NoError(t, os.Symlink(content, full))
			continue
		}
		require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes"), 0o755))
	functions, err := inventory.OpenSysfs(dir)
	require.NoError(t, err)
	checkMachine(t, functions)
}

// A copy that has followed links has directories in their place.
func TestReadSysfsWithFollowedLinks(t *testing.T) {
	t.Parallel()
	files := make(fstest.MapFS)
	for name, content := range machine {
		if isLink(content) {
			target := content[strings.LastIndexByte(content, '/')+1:]
			if strings.HasSuffix(name, "/driver") {
				files[strings.TrimSuffix(name, "driver")+"uevent"] = &fstest.MapFile{Data: []byte("DRIVER=" + target + "\n")}
				continue
			}
			name, content = name+"/uevent", "PCI_CLASS=20000\nPCI_SLOT_NAME="+target+"\n"
		}
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	functions, err := inventory.ReadSysfs(files)
	require.NoError(t, err)
	checkMachine(t, functions)
}

func TestParseListing(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("# a machine\n\n")
	for name, content := range machine {
		switch {
		case isLink(content):
			text.WriteString("/sys/bus/pci/devices/" + name + " -> " + content + "\n")
		case strings.Contains(name, "/net/"):
			text.WriteString("/sys/bus/pci/devices/" + filepath.Dir(name) + "\n")
		case strings.Contains(name, "/devices/"):
			text.WriteString("devices/" + filepath.Dir(name) + "\n")
		default:
			for line := range strings.Lines(content) {
				text.WriteString("/sys/bus/pci/devices/" + name + ":" + line)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "listing.txt")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	functions, err := inventory.OpenSysfs(path)
	require.NoError(t, err)
	checkMachine(t, functions)
}

func TestSysfsRefuses(t *testing.T) {
	t.Parallel()
	_, err := inventory.ReadSysfs(fstest.MapFS{"0000:af:00.0/vendor": {Data: []byte("0x10de")}})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "0000:af:00.0: device")
	_, err = inventory.ParseListing("l", strings.NewReader("hello\n\n/sys/bus/pci/devices/0000:af:00.0/vendor:0x10de\n"))
	require.ErrorContains(t, err, `l:1: "hello"`)
	require.ErrorContains(t, err, `l:3: "0000:af:00.0": not a line of this kind of listing: the function needs vendor, device and class`)
	_, err = inventory.OpenSysfs(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = inventory.OpenLspci(filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// The hosts of others: every line is read, and each function is in a card or
// has a reason.
func TestRealMachines(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../shared/real-inputs/lspci/*.txt")
	require.NoError(t, err)
	if len(files) == 0 {
		if os.Getenv("NOVACYBORG_PEERS") == "required" {
			t.Fatal("no listings of real machines beside the repository, but peers are required")
		}
		t.Skip("no listings of real machines beside the repository")
	}
	taken, wide := make(map[string]int), make(map[string]int)
	for _, file := range files {
		functions, err := inventory.OpenLspci(file)
		require.NoError(t, err)
		require.NotEmpty(t, functions, file)
		found := cards(t, functions, inventory.Rules{})
		count := len(found.Ignored)
		for _, ignored := range found.Ignored {
			if len(ignored.Function.Address) > len("0000:00:00.0") {
				wide[filepath.Base(file)]++
			}
		}
		for _, card := range found.Cards {
			taken[filepath.Base(file)+" "+card.Driver]++
			count += len(card.Functions)
		}
		assert.Len(t, functions, count, file)
	}
	assert.Equal(t, map[string]int{"01-h200-nvswitch.txt pgpu": 8, "02-gpu-four-functions.txt pgpu": 1}, taken, "no cards elsewhere")
	assert.Equal(t, map[string]int{"03-vmd-wide-domains.txt": 9, "05-six-digit-domain.txt": 1}, wide)
}
