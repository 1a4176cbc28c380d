package placementtest

import (
	"errors"
	"net"
)

// What [errors.Is] finds in an [*Error].
var (
	// ErrOption means that an option's value cannot be used.
	ErrOption = errors.New("bad option")
	// ErrListening means that the server has an address already.
	ErrListening = errors.New("the server listens already")
	// ErrNotLoopback means that the address to listen on is not one of the loopback interface.
	ErrNotLoopback = errors.New("not a loopback address: use 127.0.0.1 or [::1]")
)

// Error is the error of this package's own functions. What the service answers to a bad request is an HTTP reply, not an Error.
type Error struct {
	// Op says what was tried, with its object.
	Op string
	// Err is the reason.
	Err error
}

// Error gives the operation and the reason.
func (e *Error) Error() string { return e.Op + ": " + e.Err.Error() }

// Unwrap gives the reason to [errors.Is] and [errors.As].
func (e *Error) Unwrap() error { return e.Err }

// checkLoopback refuses an address that other machines could reach.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return &Error{Op: "listen on " + address, Err: err}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return &Error{Op: "listen on " + address, Err: ErrNotLoopback}
	}
	return nil
}
