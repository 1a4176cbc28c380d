package driver

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// Machine is the driver of a host's cards, which come, go, break and take
// images while it runs. It is an [Attacher] and a [Programmer], and safe for
// concurrent use. Cards are named by their control path, which is a PCI address in
// any form that lspci takes: "0000:3b:00.0", "3b:00.0", "3B:00.0".
type Machine struct {
	host  string
	takes time.Duration
	// kinds finds kinds by their names.
	kinds func(name string) (Kind, error)
	// changed is told of each change of the cards.
	changed func()

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
	// functions are those of the device.
	functions []string
	// programming holds one token while an image is loaded.
	programming chan struct{}
	// fault is what programming answers, nil when it works.
	fault error
	// mdevs are the mediated devices by their UUIDs, with their marks.
	mdevs map[string]string
}

// NewMachine returns the driver of a host without cards.
func NewMachine(host string, opts ...MachineOption) (*Machine, error) {
	m := &Machine{host: host, kinds: Named, changed: func() {}}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("machine: option %d is nil", i)
		}
		if err := opt(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Insert puts in a card of the kind of that name, which the next Discover finds
// as the last. Errors are of type [*Error], those of [WithKinds], or of [ErrTaken]
// when the machine has a device with one of its PCI functions or a deployable of that
// name.
func (m *Machine) Insert(kindName string, card Card) (Device, error) {
	kind, err := m.kinds(kindName)
	if err != nil {
		return Device{}, err
	}
	card.VFAddresses = slices.Clone(card.VFAddresses)
	device, err := kind.Describe(m.host, card)
	if err != nil {
		return Device{}, err
	}
	added := &slot{
		kind: kind, card: card, device: device, functions: device.Functions(),
		programming: make(chan struct{}, 1), mdevs: make(map[string]string),
	}
	if err := m.add(added); err != nil {
		return Device{}, err
	}
	m.changed()
	return device.clone(), nil
}

// add puts a slot behind the others.
func (m *Machine) add(added *slot) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.slots {
		if taken := s.clash(added); taken != "" {
			return fmt.Errorf("insert %s of host %s: %s: %w", added.device.ControlPath, m.host, taken, ErrTaken)
		}
	}
	m.slots = append(m.slots, added)
	return nil
}

// clash names what two slots cannot both have, "" when nothing.
func (s *slot) clash(added *slot) string {
	if s.device.ControlPath == added.device.ControlPath {
		return "control path " + s.device.ControlPath
	}
	for _, function := range added.functions {
		if slices.Contains(s.functions, function) {
			return "function " + function + " of " + s.device.ControlPath
		}
	}
	for _, deployable := range added.device.Deployables {
		if _, taken := s.device.deployable(deployable.Name); taken {
			return "deployable " + deployable.Name
		}
	}
	return ""
}

// Remove takes a card out, as a device that falls off the bus; an image that is
// being loaded into it fails. It can be inserted again.
func (m *Machine) Remove(controlPath string) error {
	return m.change("remove", controlPath, func(s *slot) {
		m.slots = slices.DeleteFunc(m.slots, func(other *slot) bool { return other == s })
	})
}

// change changes the slot of a control path.
func (m *Machine) change(what, controlPath string, change func(*slot)) error {
	m.mu.Lock()
	s, err := m.find(what, controlPath)
	if err == nil {
		change(s)
	}
	m.mu.Unlock()
	if err == nil {
		m.changed()
	}
	return err
}

// Slot is a card in its place in a [Machine].
type Slot struct {
	// ControlPath is the control path of its device.
	ControlPath string
	// Kind is the name of its kind.
	Kind string
	// Card is the card as it is now: with the function that was loaded last.
	Card Card
	// Broken says that [Machine.Break] was called for it.
	Broken bool
}

// Slots are all cards, in the order of their insertion.
func (m *Machine) Slots() []Slot {
	m.mu.Lock()
	defer m.mu.Unlock()
	slots := make([]Slot, 0, len(m.slots))
	for _, s := range m.slots {
		slots = append(slots, s.shown())
	}
	return slots
}

// Slot returns the card with that control path, or an error of [ErrNoDevice].
func (m *Machine) Slot(controlPath string) (Slot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, err := m.find("look at", controlPath)
	if err != nil {
		return Slot{}, err
	}
	return s.shown(), nil
}

func (s *slot) shown() Slot {
	shown := Slot{ControlPath: s.device.ControlPath, Kind: s.kind.name, Card: s.card, Broken: s.device.Stub}
	shown.Card.VFAddresses = slices.Clone(s.card.VFAddresses)
	return shown
}

// Break makes a card a stub, see [Device.Stub]: it is found but cannot be used,
// and reports leave alone what is known of it.
func (m *Machine) Break(controlPath string) error { return m.setStub("break", controlPath, true) }

// Repair undoes [Machine.Break].
func (m *Machine) Repair(controlPath string) error { return m.setStub("repair", controlPath, false) }

func (m *Machine) setStub(what, controlPath string, stub bool) error {
	return m.change(what, controlPath, func(s *slot) { s.device.Stub = stub })
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

// find returns the slot of a control path, however the address is written; the
// caller holds the lock.
func (m *Machine) find(what, controlPath string) (*slot, error) {
	wanted := controlPath
	if at, err := pci.ParseAddress(controlPath); err == nil {
		wanted = at.String()
	}
	for _, s := range m.slots {
		if s.device.ControlPath == wanted {
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
