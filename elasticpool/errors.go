package elasticpool

import (
	"errors"
	"fmt"
)

// Classes of a cloud's errors. Each is answered in its own way.
var (
	// ErrQuota: the project may not have more. The class waits until there is room again.
	ErrQuota = errors.New("quota reached")
	// ErrCapacity: the cloud has no host, accelerator or address for it now. The class backs off, others are tried.
	ErrCapacity = errors.New("no capacity")
	// ErrInvalid: the request can never work (image, flavor, profile). The class is off until the policy changes.
	ErrInvalid = errors.New("invalid class")
	// ErrUnauthorized: the cloud does not know us. Nothing is asked of it for a while.
	ErrUnauthorized = errors.New("not authorized")
	// ErrTransient: a failure that passes. The cloud's circuit breaker counts it.
	ErrTransient = errors.New("cloud failure")
	// ErrUnknownOutcome: nobody knows whether it happened, such as after a lost reply.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrUnsupported: this cloud cannot do that at all.
	ErrUnsupported = errors.New("not supported")
)

// ErrBusy says that a worker was not drained because a job runs on it.
var ErrBusy = errors.New("worker is busy")

// ErrNoWorker says that the batch system does not know the worker.
var ErrNoWorker = errors.New("no such worker")

// CloudError is an error of a cloud with its class.
type CloudError struct {
	Op     string // create server ep-physics-01J…
	Class  error  // one of the classes above
	Detail string // in the cloud's words
	Err    error  // cause; may be nil
}

func (e *CloudError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Op, e.Class)
	switch {
	case e.Detail != "":
		text += ": " + e.Detail
	case e.Err != nil:
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap lets errors.Is find the class and the cause.
func (e *CloudError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// errorClasses are the classes in the order in which an error is asked for them, with their words on the wire.
var errorClasses = []struct {
	word string
	err  error
}{
	{"quota", ErrQuota},
	{"capacity", ErrCapacity},
	{"invalid", ErrInvalid},
	{"unauthorized", ErrUnauthorized},
	{"unknown_outcome", ErrUnknownOutcome},
	{"unsupported", ErrUnsupported},
	{"busy", ErrBusy},
	{"no_worker", ErrNoWorker},
	{"transient", ErrTransient},
}

// ErrorWord returns the word for an error's class, as journals, metrics and plugins use it: quota, capacity, invalid,
// unauthorized, unknown_outcome, unsupported, busy, no_worker or transient. It is empty for nil.
func ErrorWord(err error) string {
	if err == nil {
		return ""
	}
	for _, class := range errorClasses {
		if errors.Is(err, class.err) {
			return class.word
		}
	}
	return "transient"
}

// ErrorOfWord returns the class that a word stands for; an unknown word is ErrTransient.
func ErrorOfWord(word string) error {
	for _, class := range errorClasses {
		if class.word == word {
			return class.err
		}
	}
	return ErrTransient
}
