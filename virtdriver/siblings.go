package virtdriver

import (
	"slices"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// WithTopologyBefore tells [Replace] what the host that the guest leaves knows
// about its functions, so that it finds the companions that the guest has from
// there.
func WithTopologyBefore(t Topology) ComposeOption {
	return func(c *composeConfig) error {
		c.topologyBefore = t.mapped()
		return nil
	}
}

// functionsPerDevice is how many functions a PCI device can have.
const functionsPerDevice = 8

// siblings are the PCI hostdevs of the domain that are of the same device of the
// host, that no ARQ holds, and that [WithOthers] does not name.
func (p *plan) siblings(of device) []hostDevice {
	if p.present[of.key].kind != "pci" {
		return nil
	}
	var found []hostDevice
	for function := range uint8(functionsPerDevice) {
		address := slotOf(of.key.address)
		address.Function = function
		had, ok := p.present[hostKey{address: address}]
		if ok && had.name == tagHostdev && !holds(p.wanted, address) && !slices.Contains(p.config.others, address) {
			found = append(found, had)
		}
	}
	return found
}

// presentCompanions are the siblings that came with the device: those that the
// topology names or, when it does not know the device, those that stand where
// Compose puts companions, right behind it.
func (p *plan) presentCompanions(of device, topology hostMap) (companions []hostDevice, named bool) {
	siblings := p.siblings(of)
	if _, named = topology.functions[of.key.address]; named {
		group, _ := topology.group(of.key.address) // none of what no guest can have
		return slices.DeleteFunc(siblings, func(had hostDevice) bool {
			return !slices.ContainsFunc(group, func(f located) bool { return f.usable && f.at == had.key.address })
		}), true
	}
	return p.behind(of, siblings), false
}

// behind are those of the siblings that follow the device without a gap.
func (p *plan) behind(of device, siblings []hostDevice) []hostDevice {
	start := p.present[of.key].start
	var run []hostDevice
	for _, child := range p.domain.children {
		if child.start <= start {
			continue
		}
		at := slices.IndexFunc(siblings, func(had hostDevice) bool { return had.start == child.start })
		if at < 0 {
			break
		}
		run = append(run, siblings[at])
	}
	return run
}

// asCompanion is what leaves together with a device.
func (h hostDevice) asCompanion(of device) device {
	return device{arq: of.arq, key: h.key, tag: tagHostdev, companion: true}
}

// parting gives the devices that are taken out with their companions behind them.
func (p *plan) parting(devices []device) []device {
	if !p.config.companions {
		return devices
	}
	var all []device
	for _, d := range devices {
		all = append(all, d)
		companions, _ := p.presentCompanions(d, p.config.topology)
		for _, had := range companions {
			if !holds(all, had.key.address) {
				all = append(all, had.asCompanion(d))
			}
		}
	}
	return all
}

// leaving gives the devices that leave the host with their companions behind
// them. It is an error when one might be a companion and no option says so: to
// leave it in would give the guest a stranger's device on the next host.
func (p *plan) leaving(devices, coming []device) ([]device, error) {
	var all []device
	for _, d := range devices {
		all = append(all, d)
		if p.stays(d, coming) {
			continue
		}
		companions, named := p.presentCompanions(d, p.config.topologyBefore)
		for _, had := range companions {
			address := had.key.address
			switch {
			case holds(all, address):
			case named || p.config.companions:
				all = append(all, had.asCompanion(d))
			case !holdsItself(coming, address):
				return nil, had.about(d, wrap(ErrIOMMUGroup, "%s leaves and %s of the same device, which stands behind it, has no ARQ; "+
					"WithCompanions (-companions) lets it leave too, WithOthers (-others) says that it is somebody else's, WithTopologyBefore tells which it is", d.key, address))
			}
		}
	}
	return all, nil
}

// stays tells whether a device of the domain is that of the same ARQ afterwards.
func (p *plan) stays(d device, coming []device) bool {
	return slices.ContainsFunc(coming, func(next device) bool {
		return next.key == d.key && next.tag == p.present[d.key].name && !next.companion && d.sameARQ(next)
	})
}

// holdsItself tells whether the address is that of an ARQ, not of a companion.
func holdsItself(devices []device, address pci.Address) bool {
	return slices.ContainsFunc(devices, func(d device) bool { return d.key == hostKey{address: address} && !d.companion })
}

// strangers are the reports about siblings of devices that leave which stay.
func (p *plan) strangers(leaving, coming []device) []error {
	var reports []error
	told := make(map[hostKey]bool)
	for _, d := range leaving {
		if p.stays(d, coming) {
			continue
		}
		for _, had := range p.siblings(d) {
			if told[had.key] || holds(leaving, had.key.address) || holdsItself(coming, had.key.address) {
				continue
			}
			told[had.key] = true
			reports = append(reports, had.about(d, wrap(ErrIOMMUGroup,
				"%s goes and %s of the same device stays, since nothing says that it is a companion; WithOthers (-others) says that it is not", d.key, had.key)))
		}
	}
	return reports
}
