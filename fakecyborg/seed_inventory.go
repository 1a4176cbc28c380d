package fakecyborg

import (
	"errors"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	machines "github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
)

// machine adds the cards of a real machine to a list of devices; the value is a
// path relative to the seed's file. Cards that Cyborg would not keep are left
// out, as are functions that no driver takes.
func (r *seedReader) machine(devices *[]Device, open func(path string) ([]machines.Function, error)) field {
	return func(n *yaml.Node, at string) error {
		var path string
		if err := r.text(&path)(n, at); err != nil {
			return err
		}
		if r.dir == "" {
			return r.fail(n, at, "only a seed that is a file can name other files")
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(r.dir, path)
		}
		cards, err := openCards(path, open)
		if err != nil {
			return r.fail(n, at, "%w", err)
		}
		*devices = append(*devices, cards...)
		return nil
	}
}

func openCards(path string, open func(path string) ([]machines.Function, error)) ([]Device, error) {
	functions, err := open(path)
	if err != nil {
		return nil, err
	}
	found, err := machines.Cards(functions, machines.Rules{})
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
