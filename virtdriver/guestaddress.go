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
}

// slot is the address without its function.
func (a guestAddress) slot() pci.Address {
	a.Function = 0
	return a.Address
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
// as the domain says it.
func (d *domain) guestAddresses() ([]occupant, error) {
	var found []occupant
	for i, child := range d.children {
		element, err := d.element(i)
		if err != nil {
			return nil, err
		}
		if at, ok := ownAddress(element); ok {
			found = append(found, occupant{at, child})
		}
	}
	return found, nil
}

// ownAddress is the PCI address that the element says the guest's device has.
func ownAddress(element *etree.Element) (guestAddress, bool) {
	own := firstChild(element, "address")
	if own == nil || own.SelectAttrValue("type", "") != "pci" || own.SelectAttr("bus") == nil && own.SelectAttr("slot") == nil {
		return guestAddress{}, false
	}
	address, err := sourceAddress(own)
	return guestAddress{address, own.SelectAttrValue("multifunction", "off") == "on"}, err == nil
}
