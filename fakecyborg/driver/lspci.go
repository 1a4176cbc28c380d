package driver

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// lspciCard is what the drivers that read lspci report alike.
type lspciCard struct {
	// device is the type, kind the word in the vendor's board info.
	device, kind string
	// vendor, product, model and controller are the defaults of the card's fields.
	vendor, product, model, controller string
	// driver is the driver_name field, class the resource class.
	driver, class string
}

// fill puts the defaults into the card's fields.
func (l lspciCard) fill(card Card) Card {
	card.ProductID = strings.ToLower(cmp.Or(card.ProductID, l.product))
	card.Model = cmp.Or(card.Model, l.model)
	card.Controller = cmp.Or(card.Controller, l.controller)
	return card
}

// report makes the device; its deployable has the handles given, or the one of
// the card.
func (l lspciCard) report(host string, card Card, at pci.Address, traits []string, handles ...Handle) Device {
	if len(handles) == 0 {
		handles = []Handle{pciHandle(at)}
	}
	return Device{
		Type: l.device, Vendor: l.vendor, Model: card.Model,
		StdBoardInfo:    boardInfo("product_id", card.ProductID, "controller", card.Controller),
		VendorBoardInfo: boardInfo("vendor_info", l.kind+"_vb_info"),
		ControlPath:     at.String(),
		Deployables: []Deployable{{
			Name: host + "_" + at.String(), Driver: l.driver,
			Attributes: attributes(l.class, traits...), Handles: handles,
		}},
	}
}

// boardInfo is an object in the spelling of Python's json: a blank after each
// separator, an empty value as null.
func boardInfo(keysAndValues ...string) string {
	var members []string
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		value := "null"
		if text := keysAndValues[i+1]; text != "" {
			value = pythonString(text)
		}
		members = append(members, pythonString(keysAndValues[i])+": "+value)
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// pythonString quotes text as Python's json does, with everything beyond ASCII
// escaped.
func pythonString(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string always encodes
	return asciiOnly(strings.TrimSuffix(out.String(), "\n"))
}
