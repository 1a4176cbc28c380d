package virtdriver

import (
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// HostFunction is what a host knows about one of its PCI functions.
type HostFunction struct {
	// Address is as sysfs has it; its domain can be wider than a guest can take.
	Address string
	// Class is the class code in hexadecimal digits, as in lspci -n: "0604" is a
	// bridge.
	Class string
	// IOMMUGroup is the group that the function shares with others; -1 when the
	// host has no IOMMU.
	IOMMUGroup int
	// NUMANode is the host's NUMA node; -1 when it is not known.
	NUMANode int
	// Kind changes when SR-IOV is switched on or off.
	Kind FunctionKind
}

// FunctionKind tells physical, virtual and other functions apart, in the words
// of Nova's PCI tracker (nova/objects/fields.py, PciDeviceType).
type FunctionKind string

// The kinds.
const (
	KindPCI      FunctionKind = "type-PCI"
	KindPhysical FunctionKind = "type-PF"
	KindVirtual  FunctionKind = "type-VF"
)

// Assignable says why no guest can have the function; nil when one can. A domain
// of more than 16 bits is refused and never cut.
func (f HostFunction) Assignable() error {
	_, err := pci.ParseAddress(f.Address)
	switch {
	case err != nil:
		return wrap(ErrTopology, "%w", err)
	case f.isBridge():
		return wrap(ErrTopology, "%s is a bridge", f.Address)
	}
	return nil
}

// isBridge tells bridges, which may share a group with devices of a guest (Linux:
// drivers/vfio, vfio_dev_viable).
func (f HostFunction) isBridge() bool { return strings.HasPrefix(f.Class, "06") }

// Topology is what a host knows about its PCI functions; see [ReadTopology].
type Topology []HostFunction

// Group gives the functions that a guest must have together with that of the
// address, which is the first: all of its IOMMU group but the bridges, with their
// addresses as sysfs writes them. It is an error when the host has no such
// function or a guest cannot have it.
func (t Topology) Group(address string) ([]HostFunction, error) {
	parsed, err := pci.ParseAddress(address)
	if err != nil {
		return nil, wrap(ErrTopology, "%w", err)
	}
	group, err := t.mapped().group(parsed)
	if err != nil {
		return nil, err
	}
	return functionsOf(group), nil
}

// name is the address as sysfs writes it; one that cannot be read stays as it is.
func (f HostFunction) name() string {
	if address, err := pci.ParseAddress(f.Address); err == nil {
		return address.String()
	}
	return f.Address
}

// Companions gives the other functions of the same device that a guest must have
// together with that of the address, such as the sound of a graphics card. It is
// an error when the group has a function of another device.
func (t Topology) Companions(address string) ([]HostFunction, error) {
	parsed, err := pci.ParseAddress(address)
	if err != nil {
		return nil, wrap(ErrTopology, "%w", err)
	}
	companions, err := t.mapped().companions(parsed)
	if err != nil {
		return nil, err
	}
	return functionsOf(companions), nil
}

// Change is a function that one look at a host saw otherwise than the next.
type Change struct {
	// Before or After is nil for a function that came or went.
	Before, After *HostFunction
}

// sameAs compares two looks at a function, whatever the notation of the address.
func (f HostFunction) sameAs(other HostFunction) bool {
	f.Address, other.Address = f.name(), other.name()
	return f == other
}

// Changes compares two looks at a host. A function that kept its address but
// changed its kind or its group is another device now: what was handed out
// before must not be handed out again unseen.
func (t Topology) Changes(later Topology) []Change {
	var changes []Change
	byAddress := make(map[string]*HostFunction, len(later))
	for i := range later {
		byAddress[later[i].name()] = &later[i]
	}
	for i := range t {
		after := byAddress[t[i].name()]
		if after == nil || !after.sameAs(t[i]) {
			changes = append(changes, Change{&t[i], after})
		}
		delete(byAddress, t[i].name())
	}
	for i := range later {
		if byAddress[later[i].name()] != nil {
			changes = append(changes, Change{nil, &later[i]})
		}
	}
	return changes
}
