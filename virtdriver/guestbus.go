package virtdriver

import "github.com/beevik/etree"

// busModel is what a PCI controller of a guest offers to devices of the host, when
// their address is said: its first and last slot, and whether they can come and go
// while the guest runs. A model whose last slot is before the first takes none
// (libvirt: src/conf/domain_addr.c, virDomainPCIAddressBusSetModel).
type busModel struct {
	first, last uint8
	hotPlug     bool
}

var busModels = map[string]busModel{
	"pci-root":                    {1, 31, true},
	"pci-bridge":                  {1, 31, true},
	"pci-expander-bus":            {0, 31, true},
	"pcie-to-pci-bridge":          {1, 31, true},
	"pcie-root-port":              {0, 0, true},
	"pcie-switch-downstream-port": {0, 0, true},
	"dmi-to-pci-bridge":           {0, 31, false},
	"pcie-root":                   {1, 31, false},
	"pcie-switch-upstream-port":   {1, 0, false},
	"pcie-expander-bus":           {1, 0, false},
}

// controllers are the PCI controllers that a domain lists, by the number of the
// bus. A live one lists all.
type controllers map[uint8]controller

type controller struct {
	busModel

	model string
	known bool
}

func readControllers(root *etree.Element) controllers {
	found := controllers{}
	for _, element := range children(firstChild(root, "devices"), "controller") {
		index, isNumber := number(attributeOr(element, "index", "0"))
		if attribute(element, "type") != "pci" || !isNumber || index > 0xff {
			continue
		}
		c := controller{model: attribute(element, "model")}
		c.busModel, c.known = busModels[c.model]
		c.hotPlug = c.hotPlug && attribute(firstChild(element, "target"), "hotplug") != "off"
		found[uint8(index)] = c
	}
	return found
}

// check wants a slot that the bus has. A bus that is not listed, or of a model
// that is not known here, is left to libvirt.
func (c controllers) check(at guestAddress) error {
	switch bus := c[at.Bus]; {
	case !bus.known:
	case bus.last < bus.first:
		return wrap(ErrGuestAddress, "%s: bus %d is a %s, which takes no device of the host", at.Address, at.Bus, bus.model)
	case at.Device < bus.first || at.Device > bus.last:
		return wrap(ErrGuestAddress, "%s: bus %d is a %s, whose slots are %d to %d", at.Address, at.Bus, bus.model, bus.first, bus.last)
	}
	return nil
}

// express tells guests with PCI Express.
func (c controllers) express() bool {
	for _, bus := range c {
		if bus.model == "pcie-root" {
			return true
		}
	}
	return false
}
