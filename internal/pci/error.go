package pci

import (
	"errors"
	"fmt"
)

// What can be wrong with an address; test for them with [errors.Is].
var (
	// ErrSyntax says that a field is not hexadecimal digits, or that a joined
	// address does not have the form dddd:bb:dd.f or bb:dd.f.
	ErrSyntax = errors.New("want hexadecimal digits, with or without 0x")
	// ErrRange says that a field is a number above what PCI allows: bus 0xff,
	// device 0x1f, function 7.
	ErrRange = errors.New("out of range")
	// ErrWideDomain says that the domain needs more than 16 bits. Hosts can have
	// such domains, but emulators take 16 bits only, so the device cannot be
	// assigned to a guest (Launchpad nova 1897528); the number is never cut.
	ErrWideDomain = errors.New("domains above 0xffff cannot be assigned to guests, emulators take 16 bits only")
)

// Error tells which part of an address could not be read. It unwraps to one of
// the sentinels of this package.
type Error struct {
	// Field is "domain", "bus", "device" or "function", and "address" when the
	// joined text cannot be split.
	Field string
	// Value is the text that was given.
	Value string
	// Err is the reason.
	Err error
}

// Error names the field, its value and the reason.
func (e *Error) Error() string {
	return fmt.Sprintf("parse pci %s %q: %v", e.Field, e.Value, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
