package minikeystone

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// Option changes what [New] and [ForTest] make. An option that is given a useless
// value makes them return an error.
type Option func(*config) error

type config struct {
	users    *fakecyborg.Tokens
	services []service
	url      string
	life     time.Duration
	now      func() time.Time
}

// DefaultTokenLife is how long tokens are good by default, Keystone's own hour.
const DefaultTokenLife = time.Hour

//go:embed users.yaml
var builtinUsers []byte

func newConfig(opts []Option) (*config, error) {
	c := &config{life: DefaultTokenLife, now: time.Now, services: []service{
		{kind: "identity", name: "keystone", path: prefix},
		{kind: "accelerator", name: "cyborg", path: "/accelerator"},
	}}
	for i, opt := range opts {
		if opt == nil {
			return nil, fmt.Errorf("option %d is nil", i)
		}
		if err := opt(c); err != nil {
			return nil, err
		}
	}
	if c.users != nil {
		return c, nil
	}
	return c, WithUsersYAML("built-in users", builtinUsers)(c)
}

// WithUsers takes the users of a file that was read already.
func WithUsers(users *fakecyborg.Tokens) Option {
	return func(c *config) error {
		if users == nil {
			return errors.New("with users: there are none")
		}
		c.users = users
		return nil
	}
}

// WithUsersFile takes the users from a YAML file, see the package's own text.
func WithUsersFile(path string) Option {
	return func(c *config) (err error) {
		c.users, err = fakecyborg.ReadTokens(path)
		return err
	}
}

// WithUsersYAML is [WithUsersFile] for a file that was read already, or embedded;
// name is what errors call it.
func WithUsersYAML(name string, data []byte) Option {
	return func(c *config) (err error) {
		c.users, err = fakecyborg.ParseTokens(name, data)
		return err
	}
}

// WithTokenLife says how long tokens are good; the default is [DefaultTokenLife].
// Many clients renew a token half a minute before its end, so that with a shorter
// life they log in for each request.
func WithTokenLife(life time.Duration) Option {
	return func(c *config) error {
		if life < time.Second {
			return fmt.Errorf("with token life: %v is less than a second", life)
		}
		c.life = life
		return nil
	}
}

// WithURL is the address, without path, that documents, catalog and errors name;
// the default is the one at which a request came.
func WithURL(address string) Option {
	return func(c *config) error {
		if err := checkURL(address); err != nil {
			return fmt.Errorf("with url: %w", err)
		}
		c.url = strings.TrimRight(address, "/")
		return nil
	}
}

// WithService adds a service to the catalog, or changes where one is. The endpoint
// is a URL, or a path on the same address, such as "/placement".
func WithService(kind, name, endpoint string) Option {
	return func(c *config) error {
		if kind == "" || name == "" {
			return errors.New("with service: a service needs a type and a name")
		}
		if !strings.HasPrefix(endpoint, "/") {
			if err := checkURL(endpoint); err != nil {
				return fmt.Errorf("with service %s: %w", kind, err)
			}
		}
		added := service{kind: kind, name: name, path: strings.TrimRight(endpoint, "/")}
		for i := range c.services {
			if c.services[i].kind == kind {
				c.services[i] = added
				return nil
			}
		}
		c.services = append(c.services, added)
		return nil
	}
}

// WithClock takes the time from that function until [Server.SetClock] gives
// another; the default is [time.Now].
func WithClock(now func() time.Time) Option {
	return func(c *config) error {
		if now == nil {
			return errors.New("with clock: no function")
		}
		c.now = now
		return nil
	}
}

// checkURL does not show the address, which may hold a password.
func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return errors.New("it is not an http or https url without a user")
	}
	return nil
}
