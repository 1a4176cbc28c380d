package virtdriver

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// hostMap is a topology that is read once and then asked about many devices. The
// zero value is that of no topology.
type hostMap struct {
	functions map[pci.Address]located
	groups    map[int][]located
}

// located is a function with its address as sysfs writes it, and as a number if it
// can be read.
type located struct {
	HostFunction

	at     pci.Address
	usable bool
}

// mapped gives the functions of the host by address, and those of each IOMMU group
// but the bridges.
func (t Topology) mapped() hostMap {
	m := hostMap{functions: make(map[pci.Address]located, len(t)), groups: make(map[int][]located)}
	type member struct {
		group   int
		address string
	}
	seen := make(map[member]bool, len(t))
	for _, f := range t {
		address, err := pci.ParseAddress(f.Address)
		l := located{f, address, err == nil}
		if l.usable {
			l.Address = address.String()
			if _, twice := m.functions[address]; !twice {
				m.functions[address] = l
			}
		}
		if own := (member{f.IOMMUGroup, l.Address}); f.IOMMUGroup >= 0 && !f.isBridge() && !seen[own] {
			seen[own] = true
			m.groups[f.IOMMUGroup] = append(m.groups[f.IOMMUGroup], l)
		}
	}
	return m
}

// given tells whether there is a topology.
func (m hostMap) given() bool { return m.functions != nil }

// group is what [Topology.Group] gives.
func (m hostMap) group(address pci.Address) ([]located, error) {
	f, ok := m.functions[address]
	if !ok {
		return nil, wrap(ErrTopology, "the host has no %s", address)
	}
	if err := f.Assignable(); err != nil {
		return nil, err
	}
	if f.IOMMUGroup < 0 {
		return []located{f}, nil
	}
	others := slices.DeleteFunc(slices.Clone(m.groups[f.IOMMUGroup]), func(other located) bool { return other.Address == f.Address })
	return slices.Insert(others, 0, f), nil
}

// companions is what [Topology.Companions] gives.
func (m hostMap) companions(address pci.Address) ([]located, error) {
	group, err := m.group(address)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for _, other := range group[1:] {
		if !other.usable || slotOf(other.at) != slotOf(address) {
			foreign = append(foreign, other.Address)
		}
	}
	if len(foreign) > 0 {
		return nil, wrap(ErrIOMMUGroup, "group %d of %s has functions of other devices: %s", group[0].IOMMUGroup, address, strings.Join(foreign, ", "))
	}
	return group[1:], nil
}

// functionsOf takes the places off again.
func functionsOf(list []located) []HostFunction {
	functions := make([]HostFunction, len(list))
	for i, l := range list {
		functions[i] = l.HostFunction
	}
	return functions
}
