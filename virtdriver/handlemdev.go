package virtdriver

import (
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// takesMediated are the domain types that take mediated devices: those for
// which Nova writes one, less those whose hypervisor has none.
var takesMediated = map[string]bool{"kvm": true, "qemu": true, "test": true, "parallels": true}

// modelVFIO is the kind of mediated device that a guest sees as a PCI device.
const modelVFIO = "vfio-pci"

// mdevDevice makes the hostdev of an MDEV handle, and what is needed to create
// the mediated device.
func mdevDevice(arq cyborgclient.ARQ, virtType string, options DeviceOptions) (device, error) {
	mediated, err := mediatedDevice(arq)
	if err != nil {
		return device{}, err
	}
	if !takesMediated[virtType] {
		return device{}, wrap(ErrVirtType, "%q has no mediated devices", virtType)
	}
	hostdev := libvirtxml.DomainHostdev{
		Managed: "no",
		SubsysMDev: &libvirtxml.DomainHostdevSubsysMDev{
			Model:  modelVFIO,
			Source: &libvirtxml.DomainHostdevSubsysMDevSource{Address: &libvirtxml.DomainAddressMDev{UUID: mediated.UUID}},
		},
	}
	d := device{
		arq: arq, key: hostKey{mdev: mediated.UUID}, tag: tagHostdev, element: &hostdev,
		mediated: &mediated, options: options,
	}
	return d, options.apply(&d, &hostdev)
}
