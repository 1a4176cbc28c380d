package osapi

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"
)

// Config is what the options of a constructor add up to. Only Options fill it.
// It prints without what it holds: that may be a token.
type Config struct {
	cloud    string
	env      bool
	endpoint string
	token    string

	provider          *gophercloud.ProviderClient
	providerEndpoints gophercloud.EndpointOpts

	region    string
	iface     gophercloud.Availability
	transport http.RoundTripper
	tls       *tls.Config
	userAgent string
	logger    *slog.Logger
	retries   retrySettings
	hook      Hook
	service   serviceLogin
	givenTLS  *tls.Config // WithTLS, while tls may also come from the first login
}

// Format prints the same for every verb, since fmt looks into unexported fields.
func (Config) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, "osapi.Config{…}") }

// LogValue is what a structured log shows.
func (Config) LogValue() slog.Value { return slog.StringValue("osapi.Config{…}") }

// retrySettings bound the repetitions of one request.
type retrySettings struct {
	max              int
	waitMin, waitMax time.Duration
}

// standardRetries keep a request that is repeated to the end below the time that
// callers of interactive tools accept, and spare a service that is restarting.
var standardRetries = retrySettings{max: 3, waitMin: 500 * time.Millisecond, waitMax: 30 * time.Second}

func newConfig(opts []Option) (*Config, error) {
	cfg := &Config{retries: standardRetries}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("option %d is nil", i)
		}
		if err := opt(cfg); err != nil {
			return nil, err
		}
	}
	cfg.givenTLS = cfg.tls
	return cfg, cfg.check()
}

// check refuses options that contradict each other: silently dropping one of
// them would send requests with the wrong identity or without the wanted TLS.
func (c *Config) check() error {
	if c.transport != nil && c.tls != nil {
		return errors.New("TLS settings cannot be applied to a transport of the caller: set them there")
	}
	if c.provider != nil {
		return c.checkProvider()
	}
	return c.checkLogin()
}

func (c *Config) checkProvider() error {
	switch {
	case c.cloud != "" || c.env || c.token != "":
		return errors.New("a provider client brings its own login: leave out cloud, environment and token")
	case c.transport != nil || c.tls != nil || c.userAgent != "" || c.logger != nil || c.retries != standardRetries:
		return errors.New("a provider client brings its own transport: leave out transport, TLS, user agent, logger and retries")
	}
	return nil
}

func (c *Config) checkLogin() error {
	switch {
	case c.cloud != "" && c.env:
		return errors.New("give either a cloud name or the environment, not both")
	case c.token != "" && (c.cloud != "" || c.env):
		return errors.New("a fixed token cannot be combined with another login")
	case c.token != "" && c.endpoint == "":
		return errors.New("a fixed token needs a fixed endpoint")
	}
	return nil
}
