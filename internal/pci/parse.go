package pci

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads the four fields of an attach handle (attach_handle_info of
// Cyborg's cyborg/objects/attach_handle.py). Each field is hexadecimal in upper
// or lower case, padded or not, with or without 0x; blanks, signs, 0X and empty
// fields are refused. Errors are of type [*Error].
func Parse(domain, bus, device, function string) (Address, error) {
	d, domainErr := parseField("domain", domain, 0xffff)
	b, busErr := parseField("bus", bus, 0xff)
	s, deviceErr := parseField("device", device, 0x1f)
	f, functionErr := parseField("function", function, 0x7)
	for _, err := range []*Error{domainErr, busErr, deviceErr, functionErr} {
		if err != nil {
			return Address{}, err
		}
	}
	//nolint:gosec // parseField keeps them below 256
	return Address{Domain: d, Bus: uint8(b), Device: uint8(s), Function: uint8(f)}, nil
}

// ParseAddress reads a joined address, "dddd:bb:dd.f" or without the domain
// "bb:dd.f" (domain 0, as lspci prints it on hosts with one domain). The
// fields follow the rules of [Parse], so Nova's unpadded "0000:0c:0.1" is read
// too.
func ParseAddress(text string) (Address, error) {
	rest, function, ok := strings.Cut(text, ".")
	parts := strings.Split(rest, ":")
	if len(parts) == 2 {
		parts = append([]string{"0"}, parts...)
	}
	if !ok || len(parts) != 3 {
		return Address{}, &Error{Field: "address", Value: text, Err: fmt.Errorf("%w, in the form dddd:bb:dd.f or bb:dd.f", ErrSyntax)}
	}
	return Parse(parts[0], parts[1], parts[2], function)
}

// parseField reads one field; its value is at most limit.
func parseField(name, text string, limit uint16) (uint16, *Error) {
	digits := text
	if len(text) > 2 {
		digits = strings.TrimPrefix(text, "0x")
	}
	n, err := strconv.ParseUint(digits, 16, 16)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		err = ErrSyntax
	case err == nil && n <= uint64(limit):
		return uint16(n), nil
	case name == "domain":
		err = ErrWideDomain
	default:
		err = fmt.Errorf("%w, the highest is 0x%x", ErrRange, limit)
	}
	return 0, &Error{Field: name, Value: text, Err: err}
}
