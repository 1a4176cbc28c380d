package driver

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// virtualFunctions are the card's, none when SR-IOV is off.
func (k Kind) virtualFunctions(card Card, at pci.Address) ([]pci.Address, error) {
	if len(card.VFAddresses) == 0 {
		return k.followingFunctions(at, card.VFs)
	}
	if card.VFs != 0 {
		return nil, k.wrong("vfs", strconv.Itoa(card.VFs), fmt.Errorf("%w: vf_addresses counts them already, leave it out", ErrFormat))
	}
	functions := make([]pci.Address, 0, len(card.VFAddresses))
	seen := map[pci.Address]bool{at: true}
	for i, text := range card.VFAddresses {
		field := fmt.Sprintf("vf_addresses[%d]", i)
		function, err := k.address(field, text)
		if err != nil {
			return nil, err
		}
		if seen[function] {
			return nil, k.wrong(field, text, fmt.Errorf("%w: the address is used twice", ErrFormat))
		}
		seen[function] = true
		functions = append(functions, function)
	}
	return functions, nil
}

// followingFunctions are those behind a function on its bus.
func (k Kind) followingFunctions(at pci.Address, count int) ([]pci.Address, error) {
	var functions []pci.Address
	first := int(at.Device)*8 + int(at.Function) + 1
	if first+count > 256 {
		return nil, k.wrong("vfs", strconv.Itoa(count), fmt.Errorf("%w: the bus of %s has no room for them", ErrFormat, at))
	}
	for number := first; number < first+count; number++ {
		function := at
		function.Device, function.Function = uint8(number>>3&0x1f), uint8(number&7)
		functions = append(functions, function)
	}
	return functions, nil
}

// Functions are the addresses of the PCI functions that are the device's own, sorted
// and each once: that by which it is recognised, and those of its handles. The
// handles of type [HandleTestPCI] have none.
func (d Device) Functions() []string {
	functions := []string{d.ControlPath}
	for _, part := range d.Deployables {
		for _, handle := range part.Handles {
			if at, ok := handle.function(); ok {
				functions = append(functions, at.String())
			}
		}
	}
	slices.Sort(functions)
	return slices.Compact(functions)
}

// function is the address in the handle's info; false for one behind which there is
// nothing.
func (h Handle) function() (pci.Address, bool) {
	fields := make(map[string]string)
	for _, pair := range h.Info {
		fields[pair.Key] = pair.Value
	}
	at, err := pci.Parse(fields["domain"], fields["bus"], fields["device"], fields["function"])
	return at, err == nil && h.Type != HandleTestPCI
}

// pciInfo is the info of a PCI function; the members are in alphabetical order,
// as the hardware drivers store them.
// It mirrors cyborg/accelerator/common/utils.py:pci_str_to_json.
func pciInfo(at pci.Address) []Pair {
	return []Pair{
		{Key: "bus", Value: fmt.Sprintf("%02x", at.Bus)},
		{Key: "device", Value: fmt.Sprintf("%02x", at.Device)},
		{Key: "domain", Value: fmt.Sprintf("%04x", at.Domain)},
		{Key: "function", Value: strconv.FormatUint(uint64(at.Function), 16)},
	}
}

func pciHandle(at pci.Address) Handle {
	return Handle{Type: HandlePCI, Info: pciInfo(at)}
}
