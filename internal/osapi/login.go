package osapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
)

// login turns the options into a session, in the order that the package
// documentation gives.
func login(ctx context.Context, cfg *Config) (*session, error) {
	switch {
	case cfg.provider != nil:
		return cfg.reuse(), nil
	case cfg.cloud != "":
		return cfg.loginWithCloud(ctx, cfg.cloud)
	case cfg.endpoint != "" && !cfg.env:
		return cfg.withoutLogin(cfg.token), nil
	case os.Getenv("OS_CLOUD") != "":
		return cfg.loginWithCloud(ctx, os.Getenv("OS_CLOUD"))
	}
	account, err := accountFromEnv()
	if err != nil {
		return nil, err
	}
	return cfg.loginAs(ctx, account)
}

func (c *Config) reuse() *session {
	provider, renewal := borrow(c.provider)
	return &session{provider: provider, search: c.narrow(c.providerEndpoints), fixed: c.endpoint, renewal: renewal}
}

func (c *Config) loginWithCloud(ctx context.Context, name string) (*session, error) {
	account, err := accountFromCloud(name)
	if err != nil {
		return nil, err
	}
	return c.loginAs(ctx, account)
}

func (c *Config) loginAs(ctx context.Context, a *account) (*session, error) {
	if c.tls == nil && c.transport == nil {
		c.tls = a.tls
	}
	if a.anonymous {
		sess := c.withoutLogin(a.auth.TokenID)
		sess.source, sess.overrides, sess.fallback = a.source, a.overrides, a.endpoint
		return sess, nil
	}
	provider, err := openstack.NewClient(a.auth.IdentityEndpoint)
	if err != nil {
		return nil, fmt.Errorf("%s: identity endpoint: %w", a.source, err)
	}
	c.equip(provider)
	if err := openstack.Authenticate(ctx, provider, a.auth); err != nil {
		return nil, fmt.Errorf("%s: log in at %s: %w", a.source, provider.IdentityEndpoint, err)
	}
	return &session{
		provider: provider, search: c.narrow(a.search), source: a.source, fixed: c.endpoint, overrides: a.overrides,
		renewal: renewTokens(provider),
	}, nil
}

// withoutLogin makes a provider that sends the fixed token, if there is one.
func (c *Config) withoutLogin(token string) *session {
	provider := new(gophercloud.ProviderClient)
	provider.UseTokenLock()
	provider.SetToken(token)
	c.equip(provider)
	return &session{provider: provider, fixed: c.endpoint}
}

// equip gives the provider our transport. gophercloud's own retry hooks stay
// nil: two layers of retries multiply.
func (c *Config) equip(provider *gophercloud.ProviderClient) {
	provider.HTTPClient = http.Client{Transport: c.retryTransport(), CheckRedirect: checkRedirect}
	if c.userAgent != "" {
		provider.UserAgent.Prepend(c.userAgent)
	}
}

// narrow lets the options for region and interface override the account's.
func (c *Config) narrow(search gophercloud.EndpointOpts) gophercloud.EndpointOpts {
	search.Region = cmp.Or(c.region, search.Region)
	search.Availability = cmp.Or(c.iface, search.Availability)
	return search
}
