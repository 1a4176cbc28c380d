package fakecyborg

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// Seed is the present state as a seed: hosts with the devices that they have now,
// device profiles, accelerator requests, images and rules of faults; also which
// devices are broken or have vanished, what was loaded into them, and the
// attributes that were made through the API. Not in it are devices of [WithDriver] and
// the requests that have one, cards that no report has found yet, attributes deleted
// through the API, profiles and requests that cannot be read, and ids of devices and
// attach handles.
func (s *Server) Seed() Seed {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	seed := Seed{DeviceProfiles: s.store.seedProfiles(), Images: s.store.seed.Images}
	numbers := make(map[*handle]int)
	for _, host := range s.store.seed.Hosts {
		host.Devices = s.store.seedDevices(host.Name, numbers)
		seed.Hosts = append(seed.Hosts, host)
	}
	seed.ARQs = s.store.seedARQs(numbers)
	for _, rule := range s.faults.Counts() {
		seed.Faults = append(seed.Faults, rule.Rule)
	}
	return seed
}

// seedDevices are the cards of a host. It numbers their attach handles as a new device
// of that card has them, since a device that vanished in use may have lost some. The
// caller holds the lock.
func (s *store) seedDevices(host string, numbers map[*handle]int) []Device {
	var list []Device
	for d := range s.devices.all {
		card := s.cardNow(d)
		if d.hostname != host || card.Driver == "" {
			continue
		}
		list = append(list, card)
		parts := s.described(host, card).Deployables
		for _, place := range s.partsOf(d) {
			at := slices.IndexFunc(parts, place.isOf)
			for _, h := range place.handles {
				if at >= 0 {
					numbers[h] = 1 + slices.IndexFunc(parts[at].Handles, h.isOf)
				}
			}
		}
	}
	return list
}

// described is the device that a card is when it is new.
func (s *store) described(host string, card Device) driver.Device {
	kind, err := s.release.kind(card.Driver)
	if err != nil {
		return driver.Device{}
	}
	found, err := kind.Describe(host, card.Card)
	if err != nil {
		return driver.Device{}
	}
	return found
}

func (d *deployable) isOf(part driver.Deployable) bool { return d.Name == part.Name }

func (h *handle) isOf(found driver.Handle) bool { return slices.Equal(h.Info, found.Info) }

// cardNow is a device as a seed says it, as it is now; without a driver for one
// that no seed can have.
func (s *store) cardNow(d *device) Device {
	card := d.card
	if card.Driver == "" {
		return card
	}
	card.Disabled, card.Broken, card.Vanished, card.Bitstream, card.Attributes = d.disabled, false, true, "", nil
	if machine, ok := s.machines[d.hostname]; ok {
		if slot, err := machine.Slot(d.ControlPath); err == nil {
			card.Driver, card.Card, card.Broken, card.Vanished = slot.Kind, slot.Card, slot.Broken, false
		}
	}
	for _, place := range s.partsOf(d) {
		card.Bitstream = cmp.Or(card.Bitstream, valueOf(place.bitstream))
		for a := range s.attributes.all {
			if a.deployableID != place.id || !a.made {
				continue
			}
			if at := slices.IndexFunc(s.described(d.hostname, card).Deployables, place.isOf); at >= 0 {
				card.Attributes = append(card.Attributes, Attribute{Deployable: at + 1, Key: a.key, Value: a.value})
			}
		}
	}
	return card
}

func (s *store) seedProfiles() []DeviceProfile {
	var list []DeviceProfile
	for p := range s.profiles.all {
		if !looksLikeUUID(p.uuid) {
			continue
		}
		profile := DeviceProfile{Name: p.name, UUID: p.uuid, Description: textOf(p.description)}
		for _, group := range p.groups {
			var properties Group
			for _, key := range group.keys {
				value, known := group.values[key].(string)
				properties = append(properties, Property{Key: key, Value: value, Null: !known})
			}
			profile.Groups = append(profile.Groups, properties)
		}
		list = append(list, profile)
	}
	return list
}

func (c *controlCall) exportSeed() controlAnswer {
	text, err := c.server.Seed().text()
	if err != nil {
		return refuseControl(http.StatusInternalServerError, "", err)
	}
	return controlAnswer{status: http.StatusOK, contentType: "application/yaml", body: []byte(text)}
}
