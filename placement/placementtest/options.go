package placementtest

import (
	"fmt"
	"strings"
)

// config is what the options set.
type config struct {
	prefix         string
	maxMinor       int
	strictCapacity bool
	noAuth         bool
	oldPolicy      bool
	searchSteps    int
}

// Option changes a server. [New] and [Start] check every option.
type Option func(*config) error

// newConfig applies the options to the defaults.
func newConfig(opts []Option) (config, error) {
	cfg := config{maxMinor: latestMinor, searchSteps: defaultSearchSteps}
	for _, opt := range opts {
		if err := opt(&cfg); err != nil {
			return config{}, err
		}
	}
	return cfg, nil
}

// WithMaxVersion makes the server one that knows the API only up to a microversion, such as "1.32". The default is "1.39".
func WithMaxVersion(version string) Option {
	return func(c *config) error {
		v, err := parseVersion(version)
		if err != nil || v.major != 1 || v.minor > latestMinor {
			return &Error{Op: fmt.Sprintf("max version %q: use 1.0 to 1.%d", version, latestMinor), Err: ErrOption}
		}
		c.maxMinor = v.minor
		return nil
	}
}

// WithPrefix serves the API below a path, such as "/placement". The default is no prefix.
func WithPrefix(path string) Option {
	return func(c *config) error {
		if path != "" && (!strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.ContainsAny(path, "{}*?#")) {
			return &Error{Op: fmt.Sprintf("prefix %q: use a path such as /placement", path), Err: ErrOption}
		}
		c.prefix = path
		return nil
	}
}

// WithStrictCapacity refuses every allocation write that ends above a provider's capacity, as releases up to 13 do. The default is
// the rule of release 14: while a class is over capacity, a write that does not raise its use is let through, so that a consumer
// can shrink or stay as it is.
func WithStrictCapacity() Option {
	return func(c *config) error {
		c.strictCapacity = true
		return nil
	}
}

// WithSearchSteps sets how many steps one search for candidates may take before it is refused with status 500. A step is about one
// provider looked at; each amount and each provider of an answer counts for 32. The default, 33,554,432, is a second or two and a
// few hundred megabytes of answers: far more than any sensible question needs, also without a limit.
func WithSearchSteps(steps int) Option {
	return func(c *config) error {
		if steps < 1 {
			return &Error{Op: fmt.Sprintf("search steps %d: use 1 or more", steps), Err: ErrOption}
		}
		c.searchSteps = steps
		return nil
	}
}

// WithoutAuth asks for no token at all: every caller is treated as an administrator with the service role. The default is the
// real service's noauth2: a request needs X-Auth-Token, and only the token "admin" has a role.
func WithoutAuth() Option {
	return func(c *config) error {
		c.noAuth = true
		return nil
	}
}

// WithDeprecatedPolicy lets an administrator use the reshaper, as a service does whose configuration keeps the deprecated policies
// (enforce_new_defaults = false), which is how releases up to 8 come and how Placement's own test suite is run. The default is that
// only the service role may.
func WithDeprecatedPolicy() Option {
	return func(c *config) error {
		c.oldPolicy = true
		return nil
	}
}
