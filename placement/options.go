package placement

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Option sets one thing of a client. It is the same type as cyborgclient.Option, so that one list serves both
// constructors. A bad value is reported by New.
type Option = osapi.Option

// WithCloud logs in with the entry of that name of clouds.yaml.
func WithCloud(name string) Option { return osapi.WithCloud(name) }

// WithEnv logs in with the OS_* variables, which is also what happens when no login is given.
func WithEnv() Option { return osapi.WithEnv() }

// WithEndpoint sends all requests to that URL instead of the catalog's; without another login they carry no token.
func WithEndpoint(url string) Option { return osapi.WithEndpoint(url) }

// WithToken sends the token as X-Auth-Token to the endpoint of WithEndpoint. A Placement that runs with
// auth_strategy=noauth2 takes the token "admin".
func WithToken(token string) Option { return osapi.WithToken(token) }

// WithTransport sends all requests through the round tripper, such as the one of placementtest's Server.Transport.
func WithTransport(transport http.RoundTripper) Option { return osapi.WithTransport(transport) }

// WithProvider uses a login that the caller already has; endpoints says which endpoint of its catalog to take.
func WithProvider(provider *gophercloud.ProviderClient, endpoints gophercloud.EndpointOpts) Option {
	return osapi.WithProvider(provider, endpoints)
}

// WithTLS replaces the TLS settings that clouds.yaml or the environment give.
func WithTLS(config *tls.Config) Option { return osapi.WithTLS(config) }

// WithRegion takes the endpoint of that region of the catalog.
func WithRegion(region string) Option { return osapi.WithRegion(region) }

// WithInterface takes the catalog's "public", "internal" or "admin" endpoint.
func WithInterface(name string) Option { return osapi.WithInterface(name) }

// WithUserAgent puts the words before gophercloud's own in the User-Agent header.
func WithUserAgent(words string) Option { return osapi.WithUserAgent(words) }

// WithLogger logs each attempt of each request, without headers and bodies.
func WithLogger(logger *slog.Logger) Option { return osapi.WithLogger(logger) }

// WithRetries bounds the repetitions of a request that the network or an overloaded server refused. Conflicts of
// generations are not counted: they have a bound of their own.
func WithRetries(maxRetries int, waitMin, waitMax time.Duration) Option {
	return osapi.WithRetries(maxRetries, waitMin, waitMax)
}

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

// Hook is told of each call when it has ended, in the goroutine of the caller. Its context is the caller's. It must be
// safe for use by many goroutines. It is the same type as cyborgclient.Hook.
//
//	func(ctx context.Context, call Call)
type Hook = osapi.Hook

// WithHook calls the function after each request of the API, for metrics, logs and traces. Arguments that are refused
// before anything is sent do not count, the reading of the version document does. A method of the client may make many
// requests; each repetition after a conflict of generations is a call of its own. Call.Operation is one of
//
//   - read versions, get allocation candidates, get usages of a project
//   - get allocations of a consumer, put allocations of a consumer
//   - list providers, get provider, create provider, move provider, delete provider
//   - get traits of a provider, put traits of a provider, get aggregates of a provider
//   - get inventories of a provider, put inventories of a provider
//   - get usages of a provider, get allocations of a provider, reshape
//   - get resource class, create resource class, get trait, create trait
func WithHook(hook Hook) Option { return osapi.WithHook(hook) }
