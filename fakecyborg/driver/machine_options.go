package driver

import (
	"errors"
	"fmt"
	"time"
)

// MachineOption configures [NewMachine].
type MachineOption func(*Machine) error

// WithProgrammingTime says how long it takes to load an image, 0 when not given.
func WithProgrammingTime(takes time.Duration) MachineOption {
	return func(m *Machine) error {
		if takes < 0 {
			return fmt.Errorf("machine: programming time %s: want 0 or more", takes)
		}
		m.takes = takes
		return nil
	}
}

// WithKinds finds the kinds of cards with that function instead of [Named]: for a
// machine that takes fewer kinds, or others. Its errors are those of Insert.
func WithKinds(find func(name string) (Kind, error)) MachineOption {
	return func(m *Machine) error {
		if find == nil {
			return errors.New("machine: with kinds: no function")
		}
		m.kinds = find
		return nil
	}
}

// WithChanges calls that function after each change of the cards: one was put in,
// taken out, broken, repaired or programmed.
func WithChanges(changed func()) MachineOption {
	return func(m *Machine) error {
		if changed == nil {
			return errors.New("machine: with changes: no function")
		}
		m.changed = changed
		return nil
	}
}
