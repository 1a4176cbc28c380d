package virtdriver

import "github.com/beevik/etree"

// slots are the places on one bus of the guest; the value says that one is taken.
type slots map[uint8]bool

// busMap is what the PCI controllers of a guest offer for devices that come while
// it runs, by the number of the bus. Controllers that are not listed offer none.
type busMap struct {
	places map[uint8]slots
	// known says that the domain lists its controllers, as a live one does.
	known, express bool
}

func readBuses(root *etree.Element) busMap {
	listed := readControllers(root)
	buses := busMap{places: make(map[uint8]slots), known: len(listed) > 0, express: listed.express()}
	for index, c := range listed {
		if !c.hotPlug {
			continue
		}
		bus := slots{}
		for slot := c.first; slot <= c.last; slot++ {
			bus[slot] = false
		}
		buses.places[index] = bus
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
