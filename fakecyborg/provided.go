package fakecyborg

import (
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/placement"
)

// provided is what the provider of a deployable holds in Placement, as far as
// this server wrote it. It is never changed, only replaced, so that copies of
// rows can share it.
type provided struct {
	Class    string `json:"class"`
	Total    int    `json:"total"`
	Reserved int    `json:"reserved,omitempty"`
	// Bounded says that max_unit is the total, which reports write and switching
	// a device does not.
	Bounded bool     `json:"bounded"`
	Traits  []string `json:"traits,omitempty"`
}

// newlyProvided is what a report writes of a new deployable.
// It mirrors cyborg/conductor/manager.py:ConductorManager.get_placement_needed_info_and_report.
func newlyProvided(part driver.Deployable) *provided {
	return &provided{Class: part.ResourceClass(), Total: part.NumAccelerators(), Bounded: true, Traits: part.Traits()}
}

// after is what is provided once a step of a report is taken. Traits and classes
// themselves are not deleted.
func (p provided) after(step driver.Step) provided {
	switch step.Kind {
	case driver.StepInventory:
		p.Class, p.Total, p.Reserved, p.Bounded = step.Name, step.Total, 0, true
	case driver.StepRemoveTrait:
		p.Traits = withoutTraits(p.Traits, func(trait string) bool { return trait == step.Name })
	case driver.StepAddTrait:
		p = p.withTrait(step.Name)
	case driver.StepDeleteClass:
	}
	return p
}

func (p provided) withTrait(trait string) provided {
	if !slices.Contains(p.Traits, trait) {
		p.Traits = append(slices.Clone(p.Traits), trait)
	}
	return p
}

// withoutFunction leaves out what says which function is loaded.
func (p provided) withoutFunction() provided {
	p.Traits = withoutTraits(p.Traits, func(trait string) bool { return strings.HasPrefix(trait, driver.FunctionTraitPrefix) })
	return p
}

func withoutTraits(traits []string, gone func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(traits), gone)
}

// inventories is the form that Placement's client takes.
func (p provided) inventories() map[string]placement.Inventory {
	inventory := placement.Inventory{Total: p.Total, Reserved: p.Reserved}
	if p.Bounded {
		inventory.MaxUnit = p.Total
	}
	return map[string]placement.Inventory{p.Class: inventory}
}
