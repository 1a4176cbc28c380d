package fakecyborg

import (
	"errors"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	machines "github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
)

// realMachine is what a host of a seed says about the machine that it has the
// cards of.
type realMachine struct {
	sources []machineSource
	rules   machines.Rules
	// ruled is the first key of rules, nil when there is none.
	ruled   *yaml.Node
	ruledAt string
}

// machineSource is a file with the functions of a machine.
type machineSource struct {
	node *yaml.Node
	at   string
	open func(path string) ([]machines.Function, error)
}

// realMachine are the keys about a real machine. Cards that Cyborg would not keep
// are left out, as are functions that no driver takes.
func (r *seedReader) realMachine(m *realMachine) map[string]field {
	fields := map[string]field{
		"lspci": m.source(machines.OpenLspci),
		"sysfs": m.source(machines.OpenSysfs),
	}
	for name, read := range map[string]field{
		"vgpu_types":         r.texts(&m.rules.VGPU),
		"physical_networks":  r.texts(&m.rules.PhysicalNetworks),
		"function_names":     r.texts(&m.rules.FunctionNames),
		"skip_gpu_functions": r.flag(&m.rules.SkipGPUFunctions),
		"passthrough":        r.list(func(n *yaml.Node, at string) error { return grow(&m.rules.Passthrough, n, at, r.passthrough) }),
	} {
		fields[name] = func(n *yaml.Node, at string) error {
			if m.ruled == nil {
				m.ruled, m.ruledAt = n, at
			}
			return read(n, at)
		}
	}
	return fields
}

// source notes a file; it is read once the rules are known.
func (m *realMachine) source(open func(path string) ([]machines.Function, error)) field {
	return func(n *yaml.Node, at string) error {
		m.sources = append(m.sources, machineSource{n, at, open})
		return nil
	}
}

func (r *seedReader) passthrough(n *yaml.Node, at string, rule *machines.Passthrough) error {
	return r.mapping(n, at, map[string]field{
		"vendor_id":  r.text(&rule.Vendor),
		"product_id": r.text(&rule.Product),
		"address":    r.text(&rule.Address),
	})
}

// texts reads an object of texts.
func (r *seedReader) texts(into *map[string]string) field {
	return func(n *yaml.Node, at string) error {
		*into = make(map[string]string)
		return r.pairs(n, at, func(key string, value *yaml.Node, at string) error {
			var text string
			if err := r.text(&text)(value, at); err != nil {
				return err
			}
			(*into)[key] = text
			return nil
		})
	}
}

// cards reads the files.
func (m *realMachine) cards(r *seedReader) ([]Device, error) {
	if m.ruled != nil && len(m.sources) == 0 {
		return nil, r.fail(m.ruled, m.ruledAt, "it is about the cards that lspci or sysfs names, and neither is given")
	}
	var devices []Device
	for _, source := range m.sources {
		cards, err := source.cards(r, m.rules)
		if err != nil {
			return nil, err
		}
		devices = append(devices, cards...)
	}
	return devices, nil
}

// cards reads one file; its path is relative to that of the seed.
func (m machineSource) cards(r *seedReader, rules machines.Rules) ([]Device, error) {
	var path string
	if err := r.text(&path)(m.node, m.at); err != nil {
		return nil, err
	}
	if r.dir == "" {
		return nil, r.fail(m.node, m.at, "only a seed that is a file can name other files")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	cards, err := openCards(path, m.open, rules)
	if err != nil {
		return nil, r.fail(m.node, m.at, "%w", err)
	}
	return cards, nil
}

func openCards(path string, open func(path string) ([]machines.Function, error), rules machines.Rules) ([]Device, error) {
	functions, err := open(path)
	if err != nil {
		return nil, err
	}
	found, err := machines.Cards(functions, rules)
	if err != nil {
		return nil, err
	}
	var devices []Device
	for _, card := range found.Cards {
		if kept(card) {
			devices = append(devices, Device{Driver: card.Driver, Card: card.Card})
		}
	}
	if len(devices) == 0 {
		return nil, fmt.Errorf("%s: no driver takes any of the %d functions", path, len(functions))
	}
	return devices, nil
}

// kept says whether Cyborg keeps a card.
func kept(card machines.Card) bool {
	kind, err := driver.Named(card.Driver)
	if err != nil {
		return false
	}
	device, err := kind.Describe("host", card.Card)
	return err == nil && device.CheckReport() == nil
}

// errNotKept is the advice for a device that Cyborg does not keep.
var errNotKept = errors.New("no resource class: Cyborg does not keep such a device, give resource_class or leave it out")
