package fakecyborg

// enableDevice and disableDevice set the status and reserve, or give back, all
// accelerators in Placement. Bound requests are not touched.
// They mirror cyborg/api/controllers/v2/devices.py:DevicesController.

func (x *exchange) enableDevice() (any, error) { return nil, x.switchDevice(false) }

func (x *exchange) disableDevice() (any, error) { return nil, x.switchDevice(true) }

func (x *exchange) switchDevice(disable bool) error {
	s := x.server
	uuid, _ := x.argument("uuid")
	s.reports.Lock()
	defer s.reports.Unlock()
	place, host, err := s.store.switchDevice(uuid, disable)
	if err != nil {
		return err
	}
	if err := s.reporter.one(x.Context(), host, place); err != nil {
		return broken("%v", err)
	}
	return nil
}

// switchDevice changes the status, and what is offered of the deployable whose id
// equals the device's, as the real one does: that need not be one of its own. The
// inventory it writes has no max_unit.
func (s *store) switchDevice(uuid string, disable bool) (deployable, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.findDevice(uuid)
	if err != nil {
		return deployable{}, "", err
	}
	if d.disabled != disable {
		d.disabled, d.updated = disable, s.now()
	}
	for place := range s.deployables.all {
		if place.id == d.id {
			return s.switchPart(place, disable)
		}
	}
	return deployable{}, "", broken("Deployable not found with id=%d", d.id)
}

func (s *store) switchPart(place *deployable, disable bool) (deployable, string, error) {
	class, ok := s.classOf(place)
	if !ok {
		return deployable{}, "", broken("module 'cyborg.accelerator.common.exception' has no attribute 'ResourceNotFound'")
	}
	if place.provided != nil {
		changed := provided{Class: class, Total: place.NumAccelerators(), Traits: place.provided.Traits}
		if disable {
			changed.Reserved = changed.Total
		}
		place.provided = &changed
	}
	owner, err := s.deviceOf(place)
	if err != nil {
		return deployable{}, "", err
	}
	return *place, owner.hostname, nil
}

// classOf is the value of the first attribute rc.
func (s *store) classOf(place *deployable) (string, bool) {
	for a := range s.attributes.all {
		if a.deployableID == place.id && a.key == "rc" {
			return a.value, true
		}
	}
	return "", false
}
