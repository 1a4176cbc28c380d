package fakecyborg

import (
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// insertDevice stores a device that was found.
func (s *store) insertDevice(host string, found driver.Device) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.vacant(found.Deployables...); err != nil {
		return err
	}
	added, err := s.addDevice(host, found)
	if err != nil {
		return err
	}
	if machine, ok := s.machines[host]; ok {
		if slot, err := machine.Slot(found.ControlPath); err == nil {
			added.card = Device{Driver: slot.Kind, Card: slot.Card}
		}
	}
	return nil
}

// vacant refuses deployables whose names are taken, on whatever host; the caller
// holds the lock.
func (s *store) vacant(parts ...driver.Deployable) error {
	for _, part := range parts {
		if _, taken := s.byProvider[driver.ProviderUUID(part.Name)]; taken {
			return fmt.Errorf("deployable %s: %w", part.Name, driver.ErrTaken)
		}
	}
	return nil
}

// changeDevice stores the device's own fields.
func (s *store) changeDevice(host string, change driver.DeviceChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.deviceAt(host, change.ControlPath)
	if !ok {
		return fmt.Errorf("change device %s: %w", change.ControlPath, driver.ErrNoDevice)
	}
	if len(change.Fields) > 0 {
		d.Type, d.Vendor, d.Model = change.Found.Type, change.Found.Vendor, change.Found.Model
		d.StdBoardInfo, d.VendorBoardInfo = change.Found.StdBoardInfo, change.Found.VendorBoardInfo
		d.updated = s.now()
	}
	return nil
}

func (s *store) insertPart(host, controlPath string, part driver.Deployable) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.deviceAt(host, controlPath)
	if !ok {
		return fmt.Errorf("add deployable %s: %w", part.Name, driver.ErrNoDevice)
	}
	if err := s.vacant(part); err != nil {
		return err
	}
	return s.addDeployable(d, part)
}

func (s *store) deletePartAt(host, controlPath, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.deviceAt(host, controlPath); ok {
		if place, ok := s.partOf(d, name); ok {
			return s.deletePart(place)
		}
	}
	return nil
}

// changePart carries out what is different in a known deployable.
func (s *store) changePart(host, controlPath string, change driver.DeployableChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.deviceAt(host, controlPath)
	if !ok {
		return fmt.Errorf("change deployable %s: %w", change.Name, driver.ErrNoDevice)
	}
	place, ok := s.partOf(d, change.Name)
	if !ok {
		return fmt.Errorf("change deployable %s: %w", change.Name, driver.ErrNoDevice)
	}
	for _, field := range change.Fields {
		if place.updated = s.now(); field == "driver_name" {
			place.Driver = change.Found.Driver
		} else {
			place.Accelerators = change.Found.NumAccelerators()
		}
	}
	for _, attribute := range change.Attributes {
		if err := s.changeAttribute(place, attribute); err != nil {
			return err
		}
	}
	place.step(change.Steps)
	return s.changeHandles(place, change)
}

// step changes what the provider is to hold, unless there is none any more.
func (d *deployable) step(steps []driver.Step) {
	if d.provided == nil || len(steps) == 0 {
		return
	}
	changed := *d.provided
	for _, step := range steps {
		changed = changed.after(step)
	}
	d.provided = &changed
}

func (s *store) changeAttribute(place *deployable, change driver.AttributeChange) error {
	if change.Old == nil {
		return s.insertAttribute(&attribute{deployableID: place.id, key: change.New.Key, value: change.New.Value})
	}
	for a := range s.attributes.all {
		if a.deployableID != place.id || a.key != change.Old.Key || a.value != change.Old.Value || (s.careful && a.made) {
			continue
		}
		if change.New == nil {
			s.attributes.delete(a.uuid)
		} else {
			a.value, a.updated = change.New.Value, s.now()
		}
		return nil
	}
	return nil
}

// changeHandles mirrors
// cyborg/conductor/manager.py:ConductorManager.drv_ah_make_diff.
func (s *store) changeHandles(place *deployable, change driver.DeployableChange) error {
	for _, gone := range change.Deleted {
		for _, h := range slices.Clone(place.handles) {
			if slices.Equal(h.Info, gone.Info) {
				if err := deleteHandle(place, h); err != nil {
					return err
				}
			}
		}
	}
	for _, added := range change.Added {
		id, err := s.uuids.next()
		if err != nil {
			return err
		}
		place.handles = append(place.handles, &handle{Handle: added, uuid: id})
	}
	for _, retyped := range change.Retyped {
		for _, h := range place.handles {
			if slices.Equal(h.Info, retyped.Info) {
				h.Type = retyped.Type
			}
		}
	}
	return nil
}

// places are copies of the deployables of a host.
func (s *store) places(host string) []deployable {
	s.mu.RLock()
	defer s.mu.RUnlock()
	here := make(map[int]bool)
	for d := range s.devices.all {
		here[d.id] = d.hostname == host
	}
	var found []deployable
	for place := range s.deployables.all {
		if here[place.deviceID] {
			found = append(found, *place)
		}
	}
	return found
}

// takeOffMarket reserves all of a vanished device, if requests have it or in any
// case, and says whether it did.
func (s *store) takeOffMarket(host, controlPath string, anyway bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, ok := s.deviceAt(host, controlPath)
	if !ok || (!anyway && !s.inUse(d)) {
		return false
	}
	s.reserve(d, true)
	return true
}

// bringToMarket gives back what takeOffMarket reserved of devices that are found.
func (s *store) bringToMarket(host string, found []driver.Device) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, device := range found {
		if d, ok := s.deviceAt(host, device.ControlPath); ok && !device.Stub {
			s.reserve(d, d.disabled)
		}
	}
}

func (s *store) reserve(d *device, all bool) {
	for _, place := range s.partsOf(d) {
		if place.provided == nil {
			continue
		}
		changed := *place.provided
		if changed.Reserved = 0; all {
			changed.Reserved = changed.Total
		}
		place.provided = &changed
	}
}
