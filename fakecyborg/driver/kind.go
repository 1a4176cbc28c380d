package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// Kind is one kind of card: how a description becomes what the Cyborg driver
// of such cards reports. [Named] gives it; its zero value describes nothing.
type Kind struct {
	name string
	// needs is the field without default, "" when all have one.
	needs string
	// reads are the other fields.
	reads map[string]bool
	// programmable says whether the Cyborg driver has a program method.
	programmable bool
	// unowned leaves the trait OWNER_CYBORG out.
	unowned bool
	// describe makes the report of a card whose fields are checked.
	describe func(k Kind, host string, card Card, at pci.Address) (Device, error)
}

// kinds are all kinds by the names that seeds use.
var kinds = func() map[string]Kind {
	all := make(map[string]Kind)
	for _, kind := range []Kind{
		aichipKind(), fakeKind(), intelFPGAKind(), inspurFPGAKind(), nicKind(), pciKind(),
		pgpuKind(), qatKind(), ssdKind(), vgpuKind(), xilinxFPGAKind(),
	} {
		all[kind.name] = kind
	}
	return all
}()

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// Names are the names of all kinds, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// Named returns the kind of that name, or an [*Error] of [ErrUnknownDriver]
// that lists the names there are.
func Named(name string) (Kind, error) {
	kind, ok := kinds[name]
	if !ok {
		return Kind{}, &Error{Driver: name, Field: "driver", Value: name, Err: fmt.Errorf("%w, known are %s", ErrUnknownDriver, strings.Join(Names(), ", "))}
	}
	return kind, nil
}

// Unowned is the kind as before Cyborg's 2026.2: the generic PCI driver does not
// report the trait OWNER_CYBORG. Other kinds stay as they are.
func (k Kind) Unowned() Kind {
	k.unowned = k.name == pciName
	return k
}

// Programmable says whether devices of this kind take images.
func (k Kind) Programmable() bool { return k.programmable }

// Keys are the keys of the card's fields that are read, sorted.
func (k Kind) Keys() []string {
	keys := slices.Collect(maps.Keys(k.reads))
	if k.needs != "" {
		keys = append(keys, k.needs)
	}
	slices.Sort(keys)
	return keys
}

// Describe turns one card of a host into the device that its driver reports.
// Errors are of type [*Error] and name the field of the card that is wrong.
func (k Kind) Describe(host string, card Card) (Device, error) {
	if k.describe == nil {
		return Device{}, k.wrong("driver", k.name, ErrUnknownDriver)
	}
	if err := k.check(card); err != nil {
		return Device{}, err
	}
	var at pci.Address
	if k.needs == "address" {
		var err error
		if at, err = k.address("address", card.Address); err != nil {
			return Device{}, err
		}
	}
	return k.describe(k, host, card, at)
}

func (k Kind) address(field, text string) (pci.Address, error) {
	at, err := pci.ParseAddress(text)
	if err != nil {
		return pci.Address{}, k.wrong(field, text, fmt.Errorf("%w: %w", ErrFormat, err))
	}
	return at, nil
}
