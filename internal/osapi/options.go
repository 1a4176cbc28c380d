package osapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// Option sets one thing of a client. A bad value is reported by the
// constructor that the option is given to.
type Option func(*Config) error

// WithCloud logs in with the entry of that name of clouds.yaml, which is
// searched where OS_CLIENT_CONFIG_FILE says, or else in the working directory,
// in ~/.config/openstack and in /etc/openstack.
func WithCloud(name string) Option {
	return func(c *Config) error {
		if name == "" {
			return errors.New("the name of the cloud is empty")
		}
		c.cloud = name
		return nil
	}
}

// WithEnv logs in with the OS_* variables, or with the entry of clouds.yaml
// that OS_CLOUD names. It is also what happens when no login is given.
func WithEnv() Option {
	return func(c *Config) error {
		c.env = true
		return nil
	}
}

// WithEndpoint sends all requests to that URL instead of the catalog's. A user
// or password in it is refused: every error and log line would show it.
// Without another login the requests carry no token, as services that run with
// auth_strategy noauth expect.
func WithEndpoint(endpoint string) Option {
	return func(c *Config) error {
		if err := checkURL("the endpoint of WithEndpoint", endpoint); err != nil {
			return err
		}
		c.endpoint = endpoint
		return nil
	}
}

// WithToken sends the token as X-Auth-Token to the endpoint of WithEndpoint.
// It is never renewed.
func WithToken(token string) Option {
	return func(c *Config) error {
		if token == "" {
			return errors.New("the token is empty")
		}
		c.token = token
		return nil
	}
}

// WithTransport sends all requests, those of the login too, through the round
// tripper instead of the network; retries and redirects work above it. TLS
// settings of clouds.yaml do not reach it.
func WithTransport(transport http.RoundTripper) Option {
	return func(c *Config) error {
		if transport == nil {
			return errors.New("the transport is nil")
		}
		c.transport = transport
		return nil
	}
}

// WithProvider uses a login that the caller already has. Its transport and
// retries stay as they are, so that options for these are refused; its redirect
// policy is asked about redirects within one origin only, since others are not
// followed; endpoints says which endpoint of its catalog to take. The provider
// client itself is not changed, only its token, when it can be renewed: all
// requests that need a new one share one login, which none of them can end by
// giving up.
func WithProvider(provider *gophercloud.ProviderClient, endpoints gophercloud.EndpointOpts) Option {
	return func(c *Config) error {
		if provider == nil {
			return errors.New("the provider client is nil")
		}
		c.provider, c.providerEndpoints = provider, endpoints
		return nil
	}
}

// WithTLS replaces the TLS settings that clouds.yaml or the environment give.
func WithTLS(config *tls.Config) Option {
	return func(c *Config) error {
		if config == nil {
			return errors.New("the TLS configuration is nil")
		}
		c.tls = config.Clone()
		return nil
	}
}

// WithRegion takes the endpoint of that region of the catalog.
func WithRegion(region string) Option {
	return func(c *Config) error {
		c.region = region
		return nil
	}
}

// WithInterface takes the catalog's "public", "internal" or "admin" endpoint.
func WithInterface(name string) Option {
	return func(c *Config) error {
		switch a := gophercloud.Availability(name); a {
		case gophercloud.AvailabilityPublic, gophercloud.AvailabilityInternal, gophercloud.AvailabilityAdmin:
			c.iface = a
			return nil
		}
		return fmt.Errorf("interface %q is none of public, internal, admin", name)
	}
}

// WithUserAgent puts the words before gophercloud's own in the User-Agent
// header.
func WithUserAgent(words string) Option {
	return func(c *Config) error {
		c.userAgent = words
		return nil
	}
}

// WithLogger logs each attempt of each request, by method, URL and status.
// Headers and bodies, and so tokens and passwords, are never logged.
func WithLogger(logger *slog.Logger) Option {
	return func(c *Config) error {
		c.logger = logger
		return nil
	}
}

// WithRetries bounds the repetitions of a request: at most maxRetries of them,
// after waits from waitMin, doubling, to waitMax. A longer Retry-After is cut
// to waitMax. Zero retries means that every request is sent once.
func WithRetries(maxRetries int, waitMin, waitMax time.Duration) Option {
	return func(c *Config) error {
		if maxRetries < 0 || waitMin < 0 || waitMax < waitMin {
			return fmt.Errorf("retries %d with waits from %v to %v: negative, or the longest wait is below the shortest", maxRetries, waitMin, waitMax)
		}
		c.retries = retrySettings{maxRetries, waitMin, waitMax}
		return nil
	}
}
