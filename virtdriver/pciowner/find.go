package pciowner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// find looks at all rows, once everything is collected.
func (c *checker) find() {
	for _, row := range c.sorted() {
		switch row.Verdict {
		case ByBoth:
			c.add(FindingBoth, fmt.Sprintf("device %s is Nova's by %s and Cyborg's by %s; take it out of one of them%s",
				row.Device.Address, row.sources(OwnerNova), row.sources(OwnerCyborg), c.sameName(row)), row.Device.Address)
		case ByNone:
			c.add(FindingNone, fmt.Sprintf("device %s (%s:%s) is claimed by nobody", row.Device.Address, row.Device.Vendor, row.Device.Product), row.Device.Address)
		case ByNova, ByCyborg, ByHost:
		}
		c.findTwice(row)
		c.findFunctions(row)
	}
	c.findGroups()
	c.findUnreportable()
	c.findEntries()
}

// sameName tells of devices whose address has no letters: both services give
// their provider the same name, and the second one's report fails.
func (c *checker) sameName(row *Row) string {
	address := row.Device.Address
	if c.in.Host == "" || c.in.Nova == nil || !c.in.Nova.ReportInPlacement || strings.ToUpper(address) != address {
		return ""
	}
	return "; both name their provider " + NovaProviderName(c.in.Host, Device{Address: address}) + ", so that the report of the later one fails"
}

// findTwice looks at the device's providers.
func (c *checker) findTwice(row *Row) {
	deployables := make(map[string]bool)
	for _, d := range c.in.Deployables {
		deployables[strings.ToLower(d.RPUUID)] = d.RPUUID != ""
	}
	owners := make(map[Owner]bool)
	var names []string
	for _, p := range row.Providers {
		own := p.owners(deployables)
		names = append(names, fmt.Sprintf("%s (%s, %s)", p.Name, p.UUID, owned(own)))
		for _, owner := range own {
			owners[owner] = true
			if !c.claimedBy(owner, row) {
				c.add(FindingUnclaimed, fmt.Sprintf("provider %s is %s's, which does not claim device %s", p.Name, owner, row.Device.Address), row.Device.Address)
			}
		}
	}
	if len(row.Providers) > 1 || len(owners) > 1 {
		c.add(FindingTwice, fmt.Sprintf("device %s is in Placement as %s; delete what is left of the wrong owner", row.Device.Address, strings.Join(names, " and ")), row.Device.Address)
	}
}

func owned(by []Owner) string {
	if len(by) == 0 {
		return "owner unknown"
	}
	words := make([]string, len(by))
	for i, owner := range by {
		words[i] = string(owner)
	}
	return "of " + strings.Join(words, " and ")
}

// claimedBy says that a service claims the device or, of Nova, one of its
// virtual functions, which share the device's provider; and that nothing can be
// said when the service's configuration is not known.
func (c *checker) claimedBy(owner Owner, row *Row) bool {
	if owner == OwnerNova && c.in.Nova == nil || owner == OwnerCyborg && c.in.Cyborg == nil || row.by(owner) {
		return true
	}
	for _, other := range c.rows {
		if owner == OwnerNova && other.Device.Parent == row.Device.Address && other.by(owner) {
			return true
		}
	}
	return false
}

// findFunctions compares a virtual function's owner with its device's.
func (c *checker) findFunctions(row *Row) {
	parent := c.rows[row.Device.Parent]
	if parent == nil || parent.Verdict == ByBoth || row.Verdict == ByBoth {
		return
	}
	for _, pair := range [][2]Verdict{{ByNova, ByCyborg}, {ByCyborg, ByNova}} {
		if parent.Verdict == pair[0] && row.Verdict == pair[1] {
			c.add(FindingFunctions, fmt.Sprintf("device %s is %s's, its virtual function %s is %s's", parent.Device.Address, pair[0], row.Device.Address, pair[1]),
				parent.Device.Address, row.Device.Address)
		}
	}
}

// findGroups looks for IOMMU groups with two owners.
func (c *checker) findGroups() {
	groups := make(map[string]map[Verdict][]string)
	for _, row := range c.sorted() {
		if row.Device.IOMMUGroup == "" || row.Verdict != ByNova && row.Verdict != ByCyborg {
			continue
		}
		if groups[row.Device.IOMMUGroup] == nil {
			groups[row.Device.IOMMUGroup] = make(map[Verdict][]string)
		}
		of := groups[row.Device.IOMMUGroup]
		of[row.Verdict] = append(of[row.Verdict], row.Device.Address)
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if nova, cyborg := groups[group][ByNova], groups[group][ByCyborg]; len(nova) > 0 && len(cyborg) > 0 {
			c.add(FindingGroup, fmt.Sprintf("IOMMU group %s has %s of Nova and %s of Cyborg; give it to one of them",
				group, strings.Join(nova, ", "), strings.Join(cyborg, ", ")), append(slices.Clone(nova), cyborg...)...)
		}
	}
}

// findEntries looks for entries of the lists that match nothing or have a key that
// nobody reads.
func (c *checker) findEntries() {
	var lists [][]DeviceSpec
	if c.in.Nova != nil {
		lists = append(lists, c.in.Nova.Specs)
	}
	if c.in.Cyborg != nil {
		lists = append(lists, c.in.Cyborg.Specs)
		for _, address := range c.in.Cyborg.strayVGPUs() {
			c.add(FindingMissing, fmt.Sprintf("[vgpu_%s]device_addresses names %s, which no device of the host has, letter by letter", c.in.Cyborg.VGPUs[address], address), address)
		}
	}
	for _, list := range lists {
		for i := range list {
			c.findTypos(&list[i])
			if !c.anyMatches(list[i]) {
				c.add(FindingNoDevice, fmt.Sprintf("%s: %s matches no device of the host", list[i].place(), list[i].summary()))
			}
		}
	}
}

func (c *checker) anyMatches(spec DeviceSpec) bool {
	for _, row := range c.rows {
		if spec.Matches(row.Device) {
			return true
		}
	}
	return false
}
