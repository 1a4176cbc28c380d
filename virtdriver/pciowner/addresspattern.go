package pciowner

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// The highest values (nova/pci/devspec.py).
const (
	maxID       = 0xffff
	maxDomain   = 0xffff
	maxBus      = 0xff
	maxSlot     = 0x1f
	maxFunction = 0x7
)

const anything = "*"

// addressPattern is Nova's WhitelistPciAddress: what an entry says about
// addresses.
type addressPattern struct {
	// fields are domain, bus, slot and function: hexadecimal digits or anything
	// for globs, expressions otherwise.
	fields  [4]string
	regexps [4]*regexp.Regexp // of the regular form
	// physical says that the host has this one device and it can have virtual
	// functions; the pattern then matches these as well.
	physical bool
}

// glob reads the form of a text (PciAddressGlobSpec): fields that are left out
// stand for anything.
func glob(text string) (*addressPattern, *fault) {
	p := &addressPattern{fields: [4]string{anything, anything, anything, anything}}
	front, function, _ := strings.Cut(text, ".")
	if function != "" {
		p.fields[3] = strings.TrimFunc(function, pythonSpace)
	}
	if front != "" {
		parts := strings.Split(front, ":")
		if len(parts) > 3 {
			return nil, faultf(ErrAddress, "%q has more than domain, bus and slot before the point", text)
		}
		for i, part := range parts {
			if part = strings.TrimFunc(part, pythonSpace); part != "" {
				p.fields[3-len(parts)+i] = part
			}
		}
	}
	for i, f := range []struct {
		name         string
		limit, width int
	}{{"domain", maxDomain, 4}, {"bus", maxBus, 2}, {"slot", maxSlot, 2}, {"func", maxFunction, 1}} {
		var bad *fault
		if p.fields[i], bad = hexField(f.name, p.fields[i], f.limit, f.width); bad != nil {
			return nil, bad
		}
	}
	return p, nil
}

// regular reads the form of an object (PciAddressRegexSpec).
func regular(object map[string]any) (*addressPattern, *fault) {
	p := &addressPattern{}
	for i, key := range []string{"domain", "bus", "slot", "function"} {
		expression, given := object[key]
		if !given {
			expression = ".*"
		}
		text, ok := expression.(string)
		if !ok {
			return nil, faultf(ErrType, "%s of the address must be a string, got %s", key, jsonText(expression))
		}
		compiled, bad := compile(text)
		if bad != nil {
			return nil, faultf(bad.err, "%s of the address, %q: %s", key, text, bad.detail)
		}
		p.fields[i], p.regexps[i] = text, compiled
	}
	return p, nil
}

// single gives the address if the fields name one device (is_single_address).
func (p *addressPattern) single() (string, bool) {
	for _, field := range p.fields {
		if strings.Trim(field, "0123456789abcdefABCDEF") != "" {
			return "", false
		}
	}
	return fmt.Sprintf("%s:%s:%s.%s", p.fields[0], p.fields[1], p.fields[2], p.fields[3]), true
}

// matches says whether a device has an address of the pattern, or is a virtual
// function of the one device that has it.
func (p *addressPattern) matches(d Device) bool {
	return p.physical && d.Parent != "" && p.matchesAddress(d.Parent) || p.matchesAddress(d.Address)
}

func (p *addressPattern) matchesAddress(address string) bool {
	front, function, _ := strings.Cut(address, ".")
	parts := append(strings.Split(front, ":"), function)
	for i, part := range parts {
		if r := p.regexps[i]; r != nil {
			if !r.MatchString(part) {
				return false
			}
		} else if p.fields[i] != anything && p.fields[i] != part {
			return false
		}
	}
	return true
}

// hexField checks a number and gives it the form of the host's addresses
// (_set_pci_dev_info).
func hexField(name, text string, limit, width int) (string, *fault) {
	if text == anything {
		return text, nil
	}
	n, ok := pythonHex(text)
	switch {
	case !ok:
		return "", faultf(ErrSpec, "property %s (%q) does not parse as a hex number", name, text)
	case n > int64(limit):
		return "", faultf(ErrSpec, "property %s (%s) is greater than the maximum allowable value (%X)", name, text, limit)
	}
	return fmt.Sprintf("%0*x", width, n), nil
}

var pythonNumber = regexp.MustCompile(`^([+-]?)(?:0[xX]_?)?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)$`)

// pythonHex is int(text, 16). Numbers beyond 64 bits become the highest.
func pythonHex(text string) (n int64, ok bool) {
	parts := pythonNumber.FindStringSubmatch(strings.TrimFunc(text, pythonSpace))
	if parts == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(parts[1]+strings.ReplaceAll(parts[2], "_", ""), 16, 64)
	if err != nil && parts[1] != "-" {
		n = math.MaxInt64
	}
	return n, true
}
