package driver

import (
	"errors"
	"fmt"
)

// What can be wrong with a card; test for them with [errors.Is].
var (
	// ErrUnknownDriver says that no driver has the name.
	ErrUnknownDriver = errors.New("unknown driver")
	// ErrUnused says that the driver does not read a field that is set.
	ErrUnused = errors.New("not read by this driver, leave it out")
	// ErrMissing says that a field without default is empty.
	ErrMissing = errors.New("needed")
	// ErrFormat says that a field has a value that the driver cannot use.
	ErrFormat = errors.New("wrong value")
)

// What a host's devices can answer; test for them with [errors.Is].
var (
	// ErrNoDevice says that no such device, deployable or handle is there, or
	// not any more.
	ErrNoDevice = errors.New("not on this host")
	// ErrTaken says that there is a device with that control path, a deployable
	// of that name or a mediated device of that UUID.
	ErrTaken = errors.New("already there")
	// ErrBroken says that the device is there but does not work.
	ErrBroken = errors.New("the device is broken")
	// ErrNotProgrammable says that the device takes no images.
	ErrNotProgrammable = errors.New("takes no images")
	// ErrRegion says that an image is made for another region.
	ErrRegion = errors.New("the image is made for another region")
	// ErrImage says that an image cannot be found or is not the only one.
	ErrImage = errors.New("want exactly one image")
	// ErrNoClass says that a deployable has no resource class, so that it
	// cannot be reported to Placement.
	ErrNoClass = errors.New("no resource class (attribute rc)")
)

// Error tells which field of a card is wrong. It unwraps to one of the
// sentinels of this package.
type Error struct {
	// Driver is the driver's name.
	Driver string
	// Field is the field's name as seeds spell it, with an index where it is a
	// list; "driver" when there is no such driver.
	Field string
	// Value is the value that was given.
	Value string
	// Err is the reason.
	Err error
}

// Error names the driver, the field, its value and the reason.
func (e *Error) Error() string {
	if e.Field == "driver" {
		return fmt.Sprintf("driver %q: %v", e.Value, e.Err)
	}
	return fmt.Sprintf("driver %s: %s %q: %v", e.Driver, e.Field, e.Value, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
