package virtdriver

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Why a composition is refused; test for them with [errors.Is].
var (
	// ErrMalformedXML says that the input is not one well-formed XML document.
	ErrMalformedXML = errors.New("malformed XML")
	// ErrDoctype says that the input has a document type declaration.
	ErrDoctype = errors.New("document type declarations are not taken, they can change what the domain says")
	// ErrNotDomain says that the root element is not <domain> without a
	// namespace.
	ErrNotDomain = errors.New("the root element must be <domain>")
	// ErrDevices says that /domain/devices is not there exactly once.
	ErrDevices = errors.New("the domain must have exactly one <devices>")
	// ErrVirtType says that the domain's type cannot take devices of the host.
	ErrVirtType = errors.New("the domain type cannot pass devices of the host through")
	// ErrAddress says that a device of the domain has a host address that is
	// not valid. It is wrapped together with the error that names the field.
	ErrAddress = errors.New("host address of a device")
	// ErrAddressInUse says that a device of the domain has the host device
	// already, otherwise than wanted.
	ErrAddressInUse = errors.New("host address in use")
	// ErrAddressTwice says that two ARQs, or two devices of the domain, have the
	// same host device.
	ErrAddressTwice = errors.New("same host address twice")
	// ErrARQTwice says that one ARQ is given twice, with two host devices.
	ErrARQTwice = errors.New("same ARQ twice")
	// ErrGuestAddress says that an address of the guest is taken, or is one that
	// the guest would not see.
	ErrGuestAddress = errors.New("guest address")
	// ErrNoHandle says that an ARQ is not Bound: it has no attach handle yet, or
	// one that is not its own any more.
	ErrNoHandle = errors.New("no attach handle to use")
	// ErrHandleType says that the policy refuses the type of an attach handle.
	ErrHandleType = errors.New("attach handle type refused")
	// ErrMissingField says that an attach handle lacks a field.
	ErrMissingField = errors.New("attach handle lacks a field")
	// ErrBadField says that a field of an attach handle cannot be used.
	ErrBadField = errors.New("bad field of attach handle")
	// ErrOption says that a value of [DeviceOptions] cannot be used, or not in
	// this domain.
	ErrOption = errors.New("device option")
	// ErrAlias says that another device has the alias.
	ErrAlias = errors.New("alias in use")
	// ErrPort says that a port has values that no interface can have, or an ARQ
	// that is not its own.
	ErrPort = errors.New("port")
	// ErrTopology says that the host does not have a device, or not for guests.
	ErrTopology = errors.New("topology of the host")
	// ErrIOMMUGroup says that a device shares its IOMMU group with functions
	// that the guest does not have.
	ErrIOMMUGroup = errors.New("IOMMU group")
	// ErrNUMANode says that a device is on another NUMA node than the memory of
	// the guest.
	ErrNUMANode = errors.New("NUMA node")
	// ErrHotPlug says that a running guest cannot take or give the device.
	ErrHotPlug = errors.New("not while the guest runs")
	// ErrNoPort says that a running guest has too few free places for devices.
	ErrNoPort = errors.New("no free place for a device")
)

// The operations whose errors do not say compose domain.
const opSplit = "split ARQs"

// ComposeError tells why a composition is refused and where: a place in the
// XML, the ARQs concerned, or both. It unwraps to one of the sentinels.
type ComposeError struct {
	// Op is the operation; empty means "compose domain".
	Op string
	// Line and Column are the place in the domain XML, counted from 1; both are
	// 0 when the reason is not in it.
	Line, Column int
	// Path is the element at that place, such as /domain/devices/hostdev[2]; it
	// can be empty.
	Path string
	// ARQs are the uuids of the ARQs concerned.
	ARQs []string
	// Err is the reason.
	Err error
}

// Error names the operation, the place, the ARQs and the reason.
func (e *ComposeError) Error() string {
	var b strings.Builder
	b.WriteString(cmp.Or(e.Op, "compose domain") + ": ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d column %d: ", e.Line, e.Column)
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	if len(e.ARQs) > 0 {
		b.WriteString("ARQ " + strings.Join(e.ARQs, " and ARQ ") + ": ")
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// Unwrap returns the reason.
func (e *ComposeError) Unwrap() error { return e.Err }

// inOperation says which operation failed.
func inOperation(name string, err error) error {
	if refused, ok := errors.AsType[*ComposeError](err); ok {
		refused.Op = name
	}
	return err
}

// wrap adds the circumstances to a reason.
func wrap(reason error, format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{reason}, args...)...)
}
