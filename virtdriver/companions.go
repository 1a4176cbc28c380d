package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// WithCompanions adds the other functions of a device that are in its IOMMU
// group, such as the sound of a graphics card, for which there is no ARQ. It
// needs [WithTopology].
func WithCompanions() ComposeOption {
	return func(c *composeConfig) error {
		c.companions = true
		return nil
	}
}

// withCompanions gives the devices with their companions behind them: those that
// they must have or, of devices that are to go, those that they have.
func (p *plan) withCompanions(devices []device) ([]device, error) {
	if !p.config.companions {
		return devices, nil
	}
	of := p.neededCompanions
	if p.config.removing {
		of = func(d device) ([]pci.Address, error) {
			return p.presentCompanions(d.key.address, p.config.topology), nil
		}
	}
	var all []device
	for _, d := range devices {
		all = append(all, d)
		if d.mediated != nil || d.tag != tagHostdev {
			continue
		}
		addresses, err := of(d)
		if err != nil {
			return nil, d.failure(err)
		}
		for _, address := range addresses {
			if holds(devices, address) || holds(all, address) || holds(p.wanted, address) {
				continue
			}
			companion, err := d.companionAt(address, p.domain.virtType)
			if err != nil {
				return nil, d.failure(err)
			}
			all = append(all, companion)
		}
	}
	return all, nil
}

// companionAt is a companion of the device, driven like it.
func (d device) companionAt(address pci.Address, virtType string) (device, error) {
	o := d.options
	companion, err := pciFunction(d.arq, address, virtType, DeviceOptions{
		Managed: o.Managed, Driver: o.Driver, DriverModel: o.DriverModel, IOMMUFD: o.IOMMUFD,
	})
	companion.companion = true
	return companion, err
}

func (p *plan) neededCompanions(d device) ([]pci.Address, error) {
	functions, err := p.config.topology.Companions(d.key.String())
	if err != nil {
		return nil, err
	}
	addresses := make([]pci.Address, len(functions))
	for i, f := range functions {
		if addresses[i], err = pci.ParseAddress(f.Address); err != nil {
			return nil, wrap(ErrTopology, "%w", err)
		}
	}
	return addresses, nil
}

// presentCompanions are the companions of a function that the domain has as PCI
// hostdevs: those that the topology names or, when it does not know the function,
// all of its device.
func (p *plan) presentCompanions(of pci.Address, topology Topology) []pci.Address {
	known, err := topology.Companions(of.String())
	var found []pci.Address
	for key, had := range p.present {
		sameDevice := slotOf(key.address) == slotOf(of) && key.address != of
		named := slices.ContainsFunc(known, func(f HostFunction) bool { return f.Address == key.address.String() })
		if key.mdev == "" && had.name == tagHostdev && sameDevice && (err != nil || named) {
			found = append(found, key.address)
		}
	}
	slices.SortFunc(found, pci.Address.Compare)
	return found
}

// slotOf is the address without its function.
func slotOf(a pci.Address) pci.Address {
	a.Function = 0
	return a
}

func holds(devices []device, address pci.Address) bool {
	return slices.ContainsFunc(devices, func(d device) bool { return d.key == hostKey{address: address} })
}

// WithTopologyBefore tells [Replace] what the host that the guest leaves knows
// about its functions, so that it finds the companions that the guest has from
// there. Without it all functions of a device that leaves are its companions.
func WithTopologyBefore(t Topology) ComposeOption {
	return func(c *composeConfig) error {
		c.topologyBefore = append(Topology{}, t...)
		return nil
	}
}

// leavingCompanions gives the devices that leave with their companions behind
// them: hostdevs of the domain for which there is no ARQ, neither before nor
// after. To leave one in would give the guest a stranger's device.
func (p *plan) leavingCompanions(leaving, coming []device, config composeConfig) ([]device, error) {
	var all []device
	for _, d := range leaving {
		all = append(all, d)
		if d.mediated != nil || p.present[d.key].name != tagHostdev || holds(coming, d.key.address) {
			continue
		}
		for _, address := range p.presentCompanions(d.key.address, config.topologyBefore) {
			if holds(p.wanted, address) || holds(coming, address) || holds(all, address) {
				continue
			}
			if !config.companions && config.topologyBefore == nil {
				e := p.present[hostKey{address: address}].failure(wrap(ErrIOMMUGroup,
					"%s leaves and %s of the same device has no ARQ; WithCompanions lets it leave too, WithTopologyBefore tells whether it must", d.key, address))
				e.ARQs = []string{d.arq.UUID}
				return nil, e
			}
			all = append(all, device{arq: d.arq, key: hostKey{address: address}, tag: tagHostdev, companion: true})
		}
	}
	return all, nil
}
