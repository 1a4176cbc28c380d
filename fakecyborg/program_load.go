package fakecyborg

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// loadImage puts an image into a deployable and notes its attributes where a
// driver tells them. With a Placement the provider has the
// trait of the new function before this returns.
// It mirrors cyborg/objects/extarq/fpga_ext_arq.py:FPGAExtARQ._do_programming and
// _update_placement.
func (s *Server) loadImage(ctx context.Context, place *deployable, image driver.Image) error {
	host, err := s.store.hostOfDeployable(place)
	if err != nil {
		return err
	}
	if programmer, ok := s.images.programmers[host]; ok {
		found, err := programmer.Program(ctx, place.Name, image)
		if err != nil {
			return err
		}
		if err := s.store.setAttributes(place, found.Attributes); err != nil {
			return err
		}
	}
	return s.reportFunction(ctx, host, place, image)
}

// reportFunction tells Placement of the function that a device has now. The name
// that Cyborg makes of an id with dashes is one that Placement refuses.
func (s *Server) reportFunction(ctx context.Context, host string, place *deployable, image driver.Image) error {
	if s.reporter.client == nil || image.FunctionID == "" {
		return nil
	}
	if strings.Contains(image.FunctionID, "-") {
		return fmt.Errorf("add trait %s to provider %s: Placement takes no dashes", driver.FunctionTrait(place.Driver, image.FunctionID), place.provider)
	}
	for _, known := range s.reporter.followed() {
		if known.Name == host {
			return s.reporter.report(ctx, known, s.store.hostDeployables(host))
		}
	}
	return nil
}

// hostOfDeployable returns the host of a deployable's device.
func (s *store) hostOfDeployable(place *deployable) (string, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for d := range s.devices.all {
		if d.id == place.deviceID {
			return d.hostname, nil
		}
	}
	return "", fmt.Errorf("program deployable %s: its device is gone", place.Name)
}

// setAttributes makes a deployable have those attributes and no others, as the
// report of an agent does: what was made through the API goes.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_attributes_make_diff.
func (s *store) setAttributes(place *deployable, pairs []driver.Pair) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	place.Attributes = slices.Clone(pairs)
	return s.reportAttributes(place)
}

// reportAttributes brings the rows to what the driver tells; the caller holds the lock.
func (s *store) reportAttributes(place *deployable) error {
	missing := slices.Clone(place.Attributes)
	for a := range s.attributes.all {
		if a.deployableID != place.id {
			continue
		}
		told := slices.IndexFunc(missing, func(p driver.Pair) bool { return p.Key == a.key && p.Value == a.value })
		if told < 0 {
			s.attributes.delete(a.uuid)
			continue
		}
		missing = slices.Delete(missing, told, told+1)
	}
	for _, pair := range missing {
		if err := s.insertAttribute(&attribute{deployableID: place.id, key: pair.Key, value: pair.Value}); err != nil {
			return err
		}
	}
	return nil
}

// reportAllAttributes is what the agents' periodic reports do to attributes.
func (s *store) reportAllAttributes() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for place := range s.deployables.all {
		if err := s.reportAttributes(place); err != nil {
			return err
		}
	}
	return nil
}
