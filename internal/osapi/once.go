package osapi

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
)

// onceKey marks the context of a request that must not be repeated.
type onceKey struct{}

// AtMostOnce returns a context whose requests reach the service at most once:
// the transport repeats them only while no connection can be made. What the
// caller sees is then the outcome of that one request, never of a repetition
// whose predecessor may have been carried out. It works with the transport of
// this package; a transport that came with WithProvider does as it likes.
func AtMostOnce(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, true)
}

func atMostOnce(ctx context.Context) bool { return ctx.Value(onceKey{}) != nil }

// NeverSent says that a request surely was not carried out, because no
// connection came about to send it over.
func NeverSent(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}
