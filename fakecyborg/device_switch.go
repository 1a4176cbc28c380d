package fakecyborg

// enableDevice and disableDevice set the status and reserve, or give back, all
// accelerators in Placement. Bound requests are not touched.
// They mirror cyborg/api/controllers/v2/devices.py:DevicesController.

func (x *exchange) enableDevice() (any, error) { return nil, x.switchDevice(false) }

func (x *exchange) disableDevice() (any, error) { return nil, x.switchDevice(true) }

func (x *exchange) switchDevice(disable bool) error {
	place, host, err := x.server.store.switchDevice(x.parameters["uuid"], disable)
	if err != nil {
		return err
	}
	if err := x.server.reporter.reserve(x.Context(), host, place, disable); err != nil {
		return broken("%v", err)
	}
	return nil
}

// switchDevice returns the deployable whose id equals the device's, as the real
// one does; each device of the fake has one deployable, so that it is the device's own.
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
			return *place, d.hostname, nil
		}
	}
	return deployable{}, "", broken("Deployable not found with id=%d", d.id)
}
