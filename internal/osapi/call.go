package osapi

import (
	"context"
	"time"
)

// Call is one request of an API as its caller sees it, with all its attempts.
type Call struct {
	// Service is the type in the catalog, for example "accelerator".
	Service string
	// Operation is one of few names without the object's, for example "bind
	// ARQs": fit for the label of a metric and the name of a span.
	Operation string
	Method    string
	// Status is that of the last answer, 0 when there was none.
	Status int
	// Attempts counts the requests that were sent, repetitions and redirects
	// included. It is 0 when the transport is the caller's (WithProvider).
	Attempts int
	// RequestID is the id of the last answer in the service's logs.
	RequestID string
	Start     time.Time
	Duration  time.Duration
	// Err is the error that the caller gets, nil for success.
	Err error
}

// Hook is told of each call when it has ended, in the goroutine of the caller
// and with its context. It must be safe for use by many goroutines.
type Hook func(ctx context.Context, call Call)

// WithHook calls the function after each request of the API.
func WithHook(hook Hook) Option {
	return func(c *Config) error {
		c.hook = hook
		return nil
	}
}
