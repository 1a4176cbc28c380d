package virtdriver_test

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

func TestComposeMediatedDevice(t *testing.T) {
	t.Parallel()
	arq := mdevARQ("m", strings.ToUpper(vGPU))
	arq.AttachHandle.Info["vgpu_mark"] = "vgpu_0"
	got, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{arq})
	require.NoError(t, err)
	assert.Equal(t, "<domain type='kvm'><devices ><hostdev mode='subsystem' type='mdev' model='vfio-pci' managed='no'>"+
		"<source><address uuid='"+vGPU+"'/></source></hostdev></devices></domain>", string(got.XML), "no display unless it is asked for")
	require.Len(t, got.Mediated, 1)
	m := got.Mediated[0]
	assert.Equal(t, []string{vGPU, "pci_0000_81_14_3", "nvidia-35", "vgpu_0"}, []string{m.UUID, m.Parent, m.Type, m.Mark})

	again, err := virtdriver.Compose([]byte(strings.Replace(string(got.XML), vGPU, strings.ReplaceAll(strings.ToUpper(vGPU), "-", ""), 1)), []cyborgclient.ARQ{arq})
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(again.XML), "<hostdev"), "libvirt takes a uuid in either case and without hyphens")
	assert.Len(t, again.Mediated, 1)
}

func TestMediatedDeviceXML(t *testing.T) {
	t.Parallel()
	m := virtdriver.MediatedDevice{UUID: vGPU, Parent: "pci_0000_81_14_3", Type: "i915-GVTg_'<4"}
	var node libvirtxml.NodeDevice
	require.NoError(t, xml.Unmarshal([]byte(m.XML()), &node))
	assert.Equal(t, "pci_0000_81_14_3", node.Parent)
	require.NotNil(t, node.Capability.MDev)
	assert.Equal(t, vGPU, node.Capability.MDev.UUID)
	assert.Equal(t, "i915-GVTg_'<4", node.Capability.MDev.Type.ID)
}

func TestMediatedDeviceRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		change     func(*cyborgclient.AttachHandle)
		err        error
	}{
		{"no type", "asked_type", func(h *cyborgclient.AttachHandle) { delete(h.Info, "asked_type") }, virtdriver.ErrMissingField},
		{"empty type", "asked_type is empty", func(h *cyborgclient.AttachHandle) { h.Info["asked_type"] = "" }, virtdriver.ErrBadField},
		{"no uuid", "attach_handle_uuid", func(h *cyborgclient.AttachHandle) { h.UUID = "" }, virtdriver.ErrMissingField},
		{"bad uuid", `attach_handle_uuid "x"`, func(h *cyborgclient.AttachHandle) { h.UUID = "x" }, virtdriver.ErrBadField},
		{"no parent", "bus", func(h *cyborgclient.AttachHandle) { delete(h.Info, "bus") }, virtdriver.ErrMissingField},
		{"bad parent", "parse pci function", func(h *cyborgclient.AttachHandle) { h.Info["function"] = "8" }, virtdriver.ErrBadField},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			arq := mdevARQ("m", vGPU)
			test.change(&arq.AttachHandle)
			_, err := virtdriver.Compose([]byte(emptyDomain), []cyborgclient.ARQ{arq})
			require.ErrorIs(t, err, test.err)
			require.ErrorContains(t, err, test.text)
		})
	}
	_, err := virtdriver.Compose([]byte("<domain type='xen'><devices/></domain>"), []cyborgclient.ARQ{mdevARQ("m", vGPU)})
	require.ErrorIs(t, err, virtdriver.ErrVirtType)
	_, err = virtdriver.Compose([]byte("<domain type='kvm'><devices>\n<hostdev type='mdev'><source><address uuid='x'/></source></hostdev></devices></domain>"), nil)
	require.ErrorIs(t, err, virtdriver.ErrAddress)
	require.ErrorContains(t, err, `line 2 column 1: /domain/devices/hostdev[1]: host address of a device: mediated device "x"`)
}

// A card whose mediated device one ARQ has cannot be given away as a whole.
func TestParentOfMediatedDevice(t *testing.T) {
	t.Parallel()
	for _, arqs := range [][]cyborgclient.ARQ{
		{mdevARQ("m", vGPU), pciARQ("p", "0:81:14.3")},
		{pciARQ("p", "0:81:14.3"), mdevARQ("m", vGPU)},
	} {
		_, err := virtdriver.Compose([]byte(emptyDomain), arqs)
		require.EqualError(t, err, "compose domain: ARQ p and ARQ m: same host address twice: 0000:81:14.3, one ARQ has the whole device and the other a mediated device of it")
	}
}

const nodeDevice = `<device>
  <name>pci_0000_00_02_0</name>
  <capability type='pci'>
    <class>0x030000</class>
    <capability type='virt_functions' maxCount='7'/>
    <capability type='mdev_types'>
      <type id='i915-GVTg_V5_4'><deviceAPI>vfio-pci</deviceAPI><availableInstances>0</availableInstances></type>
      <type id='nvidia-35'><name>GRID M60-0B</name><deviceAPI>vfio-pci</deviceAPI><availableInstances>16</availableInstances></type>
    </capability>
  </capability>
</device>`

// A type without a name, as some drivers have it, has an empty name.
func TestBugLogMdevTypeWithoutName(t *testing.T) {
	t.Parallel()
	types, err := virtdriver.MdevTypes([]byte(nodeDevice))
	require.NoError(t, err)
	assert.Equal(t, []virtdriver.MdevType{
		{ID: "i915-GVTg_V5_4", DeviceAPI: "vfio-pci"},
		{ID: "nvidia-35", Name: "GRID M60-0B", DeviceAPI: "vfio-pci", Available: 16},
	}, types)

	m := virtdriver.MediatedDevice{UUID: vGPU, Parent: "pci_0000_00_02_0", Type: "nvidia-35"}
	require.NoError(t, m.CheckParent(types))
	m.Type = "i915-GVTg_V5_4"
	require.EqualError(t, m.CheckParent(types), "create mediated device "+vGPU+`: pci_0000_00_02_0 has no free device of type "i915-GVTg_V5_4"`)
	m.Type = "nvidia-36"
	require.ErrorContains(t, m.CheckParent(types), `pci_0000_00_02_0 offers no type "nvidia-36"`)

	types[1].DeviceAPI = "vfio-ap"
	m.Type = "nvidia-35"
	require.EqualError(t, m.CheckParent(types), "create mediated device "+vGPU+`: type "nvidia-35" of pci_0000_00_02_0 has the device API "vfio-ap", want vfio-pci`)

	none, err := virtdriver.MdevTypes([]byte("<device><name>computer</name><capability type='system'/></device>"))
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = virtdriver.MdevTypes([]byte("<device>"))
	require.ErrorContains(t, err, "read node device: ")
}

func FuzzMdevTypes(f *testing.F) {
	f.Add([]byte(nodeDevice))
	f.Add([]byte("<device><capability type='pci'><capability type='mdev_types'><type/></capability></capability></device>"))
	f.Add([]byte("<!DOCTYPE d [<!ENTITY a 'b'>]><device>&a;</device>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		types, err := virtdriver.MdevTypes(text)
		if err != nil {
			require.Empty(t, types)
		}
		for _, mdev := range types {
			require.GreaterOrEqual(t, mdev.Available, 0)
			require.LessOrEqual(t, len(mdev.ID)+len(mdev.Name), len(text))
		}
	})
}
