package quota

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/internal/unixsocket"
)

// Causes that callers can ask for with errors.Is.
var (
	// ErrConfig is about queues or options that contradict themselves.
	ErrConfig = errors.New("configuration is not usable")
	// ErrUnknownQueue is about a queue that is not configured. VCondor's quota service never answers such a request.
	ErrUnknownQueue = errors.New("no such queue")
	// ErrAmbiguousQueue is about a name that several queues have when upper and lower case are the same.
	ErrAmbiguousQueue = errors.New("several queues differ from it only in upper and lower case")
	// ErrUnknownLease is about a lease that was never given, has lapsed, or is used up.
	ErrUnknownLease = errors.New("no such lease in force")
	// ErrRequest is about a request that cannot be understood.
	ErrRequest = errors.New("request is not understood")
	// ErrUnauthorized is about a missing or wrong token.
	ErrUnauthorized = errors.New("token is missing or wrong")
	// ErrPersist is about a decision that could not be written down and therefore was not taken.
	ErrPersist = errors.New("decision could not be recorded")
	// ErrReplay is about a record that does not follow from the ones before.
	ErrReplay = errors.New("record does not fit")
	// ErrInUse is about a socket on which somebody listens already.
	ErrInUse = unixsocket.ErrInUse
	// ErrRefused is what a Client returns when the service answered with an error.
	ErrRefused = errors.New("the quota service refused")
)

// Error is what every function of this package returns.
type Error struct {
	// Op is what was tried, for example "ask for VMs".
	Op string
	// Queue is the queue it was for, "" when there is none.
	Queue string
	// Err is the cause.
	Err error
}

// Error tells operation, queue and cause.
func (e *Error) Error() string {
	if e.Queue == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s for queue %q: %v", e.Op, e.Queue, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
