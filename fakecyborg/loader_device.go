package fakecyborg

import (
	"errors"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

func (l *loader) loadDevice(path, host string, card Device) error {
	maker, err := driver.Named(card.Driver)
	if err != nil {
		return l.fail(path+".driver", err)
	}
	found, err := maker.Describe(host, card.Card)
	if wrong, ok := errors.AsType[*driver.Error](err); ok && wrong.Value != "" {
		path += "." + wrong.Field
	}
	if err != nil {
		return l.fail(path, err)
	}
	if found.CheckReport() != nil {
		return l.fail(path, errNotKept)
	}
	if err := l.claim(path, "device on host "+host, found.ControlPath); err != nil {
		return err
	}
	for _, place := range found.Deployables {
		if err := l.claim(path, "deployable", place.Name); err != nil {
			return err
		}
		if err := l.claimProvider(path, place.Name, driver.ProviderUUID(place.Name)); err != nil {
			return err
		}
	}
	if err := l.store.addDevice(host, found); err != nil {
		return err
	}
	added := l.store.devices.last.row
	added.card, added.disabled = card, card.Disabled
	return nil
}

// addDevice stores a device with its deployables, attributes and handles.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff.
func (s *store) addDevice(host string, found driver.Device) error {
	id, err := s.uuids.next()
	if err != nil {
		return err
	}
	card := &device{Device: found, uuid: id, hostname: host, created: s.now()}
	card.id = s.devices.add(id, card)
	for _, part := range found.Deployables {
		if err := s.addDeployable(card, part); err != nil {
			return err
		}
	}
	return nil
}

func (s *store) addDeployable(card *device, part driver.Deployable) error {
	id, err := s.uuids.next()
	if err != nil {
		return err
	}
	provider := driver.ProviderUUID(part.Name)
	// The second write of the row, with the provider, happens at once.
	place := &deployable{Deployable: part, uuid: id, deviceID: card.id, provider: provider, created: s.now(), updated: s.now()}
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
