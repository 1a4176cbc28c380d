package virtdriver

import (
	"slices"

	"github.com/beevik/etree"
	"libvirt.org/go/libvirtxml"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// guestAddress is a PCI address inside the guest.
type guestAddress struct {
	pci.Address

	multifunction bool
	// alone says that multifunction is switched off, which libvirt then leaves so.
	alone bool
}

// slot is the address without its function.
func (a guestAddress) slot() pci.Address {
	return slotOf(a.Address)
}

// parseGuestAddress reads an address that a device of a guest can have. Guests
// have one domain, and its first slot is that of the host bridge; libvirt takes
// 0000:00:00.0 for no address at all (libvirt: src/conf/domain_addr.c,
// virDomainPCIAddressValidate).
func parseGuestAddress(text string) (guestAddress, error) {
	address, err := pci.ParseAddress(text)
	switch {
	case err != nil:
		return guestAddress{}, err
	case address.Domain != 0:
		return guestAddress{}, wrap(ErrGuestAddress, "%s, guests have domain 0 only", address)
	case address.Bus == 0 && address.Device == 0:
		return guestAddress{}, wrap(ErrGuestAddress, "%s is in the slot of the host bridge", address)
	}
	return guestAddress{Address: address}, nil
}

func (a guestAddress) xml() *libvirtxml.DomainAddress {
	address := addressXML(a.Address)
	if a.multifunction {
		address.MultiFunction = "on"
	}
	return &libvirtxml.DomainAddress{PCI: address}
}

// writeGuestAddresses puts the guest addresses into the elements; function 0 of
// a slot with more of them says so.
func writeGuestAddresses(devices []device) {
	for i := range devices {
		d := &devices[i]
		hostdev, ok := d.element.(*libvirtxml.DomainHostdev)
		if !ok || d.guest == nil {
			continue
		}
		d.guest.multifunction = d.guest.Function == 0 && slices.ContainsFunc(devices, func(other device) bool {
			return other.guest != nil && other.guest.slot() == d.guest.slot() && other.guest.Function > 0
		})
		hostdev.Address = d.guest.xml()
	}
}

// occupant is a device of the domain at an address of the guest.
type occupant struct {
	guestAddress
	place
}

// guestAddresses reads where the devices of the domain are in the guest, as far
// as the domain says it. It is an error when that cannot be read.
func (d *domain) guestAddresses() ([]occupant, error) {
	var found []occupant
	for i, child := range d.children {
		element, err := d.element(i)
		if err != nil {
			return nil, err
		}
		at, ok, err := ownAddress(element)
		if err != nil {
			return nil, child.failure(wrap(ErrGuestAddress, "%w", err))
		}
		if ok {
			found = append(found, occupant{at, child})
		}
	}
	return found, nil
}

// ownAddress is the PCI address that the element says the guest's device has, if
// it says one.
func ownAddress(element *etree.Element) (at guestAddress, ok bool, err error) {
	own := firstChild(element, "address")
	if attribute(own, "type") != "pci" || attribute(own, "bus")+attribute(own, "slot") == "" {
		return guestAddress{}, false, nil
	}
	address, err := sourceAddress(own)
	several := attribute(own, "multifunction")
	return guestAddress{Address: address, multifunction: several == "on", alone: several == "off"}, err == nil, err
}
