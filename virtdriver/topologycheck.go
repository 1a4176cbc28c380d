package virtdriver

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// WithTopology checks the devices against the host that the guest is to run on:
// each must be there, all functions of its IOMMU group must go to this guest, and
// it must be on a NUMA node from which the guest's memory may come. Without it
// none of this is looked at, and the guest does not start.
func WithTopology(t Topology) ComposeOption {
	return func(c *composeConfig) error {
		c.topology = t.mapped()
		return nil
	}
}

// checkTopology looks at the devices that the domain is to have.
func (p *plan) checkTopology() error {
	if !p.config.topology.given() {
		return nil
	}
	nodes, err := p.domain.memoryNodes()
	if err != nil {
		return err
	}
	wanted := keysOf(p.wanted)
	for _, d := range p.wanted {
		if d.mediated != nil {
			if err := p.checkNode(d, d.mediated.address, nodes); err != nil {
				return err
			}
			continue
		}
		if err := p.checkGroup(d, wanted); err != nil {
			return err
		}
		if err := p.checkNode(d, d.key.address, nodes); err != nil {
			return err
		}
	}
	return nil
}

// checkGroup wants the whole IOMMU group in this guest.
func (p *plan) checkGroup(d device, wanted map[hostKey]bool) error {
	group, err := p.config.topology.group(d.key.address)
	if err != nil {
		return d.failure(err)
	}
	var absent []string
	for _, f := range group[1:] {
		key := hostKey{address: f.at}
		if _, present := p.present[key]; !f.usable || !present && !wanted[key] {
			absent = append(absent, f.Address)
		}
	}
	if len(absent) > 0 {
		return d.failure(wrap(ErrIOMMUGroup, "%s is in group %d with %s, which this guest does not have", d.key, group[0].IOMMUGroup, strings.Join(absent, ", ")))
	}
	return nil
}

// checkNode wants the function on a node of the guest's memory.
func (p *plan) checkNode(d device, address pci.Address, nodes []int) error {
	f, ok := p.config.topology.functions[address]
	switch {
	case !ok:
		return d.failure(wrap(ErrTopology, "the host has no %s", address))
	case nodes != nil && f.NUMANode >= 0 && !slices.Contains(nodes, f.NUMANode):
		return d.failure(wrap(ErrNUMANode, "%s is on node %d, the guest's memory comes from %v only", address, f.NUMANode, nodes))
	}
	return nil
}
