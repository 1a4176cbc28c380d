package cyborgclient

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Option sets one thing of a client: what a With… function returns. The options of
// package placement are of the same type, so that one list serves both
// constructors. A bad value is reported by New.
type Option = osapi.Option

// WithCloud logs in with that entry of clouds.yaml. The entry may set
// accelerator_endpoint_override.
func WithCloud(name string) Option { return osapi.WithCloud(name) }

// WithEnv logs in with the OS_* variables, or with the cloud that OS_CLOUD
// names. It is also what happens when no login is given.
func WithEnv() Option { return osapi.WithEnv() }

// WithEndpoint sends the requests to that URL, with or without /v2 at its end,
// instead of the catalog's. Without another login they carry no token.
func WithEndpoint(url string) Option { return osapi.WithEndpoint(url) }

// WithToken sends the token as X-Auth-Token to the endpoint of WithEndpoint.
func WithToken(token string) Option { return osapi.WithToken(token) }

// WithServiceCloud logs in a second time, with that entry of clouds.yaml, for
// the X-Service-Token that Cyborg demands to bind and unbind ARQs and to delete
// bound ones. The entry's user needs the role "service". Both logins are renewed
// when they expire.
func WithServiceCloud(name string) Option { return osapi.WithServiceCloud(name) }

// WithServiceAuth is WithServiceCloud with the credentials themselves.
func WithServiceAuth(auth gophercloud.AuthOptions) Option { return osapi.WithServiceAuth(auth) }

// WithServiceToken sends that token as X-Service-Token. It is never renewed.
func WithServiceToken(token string) Option { return osapi.WithServiceToken(token) }

// WithOwnServiceToken sends the login's own token as X-Service-Token too: for a
// client that works for a service itself, as in a periodic task, with no user's
// token at hand. Such ARQs belong to the service's project. New refuses it where
// there is no login.
func WithOwnServiceToken() Option { return osapi.WithOwnServiceToken() }

// Call is one request of the API, with its repetitions, as a Hook sees it.
// It is a struct:
//
//	Service   string        // the type in the catalog, for example "accelerator"
//	Operation string        // one of few names without the object's: fit for a metric's label
//	Method    string        // "GET", …
//	Status    int           // that of the last answer, 0 when there was none
//	Attempts  int           // requests that were sent; 0 when the transport is the caller's
//	RequestID string        // the id of the last answer in the service's logs
//	Start     time.Time
//	Duration  time.Duration
//	Err       error         // what the caller gets, nil for success
type Call = osapi.Call

// Hook is told of each call when it has ended, in the goroutine of the caller.
// Its context is the caller's. It must be safe for use by many goroutines.
//
//	func(ctx context.Context, call Call)
type Hook = osapi.Hook

// WithHook calls the function after each request of the API, for metrics, logs
// and traces. Arguments that are refused before anything is sent do not count,
// the reading of the version document does.
func WithHook(hook Hook) Option { return osapi.WithHook(hook) }

// WithProvider uses a login that the caller already has, with its transport and
// retries. Its redirect policy counts only for redirects within one address:
// others are not followed by this client, whose requests carry tokens. The provider client is not changed, except that it
// has a new token after a renewal. When it has a ReauthFunc, all calls that need
// a new token share one login through its Reauthenticate, and none of them can
// end that login for the others by giving up, as gophercloud alone would let it.
func WithProvider(provider *gophercloud.ProviderClient, endpoints gophercloud.EndpointOpts) Option {
	return osapi.WithProvider(provider, endpoints)
}

// WithTransport sends the requests through the round tripper instead of the
// network. Retries and redirects work above it.
func WithTransport(transport http.RoundTripper) Option { return osapi.WithTransport(transport) }

// WithTLS replaces the TLS settings of clouds.yaml and the environment.
func WithTLS(config *tls.Config) Option { return osapi.WithTLS(config) }

// WithRegion takes the endpoint of that region of the catalog.
func WithRegion(region string) Option { return osapi.WithRegion(region) }

// WithInterface takes the catalog's "public", "internal" or "admin" endpoint.
func WithInterface(name string) Option { return osapi.WithInterface(name) }

// WithUserAgent puts the words in front of the User-Agent header.
func WithUserAgent(words string) Option { return osapi.WithUserAgent(words) }

// WithLogger logs each attempt of each request, never headers or bodies.
func WithLogger(logger *slog.Logger) Option { return osapi.WithLogger(logger) }

// WithRetries bounds the repetitions of a request and the waits between them,
// the server's Retry-After included. The default is 3 repetitions with waits
// from half a second to half a minute.
func WithRetries(maxRetries int, waitMin, waitMax time.Duration) Option {
	return osapi.WithRetries(maxRetries, waitMin, waitMax)
}
