package virtdriver

import "github.com/beevik/etree"

// slots are the places on one bus of the guest; the value says that one is taken.
type slots map[uint8]bool

// busMap is what the PCI controllers of a guest offer for devices that come while
// it runs, by the number of the bus.
type busMap struct {
	places map[uint8]slots
	// known says that the domain lists its controllers, as a live one does.
	known, express bool
}

// placesOf has the first and last slot of a bus that takes devices while the guest
// runs. Controllers that are not listed take none.
var placesOf = map[string][2]uint8{
	"pci-root":                    {1, 31},
	"pci-bridge":                  {1, 31},
	"pcie-root-port":              {0, 0},
	"pcie-switch-downstream-port": {0, 0},
}

func readBuses(root *etree.Element) busMap {
	buses := busMap{places: make(map[uint8]slots)}
	for _, controller := range children(firstChild(root, "devices"), "controller") {
		index, isNumber := number(attributeOr(controller, "index", "0"))
		if attribute(controller, "type") != "pci" || !isNumber || index > 0xff {
			continue
		}
		model := attribute(controller, "model")
		buses.known = true
		buses.express = buses.express || model == "pcie-root"
		between, offers := placesOf[model]
		if !offers || attribute(firstChild(controller, "target"), "hotplug") == "off" {
			continue
		}
		bus := slots{}
		for slot := between[0]; slot <= between[1]; slot++ {
			bus[slot] = false
		}
		buses.places[uint8(index)] = bus
	}
	return buses
}

// occupy marks what the guest's devices have.
func (b busMap) occupy(occupied []occupant) {
	for _, o := range occupied {
		if bus, ok := b.places[o.Bus]; ok {
			bus[o.Device] = true
		}
	}
}

func (b busMap) hotPlugs(bus uint8) bool {
	_, ok := b.places[bus]
	return ok || !b.known
}

// take marks one place.
func (b busMap) take(number, slot uint8) error {
	bus, ok := b.places[number]
	switch taken, has := bus[slot]; {
	case !b.known:
	case !ok:
		return wrap(ErrHotPlug, "bus %d of the guest takes no device", number)
	case !has:
		return wrap(ErrHotPlug, "bus %d of the guest has no slot %d", number, slot)
	case taken:
		return wrap(ErrGuestAddress, "slot %d of bus %d has a device", slot, number)
	default:
		bus[slot] = true
	}
	return nil
}

// free counts the places that are left. A guest with PCI Express puts devices on
// its ports only.
func (b busMap) free() int {
	n := 0
	for _, bus := range b.places {
		if b.express && len(bus) > 1 {
			continue
		}
		for _, taken := range bus {
			if !taken {
				n++
			}
		}
	}
	return n
}

func (b busMap) kind() string {
	if b.express {
		return "free PCI Express ports that take devices while it runs"
	}
	return "free PCI slots"
}
