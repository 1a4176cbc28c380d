package fakecyborg

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func (l *loader) loadDevice(path, host string, card Device) error {
	maker, err := l.store.release.kind(card.Driver)
	if err != nil {
		return l.fail(path+".driver", err)
	}
	found, err := l.describe(path, host, maker, card.Card)
	if err != nil {
		return err
	}
	if err := l.claimNames(path, host, found, card.Vanished); err != nil {
		return err
	}
	added, err := l.store.addDevice(host, found)
	if err != nil {
		return err
	}
	added.card, added.disabled = card, card.Disabled
	if card.Disabled {
		l.store.reserve(added, true)
	}
	if err := l.loadBitstream(path, maker, added, card.Bitstream); err != nil {
		return err
	}
	return l.loadAttributes(path+".attributes", added, card.Attributes)
}

// describe is the device that a card of a kind is.
func (l *loader) describe(path, host string, kind driver.Kind, card driver.Card) (driver.Device, error) {
	found, err := kind.Describe(host, card)
	if wrong, ok := errors.AsType[*driver.Error](err); ok && wrong.Value != "" {
		path += "." + wrong.Field
	}
	if err != nil {
		return driver.Device{}, l.fail(path, err)
	}
	if found.CheckReport() != nil {
		return driver.Device{}, l.fail(path, errNotKept)
	}
	return found, nil
}

// claimNames takes what may be there once only. The PCI functions of a device that
// vanished are free for others.
func (l *loader) claimNames(path, host string, found driver.Device, vanished bool) error {
	if err := l.claim(path, "device on host "+host, found.ControlPath); err != nil {
		return err
	}
	if !vanished {
		for _, function := range found.Functions() {
			if err := l.claim(path, "PCI function on host "+host, function); err != nil {
				return err
			}
		}
	}
	for _, place := range found.Deployables {
		if err := l.claim(path, "deployable", place.Name); err != nil {
			return err
		}
		if err := l.claimProvider(path, place.Name, driver.ProviderUUID(place.Name)); err != nil {
			return err
		}
	}
	return nil
}

// loadBitstream notes what was loaded into a device before.
func (l *loader) loadBitstream(path string, kind driver.Kind, added *device, id string) error {
	switch {
	case id == "":
		return nil
	case !kind.Programmable():
		return l.fail(path+".bitstream_id", driver.ErrNotProgrammable)
	case !looksLikeUUID(id):
		return l.fail(path+".bitstream_id", fmt.Errorf("%q is not a uuid", id))
	}
	for _, place := range l.store.partsOf(added) {
		place.bitstream = &id
	}
	return nil
}

// loadAttributes notes attributes that were made through the API.
func (l *loader) loadAttributes(path string, added *device, list []Attribute) error {
	parts := l.store.partsOf(added)
	for i, given := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		number := max(given.Deployable, 1)
		if given.Deployable < 0 || number > len(parts) {
			return l.fail(at+".deployable", fmt.Errorf("%d, the device has the deployables 1 to %d", given.Deployable, len(parts)))
		}
		l.made = append(l.made, &attribute{deployableID: parts[number-1].id, key: given.Key, value: given.Value, made: true})
	}
	return nil
}

// addDevice stores a device with its deployables, attributes and handles.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff.
func (s *store) addDevice(host string, found driver.Device) (*device, error) {
	id, err := s.uuids.next()
	if err != nil {
		return nil, err
	}
	parts := found.Deployables
	found.Deployables = nil
	card := &device{Device: found, uuid: id, hostname: host, created: s.now()}
	card.id = s.devices.add(id, card)
	for _, part := range parts {
		if err := s.addDeployable(card, part); err != nil {
			return nil, err
		}
	}
	return card, nil
}

func (s *store) addDeployable(card *device, part driver.Deployable) error {
	id, err := s.uuids.next()
	if err != nil {
		return err
	}
	provider := driver.ProviderUUID(part.Name)
	// The second write of the row, with the provider, happens at once.
	row := driver.Deployable{Name: part.Name, Driver: part.Driver, Accelerators: part.NumAccelerators()}
	place := &deployable{Deployable: row, provided: newlyProvided(part), uuid: id, deviceID: card.id, provider: provider, created: s.now(), updated: s.now()}
	for _, h := range part.Handles {
		handleID, err := s.uuids.next()
		if err != nil {
			return err
		}
		place.handles = append(place.handles, &handle{Handle: h, uuid: handleID})
	}
	place.id = s.deployables.add(id, place)
	s.byProvider[provider] = place
	for _, pair := range part.Attributes {
		if err := s.insertAttribute(&attribute{deployableID: place.id, key: pair.Key, value: pair.Value}); err != nil {
			return err
		}
	}
	return nil
}
