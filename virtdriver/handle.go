package virtdriver

import (
	"bytes"
	"encoding/xml"

	"github.com/beevik/etree"
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// managedByType says whether libvirt unbinds the device from its host driver
// (nova/virt/libvirt/driver.py, _set_managed_mode). Domain types that are not
// listed cannot take PCI devices of the host. test is libvirt's mock driver.
var managedByType = map[string]string{
	"kvm":       "yes",
	"qemu":      "yes",
	"xen":       "yes",
	"test":      "yes",
	"parallels": "no",
}

// device is one ARQ's device for the guest.
type device struct {
	arq     cyborgclient.ARQ
	address pci.Address
	hostdev libvirtxml.DomainHostdev
	element *etree.Element // the hostdev as a tree
}

// devices decides for each ARQ: a device, skipped, or an error.
func (c composeConfig) devices(arqs []cyborgclient.ARQ, virtType string) (made []device, skipped []cyborgclient.ARQ, err error) {
	for _, arq := range arqs {
		d, err := c.device(arq, virtType)
		switch {
		case err != nil:
			return nil, nil, &ComposeError{ARQs: []string{arq.UUID}, Err: err}
		case d == nil:
			skipped = append(skipped, arq)
		default:
			made = append(made, *d)
		}
	}
	return made, skipped, writeElements(made)
}

// device gives nil for an ARQ that a policy skips.
func (c composeConfig) device(arq cyborgclient.ARQ, virtType string) (*device, error) {
	switch arq.AttachHandle.Type {
	case cyborgclient.HandlePCI:
		return pciDevice(arq, virtType)
	case cyborgclient.HandleTestPCI:
		return nil, c.testPCI.refuse(arq.AttachHandle.Type)
	case "":
		return nil, wrap(ErrNoHandle, "the ARQ is in state %q, wait until it is %s", arq.State, cyborgclient.StateBound)
	default:
		return nil, c.unknown.refuse(arq.AttachHandle.Type)
	}
}

func (p Policy) refuse(t cyborgclient.HandleType) error {
	if p == Skip {
		return nil
	}
	return wrap(ErrHandleType, "%q gives no device", t)
}

func pciDevice(arq cyborgclient.ARQ, virtType string) (*device, error) {
	address, err := handleAddress(arq.AttachHandle.Info)
	if err != nil {
		return nil, err
	}
	managed, ok := managedByType[virtType]
	if !ok {
		return nil, wrap(ErrVirtType, "%q", virtType)
	}
	return &device{arq: arq, address: address, hostdev: pciHostdev(address, managed)}, nil
}

// handleAddress reads the four fields of a PCI handle, which Cyborg gives as
// texts.
func handleAddress(info map[string]any) (pci.Address, error) {
	var fields [4]string
	for i, name := range []string{"domain", "bus", "device", "function"} {
		value, ok := info[name]
		if !ok {
			return pci.Address{}, wrap(ErrMissingField, "%s", name)
		}
		if fields[i], ok = value.(string); !ok {
			return pci.Address{}, wrap(ErrBadField, "%s must be text, not %T", name, value)
		}
	}
	address, err := pci.Parse(fields[0], fields[1], fields[2], fields[3])
	if err != nil {
		return pci.Address{}, wrap(ErrBadField, "%w", err)
	}
	return address, nil
}

func pciHostdev(a pci.Address, managed string) libvirtxml.DomainHostdev {
	domain, bus, slot, function := uint(a.Domain), uint(a.Bus), uint(a.Device), uint(a.Function)
	return libvirtxml.DomainHostdev{
		Managed: managed,
		SubsysPCI: &libvirtxml.DomainHostdevSubsysPCI{
			Source: &libvirtxml.DomainHostdevSubsysPCISource{
				Address: &libvirtxml.DomainAddressPCI{Domain: &domain, Bus: &bus, Slot: &slot, Function: &function},
			},
		},
	}
}

// writeElements lets libvirtxml write the devices and reads them as trees, all
// at once because each writing and each reading has its price.
func writeElements(devices []device) error {
	text := bytes.NewBufferString("<devices>")
	encoder := xml.NewEncoder(text)
	for i := range devices {
		if err := encoder.Encode(&devices[i].hostdev); err != nil {
			return &ComposeError{ARQs: []string{devices[i].arq.UUID}, Err: wrap(ErrBadField, "%w", err)}
		}
	}
	text.WriteString("</devices>")
	list, err := readElement(text.Bytes())
	if err != nil {
		return &ComposeError{Err: err}
	}
	for i, element := range list.ChildElements() {
		devices[i].element = element
	}
	return nil
}
