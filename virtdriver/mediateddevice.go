package virtdriver

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// MediatedDevice is a mediated device (vGPU) that an ARQ of type MDEV asks for.
// It must exist on the host before the guest starts
// (nova/virt/libvirt/driver.py, _create_mdev).
type MediatedDevice struct {
	// UUID is the device's uuid, that of the attach handle, in lower case.
	UUID string
	// Parent is libvirt's name of the node device that carries it:
	// pci_0000_81_14_3. Nova 2026.2 joins the fields of the handle as they are,
	// which names no device when they are not padded.
	Parent string
	// Type is the kind of device (asked_type of the handle), such as nvidia-35.
	Type string
	// Mark is the handle's vgpu_mark, by which Cyborg tells the devices of one
	// parent apart; it can be empty.
	Mark string

	address pci.Address
}

// XML is the node device for virNodeDeviceDefineXML (virsh nodedev-define),
// which keeps it over restarts of the host, and for virNodeDeviceCreateXML.
func (m MediatedDevice) XML() string {
	var kind bytes.Buffer
	_ = xml.EscapeText(&kind, []byte(m.Type)) // writing into memory cannot fail
	return fmt.Sprintf(`<device>
  <parent>%s</parent>
  <capability type='mdev'>
    <type id='%s'/>
    <uuid>%s</uuid>
  </capability>
</device>
`, m.Parent, &kind, m.UUID)
}

// mediatedDevice reads an MDEV handle.
func mediatedDevice(arq cyborgclient.ARQ) (MediatedDevice, error) {
	handle := arq.AttachHandle
	address, err := handleAddress(handle.Info)
	if err != nil {
		return MediatedDevice{}, err
	}
	kind, err := handleText(handle.Info, "asked_type")
	switch {
	case err != nil:
		return MediatedDevice{}, err
	case kind == "":
		return MediatedDevice{}, wrap(ErrBadField, "asked_type is empty")
	case handle.UUID == "":
		return MediatedDevice{}, wrap(ErrMissingField, "attach_handle_uuid, which is the uuid of the mediated device")
	}
	id, err := canonicalUUID(handle.UUID)
	if err != nil {
		return MediatedDevice{}, wrap(ErrBadField, "attach_handle_uuid %q: %w", handle.UUID, err)
	}
	mark, _ := handle.Info["vgpu_mark"].(string)
	if !isPrintable(mark) {
		return MediatedDevice{}, wrap(ErrBadField, "vgpu_mark %q has control characters", mark)
	}
	return MediatedDevice{UUID: id, Parent: nodeDeviceName(address), Type: kind, Mark: mark, address: address}, nil
}

// nodeDeviceName is how libvirt calls a PCI function of the host
// (libvirt: src/node_device/node_device_udev.c, udevGenerateDeviceName).
func nodeDeviceName(a pci.Address) string {
	return fmt.Sprintf("pci_%04x_%02x_%02x_%x", a.Domain, a.Bus, a.Device, a.Function)
}
