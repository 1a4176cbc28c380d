package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Rules are what cyborg.conf says about devices. The zero value says nothing:
// GPUs are given out whole, NICs have no network, the generic PCI driver takes
// nothing. Addresses are written "0000:3b:00.0".
type Rules struct {
	// VGPU are the types of mediated devices of GPUs by address: the options
	// enabled_vgpu_types and device_addresses.
	VGPU map[string]string
	// PhysicalNetworks are networks by the interface of a NIC that is on it: the
	// option physical_device_mappings. Interfaces are known from sysfs only.
	PhysicalNetworks map[string]string
	// FunctionNames are the names of what NICs do, by interface: the option
	// function_device_mappings.
	FunctionNames map[string]string
	// Passthrough is what the generic PCI driver takes, before any other does:
	// the option passthrough_whitelist.
	Passthrough []Passthrough
	// SkipGPUFunctions leaves the virtual functions of GPUs out, as the option
	// filter_sriov_vfs does; else each counts as a whole GPU. Which are virtual
	// is known from sysfs only.
	SkipGPUFunctions bool
}

// Passthrough matches functions. An empty field matches all, but not all three
// may be empty.
type Passthrough struct {
	// Vendor and Product are ids of 4 hexadecimal digits.
	Vendor, Product string
	// Address is that of a function.
	Address string
}

func (p Passthrough) matches(f Function) bool {
	for _, field := range [][2]string{{p.Vendor, f.Vendor}, {p.Product, f.Product}, {p.Address, f.Address}} {
		if field[0] != "" && !strings.EqualFold(field[0], field[1]) {
			return false
		}
	}
	return p != Passthrough{}
}

func (r Rules) passes(f Function) bool {
	return slices.ContainsFunc(r.Passthrough, func(p Passthrough) bool { return p.matches(f) })
}

// check refuses rules that match nothing by mistake.
func (r Rules) check(functions []Function) error {
	if slices.Contains(r.Passthrough, Passthrough{}) {
		return fmt.Errorf("rules: a passthrough without vendor, product and address takes nothing, give one of them")
	}
	for _, address := range slices.Sorted(maps.Keys(r.VGPU)) {
		if !slices.ContainsFunc(functions, func(f Function) bool { return f.Address == address }) {
			return fmt.Errorf("rules: vgpu type %s: the machine has no function %s", r.VGPU[address], address)
		}
	}
	return nil
}

// named is what a mapping says of the first interface that it knows.
func named(mapping map[string]string, interfaces []string) string {
	for _, name := range interfaces {
		if value, ok := mapping[name]; ok {
			return value
		}
	}
	return ""
}
