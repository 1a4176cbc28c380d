package pciowner

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// findUnreportable looks for what Nova cannot put into Placement: a physical and
// a virtual function of one device share a provider, and so do all virtual ones,
// which therefore must have one resource class and the same traits; and a virtual
// function for one use, or said not to be
// (nova/compute/pci_placement_translator.py, PciResourceProvider). nova-compute
// stops on it. Devices with a physical network are not reported.
func (c *checker) findUnreportable() {
	if c.in.Nova == nil || !c.in.Nova.ReportInPlacement {
		return
	}
	providers := make(map[string]map[string][]string) // by address, then by what is reported: the devices
	for _, row := range c.sorted() {
		d, spec := row.Device, c.in.Nova.Spec(row.Device)
		if spec == nil || !falsy(spec.Tags["physical_network"]) {
			continue
		}
		address, form := d.Address, "the device itself"
		if d.Parent != "" {
			address, form = d.Parent, spec.inventory(d)
			c.findOneTimeUse(d, spec)
		}
		if providers[address] == nil {
			providers[address] = make(map[string][]string)
		}
		providers[address][form] = append(providers[address][form], d.Address)
	}
	for _, address := range slices.Sorted(maps.Keys(providers)) {
		if forms := providers[address]; len(forms) > 1 {
			var parts, devices []string
			for _, form := range slices.Sorted(maps.Keys(forms)) {
				parts = append(parts, fmt.Sprintf("%s (%s)", form, strings.Join(forms[form], ", ")))
				devices = append(devices, forms[form]...)
			}
			c.add(FindingUnreportable, fmt.Sprintf("nova-compute cannot report device %s as one provider: it would be %s", address, strings.Join(parts, " and ")), devices...)
		}
	}
}

// findOneTimeUse wants virtual functions to say nothing about one use.
func (c *checker) findOneTimeUse(d Device, spec *DeviceSpec) {
	if _, said := spec.Tags[oneTimeUse]; said {
		c.add(FindingUnreportable, fmt.Sprintf("nova-compute cannot report virtual function %s: %s has one_time_use, even if it is false", d.Address, spec.place()), d.Address)
	}
}

var notInNames = regexp.MustCompile(`[^A-Z0-9_]+`)

// inventory is what Nova reports of a virtual function: its class and traits,
// with names that are not standard in the form of Placement. Which names are
// standard is not known here, so CUSTOM_ makes no difference.
func (s *DeviceSpec) inventory(d Device) string {
	name := func(text string) string {
		return strings.TrimPrefix(notInNames.ReplaceAllString(strings.ToUpper(text), "_"), "CUSTOM_")
	}
	class := "PCI_" + strings.ToUpper(d.Vendor+"_"+d.Product)
	if tag := s.Tag("resource_class"); tag != "" {
		class = name(tag)
	}
	var traits []string
	if tag := s.Tag("traits"); tag != "" {
		for trait := range strings.SplitSeq(tag, ",") {
			traits = append(traits, name(trait))
		}
	}
	slices.Sort(traits)
	return "class " + class + " with traits [" + strings.Join(slices.Compact(traits), " ") + "]"
}
