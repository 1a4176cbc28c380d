package driver

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/novacyborg/novacyborg/internal/pci"
)

// address reads the card's address, which PCI drivers need.
func (c Card) address(driver string) (pci.Address, error) {
	if c.Address == "" {
		return pci.Address{}, &Error{Driver: driver, Field: "address", Err: ErrMissing}
	}
	address, err := pci.ParseAddress(c.Address)
	if err != nil {
		return pci.Address{}, &Error{Driver: driver, Field: "address", Value: c.Address, Err: fmt.Errorf("%w: %w", ErrFormat, err)}
	}
	return address, nil
}

// refuse returns an error for the first named field that is set.
func (c Card) refuse(driver string, fields ...string) error {
	values := map[string]string{
		"address": c.Address, "product_id": c.ProductID, "model": c.Model,
		"function_id": c.FunctionID, "region_id": c.RegionID,
	}
	if c.VFs != 0 {
		values["vfs"] = strconv.Itoa(c.VFs)
	}
	for _, field := range fields {
		if values[field] != "" {
			return &Error{Driver: driver, Field: field, Value: values[field], Err: ErrUnused}
		}
	}
	return nil
}

// hexID checks an optional identifier of hexadecimal digits that becomes part
// of a trait's name; length 0 allows any.
func hexID(driver, field, value string, length int) error {
	digits := strings.Trim(value, "0123456789abcdefABCDEF")
	if digits != "" || (length > 0 && value != "" && len(value) != length) {
		want := "want hexadecimal digits"
		if length > 0 {
			want = fmt.Sprintf("want %d hexadecimal digits", length)
		}
		return &Error{Driver: driver, Field: field, Value: value, Err: fmt.Errorf("%w: %s", ErrFormat, want)}
	}
	return nil
}

// numberedTraits gives traits the attribute keys that the lspci and sysfs based
// drivers use: trait0, trait1, and so on.
func numberedTraits(traits ...string) []Pair {
	pairs := make([]Pair, 0, len(traits))
	for i, trait := range traits {
		pairs = append(pairs, Pair{Key: "trait" + strconv.Itoa(i), Value: trait})
	}
	return pairs
}

// pciHandle is the handle of a PCI function; the members are in alphabetical
// order, as the hardware drivers store them.
// It mirrors cyborg/accelerator/common/utils.py:pci_str_to_json.
func pciHandle(a pci.Address) Handle {
	return Handle{Type: "PCI", Info: []Pair{
		{Key: "bus", Value: fmt.Sprintf("%02x", a.Bus)},
		{Key: "device", Value: fmt.Sprintf("%02x", a.Device)},
		{Key: "domain", Value: fmt.Sprintf("%04x", a.Domain)},
		{Key: "function", Value: strconv.FormatUint(uint64(a.Function), 16)},
	}}
}
