package keystone

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Option changes what [New] makes. An option that is given a useless value makes
// it return an error.
type Option func(*config) error

// What a [Validator] remembers by default; the time is that of keystonemiddleware's
// token_cache_time.
const (
	DefaultCacheTime    = 300 * time.Second
	DefaultCacheEntries = 10_000
)

type config struct {
	account      osapi.Option
	borrowed     bool
	logger       *slog.Logger
	retries      osapi.Option
	cacheTime    time.Duration
	cacheEntries int
}

func newConfig(opts []Option) (*config, error) {
	c := &config{
		account: osapi.WithEnv(), cacheTime: DefaultCacheTime, cacheEntries: DefaultCacheEntries,
		retries: osapi.WithRetries(3, 500*time.Millisecond, 4*time.Second),
	}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("option %d is nil", i)
		}
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// login is what the options say about the account.
func (c *config) login() []osapi.Option {
	if c.borrowed {
		return []osapi.Option{c.account}
	}
	opts := []osapi.Option{c.account, c.retries}
	if c.logger != nil {
		opts = append(opts, osapi.WithLogger(c.logger))
	}
	return opts
}

// WithCloud logs in with the entry of that name of clouds.yaml, which is searched
// where OS_CLIENT_CONFIG_FILE says, or else in the working directory, in
// ~/.config/openstack and in /etc/openstack.
func WithCloud(name string) Option {
	return func(c *config) error {
		c.account = osapi.WithCloud(name)
		return nil
	}
}

// WithProvider uses a login that the caller already has, with its own retries.
func WithProvider(provider *gophercloud.ProviderClient) Option {
	return func(c *config) error {
		c.account, c.borrowed = osapi.WithProvider(provider, gophercloud.EndpointOpts{}), true
		return nil
	}
}

// WithLogger logs each request to Keystone, without tokens; the default is silence.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) error {
		if logger == nil {
			return errors.New("with logger: no logger")
		}
		c.logger = logger
		return nil
	}
}

// WithRetries bounds how often a request to Keystone is repeated, after waits from
// waitMin, doubling, to waitMax; the default is three times, after 0.5 s, 1 s, 2 s.
func WithRetries(maxRetries int, waitMin, waitMax time.Duration) Option {
	return func(c *config) error {
		c.retries = osapi.WithRetries(maxRetries, waitMin, waitMax)
		return nil
	}
}

// WithCache says how many tokens are remembered, and for how long at most; the
// default is [DefaultCacheEntries] and [DefaultCacheTime]. A zero remembers none.
func WithCache(entries int, life time.Duration) Option {
	return func(c *config) error {
		if entries < 0 || life < 0 {
			return fmt.Errorf("with cache: %d entries for %v are less than none", entries, life)
		}
		c.cacheEntries, c.cacheTime = entries, life
		return nil
	}
}
