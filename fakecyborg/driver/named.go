package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// drivers are all drivers by the names that seeds use.
var drivers = map[string]Driver{
	"fake": fakeDriver{},
	"fpga": fpgaDriver{},
	"pgpu": pgpuDriver{},
}

// Named returns the driver of that name, or an [*Error] of [ErrUnknownDriver]
// that lists the names there are.
func Named(name string) (Driver, error) {
	driver, ok := drivers[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(drivers)), ", ")
		return nil, &Error{Driver: name, Field: "driver", Value: name, Err: fmt.Errorf("%w, known are %s", ErrUnknownDriver, known)}
	}
	return driver, nil
}
