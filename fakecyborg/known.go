package fakecyborg

import (
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// ErrHandleInUse says that a device cannot go from Cyborg's tables because an
// accelerator request has one of its handles; test for it with [errors.Is].
var ErrHandleInUse = errors.New("an accelerator request has it")

// known are the devices of a host as the tables have them; told leaves out
// attributes that were made through the API.
// It mirrors cyborg/objects/driver_objects/driver_device.py:DriverDevice.list.
func (s *store) known(host string, told bool) []driver.Device {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []driver.Device
	for d := range s.devices.all {
		if d.hostname != host {
			continue
		}
		found := d.Device
		found.Deployables = nil
		for place := range s.deployables.all {
			if place.deviceID == d.id {
				found.Deployables = append(found.Deployables, s.knownPart(place, told))
			}
		}
		list = append(list, found)
	}
	return list
}

func (s *store) knownPart(place *deployable, told bool) driver.Deployable {
	part := driver.Deployable{Name: place.Name, Driver: place.Driver, Accelerators: place.NumAccelerators()}
	for a := range s.attributes.all {
		if a.deployableID == place.id && (!told || !a.made) {
			part.Attributes = append(part.Attributes, driver.Pair{Key: a.key, Value: a.value})
		}
	}
	for _, h := range place.handles {
		part.Handles = append(part.Handles, h.Handle)
	}
	return part
}

// deviceAt finds a device row by its control path; the caller holds the lock.
func (s *store) deviceAt(host, controlPath string) (*device, bool) {
	for d := range s.devices.all {
		if d.hostname == host && d.ControlPath == controlPath {
			return d, true
		}
	}
	return nil, false
}

// partOf finds a deployable row by its name; the caller holds the lock.
func (s *store) partOf(d *device, name string) (*deployable, bool) {
	for place := range s.deployables.all {
		if place.deviceID == d.id && place.Name == name {
			return place, true
		}
	}
	return nil, false
}

// partsOf are the deployable rows of a device; the caller holds the lock.
func (s *store) partsOf(d *device) []*deployable {
	var parts []*deployable
	for place := range s.deployables.all {
		if place.deviceID == d.id {
			parts = append(parts, place)
		}
	}
	return parts
}

// deleteDevice deletes a device's rows. As the database refuses to delete a
// handle that a request has, it stops there; what was deleted stays so.
// It mirrors cyborg/objects/driver_objects/driver_device.py:DriverDevice.destroy.
func (s *store) deleteDevice(d *device) error {
	for _, place := range s.partsOf(d) {
		if err := s.deletePart(place); err != nil {
			return err
		}
	}
	s.devices.delete(d.uuid)
	return nil
}

// deletePart deletes a deployable's rows, see deleteDevice.
// It mirrors cyborg/objects/driver_objects/driver_deployable.py:DriverDeployable.destroy.
func (s *store) deletePart(place *deployable) error {
	for len(place.handles) > 0 {
		if err := deleteHandle(place, place.handles[0]); err != nil {
			return err
		}
	}
	for a := range s.attributes.all {
		if a.deployableID == place.id {
			s.attributes.delete(a.uuid)
		}
	}
	s.deployables.delete(place.uuid)
	delete(s.byProvider, place.provider)
	return nil
}

func deleteHandle(place *deployable, gone *handle) error {
	if gone.inUse {
		return fmt.Errorf("delete attach handle %s of %s: %w", gone.uuid, place.Name, ErrHandleInUse)
	}
	place.handles = slices.DeleteFunc(place.handles, func(h *handle) bool { return h == gone })
	return nil
}

// inUse tells whether requests have handles of a device; the caller holds the lock.
func (s *store) inUse(d *device) bool {
	return slices.ContainsFunc(s.partsOf(d), func(place *deployable) bool {
		return slices.ContainsFunc(place.handles, func(h *handle) bool { return h.inUse })
	})
}
