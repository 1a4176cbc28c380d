package fakecyborg

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// errNoFunction ends a job after its device was programmed, and leaves its
// request in BindStarted, when the image does not tell its function.
var errNoFunction = errors.New("the image has no property accel:function_id")

// loadImage puts an image into a deployable, by the host's driver. What the driver
// tells of it comes with the next report.
// It mirrors cyborg/agent/manager.py:AgentManager.fpga_program.
func (s *Server) loadImage(ctx context.Context, place *deployable, image driver.Image) error {
	s.store.mu.RLock()
	d, err := s.store.deviceOf(place)
	var drivers fleet
	if err == nil {
		drivers, err = s.fleetOf(d.hostname)
	}
	s.store.mu.RUnlock()
	if err != nil {
		return err
	}
	holder, err := drivers.holder(ctx, place.Name)
	if err != nil {
		return err
	}
	programmer, ok := holder.(driver.Programmer)
	if !ok {
		return fmt.Errorf("deployable %s: %w", place.Name, driver.ErrNotProgrammable)
	}
	_, err = programmer.Program(ctx, place.Name, image)
	return err
}

// deviceOf returns the device of a deployable; the caller holds the lock.
func (s *store) deviceOf(place *deployable) (*device, error) {
	for d := range s.devices.all {
		if d.id == place.deviceID {
			return d, nil
		}
	}
	return nil, fmt.Errorf("deployable %s: its device is gone: %w", place.Name, driver.ErrNoDevice)
}

// tellFunction gives the provider of a deployable the trait of the function that
// was loaded, in place of all such traits. The trait that Cyborg makes of an id with
// dashes is one that Placement refuses; then the provider has none.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._update_placement.
func (s *Server) tellFunction(ctx context.Context, place *deployable, functionID string) error {
	s.reports.Lock()
	defer s.reports.Unlock()
	trait := driver.FunctionTrait(place.Driver, functionID)
	if s.careful {
		trait = driver.PlainFunctionTrait(place.Driver, functionID)
	}
	if err := s.provide(ctx, place, provided.withoutFunction); err != nil {
		return err
	}
	if strings.Contains(trait, "-") {
		return fmt.Errorf("add trait %s to provider %s: Placement takes no dashes", trait, place.provider)
	}
	return s.provide(ctx, place, func(p provided) provided { return p.withTrait(trait) })
}

// provide changes what the provider of a deployable holds. A deployable that is
// gone meanwhile has none.
func (s *Server) provide(ctx context.Context, place *deployable, change func(provided) provided) error {
	s.store.mu.Lock()
	d, err := s.store.deviceOf(place)
	if err != nil || place.provided == nil {
		s.store.mu.Unlock()
		return err
	}
	host, changed := d.hostname, change(*place.provided)
	place.provided = &changed
	now := *place
	s.store.mu.Unlock()
	return s.reporter.one(ctx, host, now)
}
