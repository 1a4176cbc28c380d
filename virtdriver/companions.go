package virtdriver

import (
	"fmt"
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

// WithOthers says that host devices at these addresses are somebody else's, such
// as those that Nova gives a guest by a PCI alias: they are companions of no
// device, so they are neither added nor taken out.
func WithOthers(addresses ...string) ComposeOption {
	return func(c *composeConfig) error {
		for _, text := range addresses {
			address, err := pci.ParseAddress(text)
			if err != nil {
				return fmt.Errorf("compose domain: WithOthers: %w", err)
			}
			c.others = append(c.others, address)
		}
		return nil
	}
}

// withCompanions gives the devices with the companions that they must have behind
// them.
func (p *plan) withCompanions(devices []device) ([]device, error) {
	if !p.config.companions || p.config.removing {
		return devices, nil
	}
	var all []device
	taken := keysOf(slices.Concat(devices, p.wanted))
	for _, d := range devices {
		all = append(all, d)
		if d.mediated != nil {
			continue
		}
		companions, err := p.config.topology.companions(d.key.address)
		if err != nil {
			return nil, d.failure(err)
		}
		for _, f := range companions {
			if taken[hostKey{address: f.at}] || slices.Contains(p.config.others, f.at) {
				continue
			}
			companion, err := d.companionAt(f.at, p.domain.virtType)
			if err != nil {
				return nil, d.failure(err)
			}
			taken[companion.key] = true
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

// slotOf is the address without its function.
func slotOf(a pci.Address) pci.Address {
	a.Function = 0
	return a
}

func holds(devices []device, address pci.Address) bool {
	for i := range devices { // a device is large
		if devices[i].key == (hostKey{address: address}) {
			return true
		}
	}
	return false
}

// keysOf are the devices of the host that the devices are.
func keysOf(devices []device) map[hostKey]bool {
	keys := make(map[hostKey]bool, len(devices))
	for _, d := range devices {
		keys[d.key] = true
	}
	return keys
}
