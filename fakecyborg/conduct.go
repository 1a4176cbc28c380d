package fakecyborg

import (
	"context"
	"errors"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
)

// agent is a host with its drivers.
func (s *Server) agent(name string) (fleet, Host, error) {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	for _, host := range s.store.seed.Hosts {
		if host.Name == name {
			drivers, err := s.fleetOf(name)
			return drivers, host, err
		}
	}
	return nil, Host{}, ErrNoHost
}

// conduct carries out one report, which may leave the tables as they are; the caller
// holds the lock of reports.
// It mirrors cyborg/conductor/manager.py:ConductorManager.report_data.
func (s *Server) conduct(ctx context.Context, host Host, found []driver.Device, untouched bool) error {
	if err := s.reporter.node(ctx, host); err != nil {
		return err
	}
	var err error
	if !untouched || len(s.drivers[host.Name]) > 0 {
		err = s.change(ctx, host.Name, found)
	}
	return errors.Join(err, s.reporter.all(ctx, host.Name, s.store.places(host.Name)))
}

// change brings the rows of a host to what was found.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_device_make_diff.
func (s *Server) change(ctx context.Context, host string, found []driver.Device) error {
	if s.careful {
		return s.changeCarefully(ctx, host, found)
	}
	difference := driver.Compare(s.store.known(host, false), found)
	s.warnRefused(ctx, host, difference)
	for _, gone := range difference.Deleted {
		if err := s.removeDevice(ctx, host, gone); err != nil {
			return err
		}
	}
	for _, added := range difference.Added {
		s.insertDevice(ctx, host, added)
	}
	for _, changed := range difference.Changed {
		if err := s.changeDevice(ctx, host, changed); err != nil {
			return err
		}
	}
	return nil
}

// changeCarefully is change without its faults.
func (s *Server) changeCarefully(ctx context.Context, host string, found []driver.Device) error {
	difference := driver.CompareCarefully(s.store.known(host, true), found)
	s.warnRefused(ctx, host, difference)
	var failed []error
	for _, gone := range difference.Deleted {
		failed = append(failed, s.retireDevice(ctx, host, gone))
	}
	for _, added := range difference.Added {
		s.insertDevice(ctx, host, added)
	}
	for _, changed := range difference.Changed {
		failed = append(failed, s.changeDevice(ctx, host, changed))
	}
	s.store.bringToMarket(host, found)
	return errors.Join(failed...)
}

// retireDevice removes a device, or takes it off the market while it is in use.
func (s *Server) retireDevice(ctx context.Context, host string, gone driver.Device) error {
	if s.store.takeOffMarket(host, gone.ControlPath, false) {
		return nil
	}
	err := s.removeDevice(ctx, host, gone)
	if errors.Is(err, placement.ErrInUse) {
		s.store.takeOffMarket(host, gone.ControlPath, true)
	}
	return err
}

func (s *Server) warnRefused(ctx context.Context, host string, difference driver.Difference) {
	for _, refused := range difference.Refused {
		s.logger.WarnContext(ctx, "a device is not kept", "host", host, "device", refused.Device, "deployable", refused.Deployable, "error", refused.Err)
	}
}

// removeDevice takes a device out of Placement and then out of the tables.
func (s *Server) removeDevice(ctx context.Context, host string, gone driver.Device) error {
	for _, part := range gone.Deployables {
		if err := s.withdraw(ctx, host, part.Name); err != nil {
			return err
		}
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if d, ok := s.store.deviceAt(host, gone.ControlPath); ok {
		return s.store.deleteDevice(d)
	}
	return nil
}

// withdraw deletes the provider of a deployable.
func (s *Server) withdraw(ctx context.Context, host, name string) error {
	id := driver.ProviderUUID(name)
	if err := s.reporter.withdraw(ctx, host, id); err != nil {
		return err
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if place, ok := s.store.byProvider[id]; ok {
		place.provided = nil
	}
	return nil
}

// insertDevice stores a new device and offers it in Placement. What cannot be
// offered, or stored, is not kept.
func (s *Server) insertDevice(ctx context.Context, host string, added driver.Device) {
	err := s.store.insertDevice(host, added)
	if err != nil {
		s.logger.WarnContext(ctx, "a device is not kept", "host", host, "device", added.ControlPath, "error", err)
		return
	}
	for _, part := range added.Deployables {
		if err = s.offer(ctx, host, part.Name); err != nil {
			break
		}
	}
	if err != nil {
		s.logger.WarnContext(ctx, "a device is not kept", "host", host, "device", added.ControlPath, "error", err)
		if err := s.removeDevice(ctx, host, added); err != nil {
			s.logger.WarnContext(ctx, "remove a device that is not kept", "host", host, "device", added.ControlPath, "error", err)
		}
	}
}

// offer writes the provider of a deployable.
func (s *Server) offer(ctx context.Context, host, name string) error {
	s.store.mu.RLock()
	place, ok := s.store.byProvider[driver.ProviderUUID(name)]
	if !ok {
		s.store.mu.RUnlock()
		return nil
	}
	offered := *place
	s.store.mu.RUnlock()
	return s.reporter.one(ctx, host, offered)
}

// changeDevice carries out what is different in a known device.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_deployable_make_diff.
func (s *Server) changeDevice(ctx context.Context, host string, change driver.DeviceChange) error {
	if err := s.store.changeDevice(host, change); err != nil {
		return err
	}
	for _, gone := range change.Deleted {
		if err := s.removePart(ctx, host, change.ControlPath, gone.Name); err != nil {
			return err
		}
	}
	for _, added := range change.Added {
		if err := s.insertPart(ctx, host, change.ControlPath, added); err != nil {
			return err
		}
	}
	for _, part := range change.Changed {
		if err := s.store.changePart(host, change.ControlPath, part); err != nil {
			return err
		}
	}
	return nil
}

// removePart takes a deployable out of the tables and then out of Placement.
func (s *Server) removePart(ctx context.Context, host, controlPath, name string) error {
	if err := s.store.deletePartAt(host, controlPath, name); err != nil {
		return err
	}
	return s.reporter.withdraw(ctx, host, driver.ProviderUUID(name))
}

// insertPart stores a new deployable of a known device and offers it.
func (s *Server) insertPart(ctx context.Context, host, controlPath string, added driver.Deployable) error {
	err := s.store.insertPart(host, controlPath, added)
	if err != nil {
		s.logger.WarnContext(ctx, "a deployable is not kept", "host", host, "deployable", added.Name, "error", err)
		return nil
	}
	if err = s.offer(ctx, host, added.Name); err != nil {
		s.logger.WarnContext(ctx, "a deployable is not kept", "host", host, "deployable", added.Name, "error", err)
		return s.removePart(ctx, host, controlPath, added.Name)
	}
	return nil
}
