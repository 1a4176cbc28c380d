package driver

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Machine is the driver of a host's cards, which come, go, break and take
// images while it runs. It is an [Attacher] and a [Programmer], and safe for
// concurrent use. Cards are named by their control path.
type Machine struct {
	host  string
	takes time.Duration
	// unowned makes cards of [Kind.Unowned].
	unowned bool

	mu    sync.Mutex
	slots []*slot
}

var (
	_ Programmer = (*Machine)(nil)
	_ Attacher   = (*Machine)(nil)
)

// slot is a place with a card.
type slot struct {
	kind   Kind
	card   Card
	device Device
	// programming holds one token while an image is loaded.
	programming chan struct{}
	// fault is what programming answers, nil when it works.
	fault error
	// mdevs are the mediated devices by their UUIDs, with their marks.
	mdevs map[string]string
}

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

// WithoutPCIOwner makes the machine's cards be of [Kind.Unowned].
func WithoutPCIOwner() MachineOption {
	return func(m *Machine) error {
		m.unowned = true
		return nil
	}
}

// NewMachine returns the driver of a host without cards.
func NewMachine(host string, opts ...MachineOption) (*Machine, error) {
	m := &Machine{host: host}
	for _, opt := range opts {
		if err := opt(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Insert puts in a card of the kind of that name, which the next Discover finds
// as the last. Errors are of type [*Error], or of [ErrTaken] when the machine has
// a device with that control path or a deployable of that name.
func (m *Machine) Insert(kindName string, card Card) (Device, error) {
	kind, err := Named(kindName)
	if err != nil {
		return Device{}, err
	}
	if m.unowned {
		kind = kind.Unowned()
	}
	card.VFAddresses = slices.Clone(card.VFAddresses)
	device, err := kind.Describe(m.host, card)
	if err != nil {
		return Device{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.slots {
		if taken := s.clash(device); taken != "" {
			return Device{}, fmt.Errorf("insert %s of host %s: %s: %w", device.ControlPath, m.host, taken, ErrTaken)
		}
	}
	m.slots = append(m.slots, &slot{kind: kind, card: card, device: device, programming: make(chan struct{}, 1), mdevs: make(map[string]string)})
	return device.clone(), nil
}

// clash names what the slot and a device cannot both have, "" when nothing.
func (s *slot) clash(device Device) string {
	if s.device.ControlPath == device.ControlPath {
		return "control path " + device.ControlPath
	}
	for _, deployable := range device.Deployables {
		if _, taken := s.device.deployable(deployable.Name); taken {
			return "deployable " + deployable.Name
		}
	}
	return ""
}

// Remove takes a card out, as a device that falls off the bus; an image that is
// being loaded into it fails. It can be inserted again.
func (m *Machine) Remove(controlPath string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find("remove", controlPath)
	if err != nil {
		return err
	}
	m.slots = slices.DeleteFunc(m.slots, func(other *slot) bool { return other == s })
	return nil
}

// Slot is a card in its place in a [Machine].
type Slot struct {
	// Kind is the name of its kind.
	Kind string
	// Card is the card as it is now: with the function that was loaded last.
	Card Card
	// Broken says that [Machine.Break] was called for it.
	Broken bool
}

// Slot returns the card with that control path, or an error of [ErrNoDevice].
func (m *Machine) Slot(controlPath string) (Slot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find("look at", controlPath)
	if err != nil {
		return Slot{}, err
	}
	found := Slot{Kind: s.kind.name, Card: s.card, Broken: s.device.Stub}
	found.Card.VFAddresses = slices.Clone(s.card.VFAddresses)
	return found, nil
}

// Break makes a card a stub, see [Device.Stub]: it is found but cannot be used,
// and reports leave alone what is known of it.
func (m *Machine) Break(controlPath string) error { return m.setStub("break", controlPath, true) }

// Repair undoes [Machine.Break].
func (m *Machine) Repair(controlPath string) error { return m.setStub("repair", controlPath, false) }

func (m *Machine) setStub(what, controlPath string, stub bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find(what, controlPath)
	if err == nil {
		s.device.Stub = stub
	}
	return err
}

// Discover describes the cards in the order of their insertion.
func (m *Machine) Discover(ctx context.Context) ([]Device, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("discover devices of host %s: %w", m.host, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	devices := make([]Device, 0, len(m.slots))
	for _, s := range m.slots {
		devices = append(devices, s.device.clone())
	}
	return devices, nil
}

// find returns the slot of a control path; the caller holds the lock.
func (m *Machine) find(what, controlPath string) (*slot, error) {
	for _, s := range m.slots {
		if s.device.ControlPath == controlPath {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s device %s of host %s: %w", what, controlPath, m.host, ErrNoDevice)
}

// holder returns the slot of a deployable that works; the caller holds the lock.
func (m *Machine) holder(what, deployable string) (*slot, error) {
	for _, s := range m.slots {
		if _, ok := s.device.deployable(deployable); !ok {
			continue
		}
		if s.device.Stub {
			return nil, fmt.Errorf("%s deployable %s: %w", what, deployable, ErrBroken)
		}
		return s, nil
	}
	return nil, fmt.Errorf("%s deployable %s: %w", what, deployable, ErrNoDevice)
}
