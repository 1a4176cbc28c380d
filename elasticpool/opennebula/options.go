package opennebula

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Option sets one thing of a Cloud.
type Option func(*config) error

// config is what options set.
type config struct {
	transport http.RoundTripper
	tls       *tls.Config
	timeout   time.Duration
	plain     bool
	filter    int
	page      int
	userData  func(context.Context, elasticpool.ServerSpec) (string, error)
}

// Whose VMs are listed (include/Request.h: ALL, MINE, MINE_GROUP).
const (
	filterMine  = -3
	filterGroup = -1
)

// WithTimeout sets how long a request may take. Default: 60 s.
func WithTimeout(timeout time.Duration) Option {
	return func(c *config) error {
		if timeout <= 0 {
			return fmt.Errorf("timeout %v is not above zero", timeout)
		}
		c.timeout = timeout
		return nil
	}
}

// WithTLS sets how the endpoint's certificate is checked.
func WithTLS(settings *tls.Config) Option {
	return func(c *config) error {
		c.tls = settings.Clone()
		return nil
	}
}

// WithTransport sets what carries requests, in place of a connection of its own.
func WithTransport(transport http.RoundTripper) Option {
	return func(c *config) error {
		if transport == nil {
			return errors.New("transport is nil")
		}
		c.transport = transport
		return nil
	}
}

// WithPlainHTTP allows http to other machines: everybody on the way can read the password.
func WithPlainHTTP() Option {
	return func(c *config) error {
		c.plain = true
		return nil
	}
}

// WithGroup also lists the VMs of the user's group: for a pool that several users have run. Without it the user's own are listed.
func WithGroup() Option {
	return func(c *config) error {
		c.filter = filterGroup
		return nil
	}
}

// WithPageSize sets how many VMs a page of the list has, at least 3. Default: 500.
func WithPageSize(size int) Option {
	return func(c *config) error {
		if size < 3 {
			return fmt.Errorf("page size %d is below 3", size)
		}
		c.page = size
		return nil
	}
}

// WithUserData sets what fills in the template of a class's user data. Without it the user data are sent as they are.
// An error of it that is no *elasticpool.CloudError is transient.
func WithUserData(fill func(ctx context.Context, spec elasticpool.ServerSpec) (string, error)) Option {
	return func(c *config) error {
		if fill == nil {
			return errors.New("user data function is nil")
		}
		c.userData = fill
		return nil
	}
}

// New returns the OpenNebula at that endpoint, for the user of auth (user:password or user:token). Nothing is asked of it yet.
func New(endpoint, auth string, options ...Option) (*Cloud, error) {
	c := config{
		timeout: time.Minute, filter: filterMine, page: 500,
		userData: func(_ context.Context, spec elasticpool.ServerSpec) (string, error) { return spec.Class.UserData, nil },
	}
	for _, option := range options {
		if err := option(&c); err != nil {
			return nil, fmt.Errorf("opennebula: %w", err)
		}
	}
	if err := checkEndpoint(endpoint, c.plain); err != nil {
		return nil, fmt.Errorf("opennebula: %w", err)
	}
	auth = strings.TrimSpace(auth)
	if user, secret, ok := strings.Cut(auth, ":"); !ok || user == "" || secret == "" {
		return nil, errors.New("opennebula: the login must be user:password")
	}
	if c.transport == nil {
		c.transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: c.tls, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		}
	}
	return &Cloud{client: newClient(endpoint, auth, c), config: c}, nil
}

// checkEndpoint refuses addresses that would give the password away.
func checkEndpoint(endpoint string, plain bool) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return errors.New("the endpoint is no URL")
	case u.User != nil:
		return errors.New("the endpoint has a login in it; give it as the login")
	case u.Host == "":
		return fmt.Errorf("endpoint %q has no host", endpoint)
	case u.Scheme == "https":
		return nil
	case u.Scheme != "http":
		return fmt.Errorf("endpoint %q is neither https nor http", endpoint)
	case plain || local(u.Hostname()):
		return nil
	}
	return fmt.Errorf("endpoint %q: over http everybody on the way can read the password; use https, or allow it", endpoint)
}

func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
