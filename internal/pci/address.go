package pci

import (
	"cmp"
	"fmt"
)

// Address names one PCI function of a host. Its zero value is the valid
// address 0000:00:00.0.
type Address struct {
	// Domain is the PCI segment. Wider domains than 16 bits exist on hosts
	// (storage controllers with domains of their own) but cannot be assigned to
	// guests, see [ErrWideDomain].
	Domain uint16
	// Bus is the bus number, 0 to 0xff.
	Bus uint8
	// Device is the slot on the bus, 0 to 0x1f. Attach handles call it
	// "device", libvirt calls it "slot".
	Device uint8
	// Function is the function of the device, 0 to 7.
	Function uint8
}

// String gives the address zero padded and in lower case, as sysfs and
// lspci -D print it: "0000:3b:00.0".
func (a Address) String() string {
	return fmt.Sprintf("%04x:%02x:%02x.%x", a.Domain, a.Bus, a.Device, a.Function)
}

// Compare orders addresses by domain, bus, device and function. It returns a
// negative number when a comes before b, zero when they are the same function
// and a positive number otherwise.
func (a Address) Compare(b Address) int {
	return cmp.Or(
		cmp.Compare(a.Domain, b.Domain),
		cmp.Compare(a.Bus, b.Bus),
		cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.Function, b.Function),
	)
}
