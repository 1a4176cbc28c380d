package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Attach makes the mediated device of an MDEV handle and returns the handle's
// info; for other handles there is nothing to make. A mark, which is one place
// on the card, and a UUID can be used once until they are detached.
func (m *Machine) Attach(ctx context.Context, deployable string, handle Handle, id string) ([]Pair, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("attach a handle of %s: %w", deployable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.holder("attach a handle of", deployable)
	if err != nil {
		return nil, err
	}
	place, _ := s.device.deployable(deployable)
	if !slices.ContainsFunc(place.Handles, handle.same) {
		return nil, fmt.Errorf("attach handle %v of %s: %w", handle.Info, deployable, ErrNoDevice)
	}
	if handle.Type == HandleMDEV {
		if err := s.makeMDEV(deployable, handle, id); err != nil {
			return nil, err
		}
	}
	return slices.Clone(handle.Info), nil
}

func (s *slot) makeMDEV(deployable string, handle Handle, id string) error {
	if id == "" {
		return fmt.Errorf("attach a handle of %s: %w", deployable, errNoID)
	}
	for taken, mark := range s.mdevs {
		if taken == id || mark == handle.mark() {
			return fmt.Errorf("attach handle %s of %s: mediated device %s: %w", handle.mark(), deployable, taken, ErrTaken)
		}
	}
	s.mdevs[id] = handle.mark()
	return nil
}

var errNoID = errors.New("a mediated device needs the handle's uuid")

// Detach removes the mediated device of that UUID.
func (m *Machine) Detach(ctx context.Context, deployable string, _ Handle, id string) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("detach a handle of %s: %w", deployable, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.holder("detach a handle of", deployable)
	if errors.Is(err, ErrNoDevice) {
		return nil
	}
	if err != nil {
		return err
	}
	delete(s.mdevs, id)
	return nil
}

// mark is the place of a mediated device on its card.
func (h Handle) mark() string {
	for _, pair := range h.Info {
		if pair.Key == "vgpu_mark" {
			return pair.Value
		}
	}
	return ""
}

// same says whether two handles are the same accelerator: Cyborg goes by the
// info alone.
func (h Handle) same(other Handle) bool { return slices.Equal(h.Info, other.Info) }
