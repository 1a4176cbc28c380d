package inventory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
)

// maker makes the cards of one driver.
type maker struct {
	matches func(Function) bool
	make    func(*sorter, Function) (Card, string)
}

// makers are asked in order.
var makers = []maker{
	{is("8086", "09c4"), func(s *sorter, f Function) (Card, string) {
		return s.withFunctions("fpga", f, driver.Card{FunctionID: f.FunctionID, RegionID: f.RegionID}), ""
	}},
	{is("8086", "37c8"), func(s *sorter, f Function) (Card, string) { return s.withFunctions("qat", f, driver.Card{}), "" }},
	{is("8086", "158b", "1572"), (*sorter).nic},
	{isClass("1bd4", "1200"), func(_ *sorter, f Function) (Card, string) { return f.card("inspur_fpga", f.texts()), "" }},
	{isClass("1bd4", "0108"), func(_ *sorter, f Function) (Card, string) { return f.card("ssd", f.texts()), "" }},
	{isClass("10ee", "1200"), (*sorter).xilinx},
	{isClass("10de", "0300", "0302"), (*sorter).gpu},
	{is("19e5", "d100"), func(_ *sorter, f Function) (Card, string) {
		return f.card("aichip", driver.Card{Model: f.Model, Controller: f.ClassName}), ""
	}},
}

// virtualProducts are the virtual functions of the cards that have them.
var virtualProducts = map[string]string{
	"8086:09c5": "Intel FPGA", "8086:37c9": "QAT card", "8086:154c": "NIC",
}

// virtualOf are the products of the cards by those of their virtual functions.
var virtualOf = map[string][]string{"09c5": {"09c4"}, "37c9": {"37c8"}, "154c": {"158b", "1572"}}

func is(vendor string, products ...string) func(Function) bool {
	return func(f Function) bool { return f.Vendor == vendor && slices.Contains(products, f.Product) }
}

func isClass(vendor string, classes ...string) func(Function) bool {
	return func(f Function) bool { return f.Vendor == vendor && slices.Contains(classes, f.Class) }
}

// texts are the fields that the drivers which read lspci take.
func (f Function) texts() driver.Card {
	return driver.Card{ProductID: f.Product, Model: f.Model, Controller: f.ClassName}
}

// withFunctions is a card with its virtual functions.
func (s *sorter) withFunctions(name string, f Function, card driver.Card) Card {
	card.VFAddresses = slices.DeleteFunc(s.virtualFunctions(f), s.passed)
	made := f.card(name, card)
	made.Functions = append(made.Functions, card.VFAddresses...)
	return made
}

// passed says whether the generic PCI driver takes the function of an address.
func (s *sorter) passed(address string) bool {
	return slices.ContainsFunc(s.functions, func(f Function) bool { return f.Address == address && s.rules.passes(f) })
}

// virtualFunctions are what sysfs says, or, where it says nothing, those on the
// bus of the card if no other such card is there.
func (s *sorter) virtualFunctions(card Function) []string {
	if len(card.VFs) > 0 {
		return slices.Clone(card.VFs)
	}
	var found []string
	for _, f := range s.functions {
		if f.bus() != card.bus() || f.Vendor != card.Vendor || f.Address == card.Address {
			continue
		}
		switch {
		case sameFamily(f.Product, card.Product):
			return nil
		case slices.Contains(virtualOf[f.Product], card.Product) && (f.Parent == "" || f.Parent == card.Address):
			found = append(found, f.Address)
		}
	}
	return found
}

// sameFamily says whether two products have the same virtual functions.
func sameFamily(a, b string) bool {
	for _, products := range virtualOf {
		if slices.Contains(products, a) && slices.Contains(products, b) {
			return true
		}
	}
	return false
}

// bus is the address up to the device, slot the one up to the function.
func (f Function) bus() string  { return before(f.Address, ':') }
func (f Function) slot() string { return before(f.Address, '.') }

func before(address string, mark byte) string {
	return address[:max(0, strings.LastIndexByte(address, mark))]
}

func (s *sorter) nic(f Function) (Card, string) {
	return s.withFunctions("nic", f, driver.Card{
		ProductID:       f.Product,
		PhysicalNetwork: named(s.rules.PhysicalNetworks, f.Interfaces),
		FunctionName:    named(s.rules.FunctionNames, f.Interfaces),
	}), ""
}

// xilinx makes one card of the functions of a slot: as the driver does it, the
// first and the last.
func (s *sorter) xilinx(f Function) (Card, string) {
	var together []string
	for _, other := range s.functions {
		if other.slot() == f.slot() && isClass("10ee", "1200")(other) {
			together = append(together, other.Address)
		}
	}
	if f.Address != together[0] {
		return Card{}, "neither the first nor the last function of a Xilinx card"
	}
	card := f.texts()
	card.UserAddress = "none"
	made := f.card("xilinx_fpga", card)
	if last := together[len(together)-1]; last != f.Address {
		made.Card.UserAddress = last
		made.Functions = append(made.Functions, last)
	}
	return made, ""
}

func (s *sorter) gpu(f Function) (Card, string) {
	if f.Parent != "" && s.rules.SkipGPUFunctions {
		return Card{}, "a virtual function of a GPU, which the rules leave out"
	}
	asked, shared := s.rules.VGPU[f.Address]
	if !shared {
		return f.card("pgpu", f.texts()), ""
	}
	for _, kind := range f.MediatedTypes {
		if kind.Type == asked {
			card := f.texts()
			card.VGPUType, card.VGPUName, card.VGPUs = kind.Type, kind.Name, kind.Instances
			return f.card("vgpu", card), ""
		}
	}
	return Card{}, fmt.Sprintf("sysfs shows no mediated devices of type %s, which the rules ask for", asked)
}
