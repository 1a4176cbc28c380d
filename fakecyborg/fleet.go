package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// ErrNoHost says that the seed has no host of that name; test for it with
// [errors.Is].
var ErrNoHost = errors.New("the seed has no such host")

// WithDriver makes a host of the seed have the devices of that driver too, behind
// those of the seed. They are there from the first report on, see
// [Server.Discover]. If it is a [driver.Programmer] its devices take images, if it
// is a [driver.Attacher] its mediated devices are made and removed. It can be given
// several times. It stays when another seed is loaded.
func WithDriver(host string, more driver.Driver) Option {
	return func(c *config) error {
		if more == nil {
			return fmt.Errorf("with driver: host %s has none", host)
		}
		c.drivers[host] = append(c.drivers[host], more)
		return nil
	}
}

// Machine is the host's machine with the cards of the seed. Cards can be inserted,
// removed, broken and repaired there at any time; Cyborg knows it after the next
// report, see [Server.Discover]. Loading a seed, and a reset, make new machines.
// The error is of [ErrNoHost].
func (s *Server) Machine(host string) (*driver.Machine, error) {
	s.store.mu.RLock()
	defer s.store.mu.RUnlock()
	machine, ok := s.store.machines[host]
	if !ok {
		return nil, fmt.Errorf("machine of host %s: %w", host, ErrNoHost)
	}
	return machine, nil
}

// equip builds the machines of the seed's hosts from the device rows, and tells of
// each change of a card afterwards.
func (r *rows) equip(release Release, changed func()) error {
	r.machines = make(map[string]*driver.Machine)
	for _, host := range r.seed.Hosts {
		machine, err := release.machine(host, changed)
		if err != nil {
			return err
		}
		r.machines[host.Name] = machine
	}
	for d := range r.devices.all {
		if err := r.insertCard(release, d.hostname, d.ControlPath, d.card); err != nil {
			return err
		}
	}
	return nil
}

// insertCard puts a card into its machine, as far as it has one and is in it.
func (r *rows) insertCard(release Release, host, controlPath string, card Device) error {
	machine, ok := r.machines[host]
	if !ok || card.Driver == "" {
		return nil
	}
	if _, err := release.kind(card.Driver); err != nil {
		return fmt.Errorf("device %s of host %s: %w", controlPath, host, err)
	}
	if card.Vanished {
		return nil
	}
	inserted, err := machine.Insert(card.Driver, card.Card)
	if err != nil || !card.Broken {
		return err
	}
	return machine.Break(inserted.ControlPath)
}

// fleet are the drivers of a host, its machine first.
type fleet []driver.Driver

// fleetOf needs the lock.
func (s *Server) fleetOf(host string) (fleet, error) {
	machine, ok := s.store.machines[host]
	if !ok {
		return nil, ErrNoHost
	}
	return append(fleet{machine}, s.drivers[host]...), nil
}

// discover finds the devices of all drivers.
func (f fleet) discover(ctx context.Context) ([]driver.Device, error) {
	var found []driver.Device
	for _, one := range f {
		devices, err := one.Discover(ctx)
		if err != nil {
			return nil, err
		}
		found = append(found, devices...)
	}
	return found, nil
}

// holder is the driver that finds the deployable of that name.
func (f fleet) holder(ctx context.Context, deployable string) (driver.Driver, error) {
	for _, one := range f {
		devices, err := one.Discover(ctx)
		if err != nil {
			return nil, err
		}
		for _, device := range devices {
			if slices.ContainsFunc(device.Deployables, func(part driver.Deployable) bool { return part.Name == deployable }) {
				return one, nil
			}
		}
	}
	return nil, fmt.Errorf("deployable %s: %w", deployable, driver.ErrNoDevice)
}
