package virtdriver

import (
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// pciDevice makes the hostdev of a PCI handle.
func pciDevice(arq cyborgclient.ARQ, virtType string, options DeviceOptions) (device, error) {
	address, err := handleAddress(arq.AttachHandle.Info)
	if err != nil {
		return device{}, err
	}
	return pciFunction(arq, address, virtType, options)
}

// pciFunction makes the hostdev of one PCI function.
func pciFunction(arq cyborgclient.ARQ, address pci.Address, virtType string, options DeviceOptions) (device, error) {
	managed, ok := managedByType[virtType]
	if !ok {
		return device{}, wrap(ErrVirtType, "%q", virtType)
	}
	hostdev := libvirtxml.DomainHostdev{
		Managed:   managed,
		SubsysPCI: &libvirtxml.DomainHostdevSubsysPCI{Source: &libvirtxml.DomainHostdevSubsysPCISource{Address: addressXML(address)}},
	}
	d := device{arq: arq, key: hostKey{address: address}, tag: tagHostdev, element: &hostdev, options: options}
	return d, options.apply(&d, &hostdev)
}

func addressXML(a pci.Address) *libvirtxml.DomainAddressPCI {
	return &libvirtxml.DomainAddressPCI{
		Domain: new(uint(a.Domain)), Bus: new(uint(a.Bus)), Slot: new(uint(a.Device)), Function: new(uint(a.Function)),
	}
}
