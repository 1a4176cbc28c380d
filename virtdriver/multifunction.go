package virtdriver

import (
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// WithMultifunction puts the functions of one device of the host onto one slot
// of the guest, as drivers of FPGAs and of cards with several functions expect.
// The first such device gets the first slot, such as "0000:05:00", and so on; it
// is an error when there are fewer slots than devices. The lowest function
// becomes function 0, without which the guest sees none of them. Devices with
// one function, and those whose [DeviceOptions] name an address, are left alone.
func WithMultifunction(slots ...string) ComposeOption {
	return func(c *composeConfig) error {
		c.guestSlots = []guestAddress{}
		for _, slot := range slots {
			address, err := parseGuestAddress(slot + ".0")
			if err != nil {
				return fmt.Errorf("compose domain: WithMultifunction: slot %q: %w", slot, err)
			}
			c.guestSlots = append(c.guestSlots, address)
		}
		return nil
	}
}

// groupFunctions gives guest addresses to devices of several functions.
func (c composeConfig) groupFunctions(devices []device) error {
	if c.guestSlots == nil {
		return nil
	}
	groups := functionGroups(devices)
	if len(groups) > len(c.guestSlots) {
		return &ComposeError{Err: wrap(ErrOption, "%d devices have several functions, WithMultifunction has %d slots", len(groups), len(c.guestSlots))}
	}
	for i, group := range groups {
		for function, d := range group {
			address := c.guestSlots[i]
			address.Function = uint8(function)
			d.guest = &address
		}
	}
	return nil
}

// functionGroups finds devices with several functions and sorts these.
func functionGroups(devices []device) [][]*device {
	var slots []pci.Address
	groups := make(map[pci.Address][]*device)
	for i := range devices {
		d := &devices[i]
		if d.tag != tagHostdev || d.mediated != nil || d.guest != nil {
			continue
		}
		slot := guestAddress{Address: d.key.address}.slot()
		if groups[slot] == nil {
			slots = append(slots, slot)
		}
		groups[slot] = append(groups[slot], d)
	}
	var several [][]*device
	for _, slot := range slots {
		if group := groups[slot]; len(group) > 1 {
			slices.SortFunc(group, func(a, b *device) int { return a.key.address.Compare(b.key.address) })
			several = append(several, group)
		}
	}
	return several
}
