package inventory

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/internal/pci"
)

// Inventory is what the drivers take of a machine, and what they leave.
type Inventory struct {
	// Cards are what seeds and [driver.Machine] take, in the order of their
	// functions.
	Cards []Card
	// Ignored are the functions that are no part of a card.
	Ignored []Ignored
}

// Card is a card with its driver.
type Card struct {
	// Driver is the name for [driver.Named].
	Driver string
	// Card is what that driver reads.
	Card driver.Card
	// Functions are the addresses that the card is made of.
	Functions []string
}

// Ignored is a function that no driver takes.
type Ignored struct {
	// Function is what was read.
	Function Function
	// Reason is in words.
	Reason string
}

// Cards sorts the functions of a machine. Each is part of one card or ignored.
// What it returns can be described: each card has passed [driver.Kind.Describe].
// It fails when the rules do not fit the machine.
func Cards(functions []Function, rules Rules) (Inventory, error) {
	if err := rules.check(functions); err != nil {
		return Inventory{}, err
	}
	s := &sorter{functions: functions, rules: rules, owner: make(map[string]string)}
	for _, f := range functions {
		s.take(f)
	}
	s.leave()
	return s.inventory, nil
}

type sorter struct {
	functions []Function
	rules     Rules
	inventory Inventory
	// owner is the address of the card that a function is part of.
	owner map[string]string
	// reasons are why functions became no card, in their order.
	reasons []string
}

// take makes a card of a function, if a driver takes it.
func (s *sorter) take(f Function) {
	card, reason := s.card(f)
	if reason == "" {
		reason = s.refusal(card)
	}
	s.reasons = append(s.reasons, reason)
	if reason != "" {
		return
	}
	for _, address := range card.Functions {
		s.owner[address] = f.Address
	}
	s.inventory.Cards = append(s.inventory.Cards, card)
}

// refusal says why a card cannot be made of what was read, "" when it can.
func (s *sorter) refusal(card Card) string {
	for _, address := range card.Functions {
		if owner, taken := s.owner[address]; taken {
			return fmt.Sprintf("%s is part of the card %s already", address, owner)
		}
	}
	if err := describes(card); err != nil {
		return err.Error()
	}
	return ""
}

// card finds the driver, or says why there is none.
func (s *sorter) card(f Function) (Card, string) {
	switch _, err := pci.ParseAddress(f.Address); {
	case errors.Is(err, pci.ErrWideDomain):
		return Card{}, "a PCI domain of more than 16 bits, which no guest can be given"
	case err != nil:
		return Card{}, err.Error()
	}
	if f.Vendor == "" || f.Product == "" {
		return Card{}, "no vendor and device id"
	}
	if s.rules.passes(f) {
		return f.card("pci", driver.Card{VendorID: f.Vendor, ProductID: f.Product}), ""
	}
	for _, maker := range makers {
		if maker.matches(f) {
			return maker.make(s, f)
		}
	}
	if parent, ok := virtualProducts[f.Vendor+":"+f.Product]; ok {
		return Card{}, "a virtual function of a " + parent + "; which one, sysfs knows"
	}
	return Card{}, fmt.Sprintf("no driver takes %s:%s of class %s", f.Vendor, f.Product, f.Class)
}

// card is one of this function alone.
func (f Function) card(name string, card driver.Card) Card {
	card.Address = f.Address
	return Card{Driver: name, Card: card, Functions: []string{f.Address}}
}

func describes(card Card) error {
	kind, err := driver.Named(card.Driver)
	if err != nil {
		return err
	}
	_, err = kind.Describe("host", card.Card)
	return err
}

// leave lists what is part of no card.
func (s *sorter) leave() {
	for i, f := range s.functions {
		if _, taken := s.owner[f.Address]; !taken {
			s.inventory.Ignored = append(s.inventory.Ignored, Ignored{Function: f, Reason: s.reasons[i]})
		}
	}
}
