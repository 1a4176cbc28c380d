package pciowner

import (
	"errors"
	"fmt"
)

// What can be wrong with a configuration; test for them with [errors.Is].
var (
	// ErrSyntax says that a line is none of an oslo.config file.
	ErrSyntax = errors.New("not a line of a configuration file")
	// ErrValue says that an option's value is not what the option takes.
	ErrValue = errors.New("invalid value")
	// ErrSpec is Nova's PciConfigInvalidSpec: an entry that is no JSON object, or
	// has a number or a flag that is none.
	ErrSpec = errors.New("invalid device spec")
	// ErrAddress is Nova's PciDeviceWrongAddressFormat.
	ErrAddress = errors.New("the PCI address has the wrong form")
	// ErrDevname is Nova's PciDeviceInvalidDeviceName.
	ErrDevname = errors.New("devname and address exclude each other")
	// ErrRemoteManaged says that remote_managed is set for what cannot be managed
	// remotely: a device that is not there, or one that has virtual functions.
	ErrRemoteManaged = errors.New("remote_managed is for virtual functions that are there")
	// ErrType says that a value has a JSON type on which Nova fails with a
	// traceback.
	ErrType = errors.New("the value has the wrong type")
	// ErrRegexp says that a regular expression of an address uses what only
	// Python's have. Nova takes it; write it with classes, groups and
	// repetitions alone.
	ErrRegexp = errors.New("the regular expression cannot be checked here")
)

// Error is one fault of a configuration, with its place. It unwraps to a
// sentinel of this package.
type Error struct {
	// File and Line are where the option's value begins.
	File string
	Line int
	// Option is "[pci]device_spec", or "" for a line that is no option.
	Option string
	// Detail tells the part and what is wrong with it.
	Detail string
	// Err is the reason.
	Err error
}

// Error names file, line, option, reason and detail.
func (e *Error) Error() string {
	option := ""
	if e.Option != "" {
		option = " " + e.Option + ":"
	}
	return fmt.Sprintf("%s:%d:%s %v: %s", e.File, e.Line, option, e.Err, e.Detail)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// fault is an Error that does not know its place yet.
type fault struct {
	err    error
	detail string
}

func faultf(err error, format string, args ...any) *fault {
	return &fault{err, fmt.Sprintf(format, args...)}
}
