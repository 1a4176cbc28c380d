package driver

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FailProgramming makes the device of that control path answer err to each
// image from now on, after the time that loading takes; nil lets it work again.
func (m *Machine) FailProgramming(controlPath string, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, findErr := m.find("fail programming of", controlPath)
	if findErr == nil {
		s.fault = err
	}
	return findErr
}

// Program loads an image, one at a time into each device, see
// [WithProgrammingTime]. On a card with virtual functions it changes the region
// behind all of them. The function id of the image, without its dashes, becomes
// that of an Intel card, and with it the trait that Discover shows; a Xilinx card
// shows no such trait.
func (m *Machine) Program(ctx context.Context, deployable string, image Image) (Deployable, error) {
	loaded, err := m.program(ctx, deployable, image)
	if err != nil {
		return Deployable{}, fmt.Errorf("program image %s: %w", image.ID, err)
	}
	return loaded, nil
}

func (m *Machine) program(ctx context.Context, deployable string, image Image) (Deployable, error) {
	s, err := m.programmable(deployable, image)
	if err != nil {
		return Deployable{}, err
	}
	select {
	case s.programming <- struct{}{}:
	case <-ctx.Done():
		return Deployable{}, fmt.Errorf("deployable %s is being programmed: %w", deployable, ctx.Err())
	}
	defer func() { <-s.programming }()
	if err := wait(ctx, m.takes); err != nil {
		return Deployable{}, fmt.Errorf("deployable %s: %w", deployable, err)
	}
	loaded, err := m.load(s, deployable, image)
	if err == nil {
		m.changed()
	}
	return loaded, err
}

// functionRule is what a function id may hold: what Placement takes in a trait,
// and dashes.
var functionRule = regexp.MustCompile(`^[0-9A-Za-z_-]{0,200}$`)

// programmable returns the slot of a deployable that takes the image.
func (m *Machine) programmable(deployable string, image Image) (*slot, error) {
	if !functionRule.MatchString(image.FunctionID) {
		return nil, fmt.Errorf("function id %q: %w: want at most 200 letters, digits, underscores and dashes", image.FunctionID, ErrFormat)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.holder("program", deployable)
	if err != nil {
		return nil, err
	}
	if !s.kind.programmable {
		return nil, fmt.Errorf("deployable %s of driver %s: %w", deployable, s.kind.name, ErrNotProgrammable)
	}
	if region := s.card.RegionID; region != "" && image.RegionID != "" && !sameID(region, image.RegionID) {
		return nil, fmt.Errorf("deployable %s has region %s, the image wants %s: %w", deployable, region, image.RegionID, ErrRegion)
	}
	return s, nil
}

// load ends a programming. What happened to the card in the meantime counts.
func (m *Machine) load(s *slot, deployable string, image Image) (Deployable, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !slices.Contains(m.slots, s):
		return Deployable{}, fmt.Errorf("deployable %s vanished: %w", deployable, ErrNoDevice)
	case s.device.Stub:
		return Deployable{}, fmt.Errorf("deployable %s: %w", deployable, ErrBroken)
	case s.fault != nil:
		return Deployable{}, fmt.Errorf("deployable %s: %w", deployable, s.fault)
	}
	card := s.card
	if s.kind.reads["function_id"] {
		card.FunctionID = plainID(image.FunctionID)
	}
	device, err := s.kind.Describe(m.host, card)
	if err != nil {
		return Deployable{}, err
	}
	s.card, s.device = card, device
	loaded, _ := device.deployable(deployable) // names come from addresses, which stay
	return loaded.clone(), nil
}

func plainID(id string) string { return strings.ReplaceAll(id, "-", "") }

func sameID(a, b string) bool { return strings.EqualFold(plainID(a), plainID(b)) }

// wait returns after the time, or with ctx's error when that ends first.
func wait(ctx context.Context, takes time.Duration) error {
	if takes == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
