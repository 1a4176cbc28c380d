package osapi

import (
	"context"
	"net/http"
	"sync/atomic"
)

type attemptsKey struct{}

// Attempts is what the transport of this package did for the requests of a
// context. A transport that came with WithProvider does not fill it.
type Attempts struct{ sent, unclear atomic.Int64 }

// Sent counts the requests, repetitions and redirects included.
func (a *Attempts) Sent() int { return int(a.sent.Load()) }

// Unclear says that one of them ended so that the service may have carried it
// out: the answer was lost, or something on the way gave up waiting for it.
func (a *Attempts) Unclear() bool { return a.unclear.Load() > 0 }

// WatchAttempts returns a context in which the attempts of its requests are
// watched.
func WatchAttempts(ctx context.Context) (context.Context, *Attempts) {
	attempts := new(Attempts)
	return context.WithValue(ctx, attemptsKey{}, attempts), attempts
}

// AttemptsOf is what WatchAttempts put into a context, or else nil.
func AttemptsOf(ctx context.Context) *Attempts {
	attempts, _ := ctx.Value(attemptsKey{}).(*Attempts)
	return attempts
}

// attemptWatcher stands below the retries.
type attemptWatcher struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a attemptWatcher) RoundTrip(req *http.Request) (*http.Response, error) {
	attempts := AttemptsOf(req.Context())
	if attempts != nil {
		attempts.sent.Add(1)
	}
	resp, err := a.next.RoundTrip(req)
	if attempts != nil && unclear(resp, err) {
		attempts.unclear.Add(1)
	}
	return resp, err
}

func unclear(resp *http.Response, err error) bool {
	if err != nil {
		return !NeverSent(err)
	}
	return resp.StatusCode == http.StatusBadGateway || resp.StatusCode == http.StatusGatewayTimeout
}

// CloseIdleConnections lets http.Client reach the connections below.
func (a attemptWatcher) CloseIdleConnections() { closeIdle(a.next) }
