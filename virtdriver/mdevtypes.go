package virtdriver

import (
	"encoding/xml"
	"fmt"
	"slices"

	"libvirt.org/go/libvirtxml"
)

// MdevType is a kind of mediated device that a node device of the host offers.
type MdevType struct {
	// ID is what an attach handle has as asked_type.
	ID string
	// Name is for people; many drivers give none.
	Name string
	// DeviceAPI is vfio-pci for devices that Compose can use.
	DeviceAPI string
	// Available is how many more can be created.
	Available int
}

// MdevTypes reads the kinds of mediated devices from the XML of a node device
// (virsh nodedev-dumpxml); there are none when it offers none
// (nova/virt/libvirt/config.py, LibvirtConfigNodeDeviceMdevInformation, which
// also has to do without names).
func MdevTypes(nodeDeviceXML []byte) ([]MdevType, error) {
	var node libvirtxml.NodeDevice
	if err := xml.Unmarshal(nodeDeviceXML, &node); err != nil {
		return nil, fmt.Errorf("read node device: %w", err)
	}
	if node.Capability.PCI == nil {
		return nil, nil
	}
	var types []MdevType
	for _, capability := range node.Capability.PCI.Capabilities {
		if capability.MDevTypes == nil {
			continue
		}
		for _, t := range capability.MDevTypes.Types {
			types = append(types, MdevType{ID: t.ID, Name: t.Name, DeviceAPI: t.DeviceAPI, Available: int(t.AvailableInstances)})
		}
	}
	return types, nil
}

// CheckParent says why a parent with these types cannot carry the device; nil when
// it can. libvirt finds out only when it creates the device.
func (m MediatedDevice) CheckParent(types []MdevType) error {
	at := slices.IndexFunc(types, func(t MdevType) bool { return t.ID == m.Type })
	switch {
	case at < 0:
		return fmt.Errorf("create mediated device %s: %s offers no type %q", m.UUID, m.Parent, m.Type)
	case types[at].DeviceAPI != modelVFIO:
		return fmt.Errorf("create mediated device %s: type %q of %s has the device API %q, want %s", m.UUID, m.Type, m.Parent, types[at].DeviceAPI, modelVFIO)
	case types[at].Available < 1:
		return fmt.Errorf("create mediated device %s: %s has no free device of type %q", m.UUID, m.Parent, m.Type)
	}
	return nil
}
