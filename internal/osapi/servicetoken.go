package osapi

import (
	"context"
	"errors"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"
)

const serviceTokenHeader = "X-Service-Token"

// serviceLogin says where service tokens come from. At most one field is set.
type serviceLogin struct {
	cloud string
	auth  *gophercloud.AuthOptions
	token string
	own   bool
}

// WithServiceCloud logs in a second time, with that entry of clouds.yaml, and
// sends the token as X-Service-Token where the service demands one. The entry's
// user needs the role "service". The second login uses the transport, retries
// and log of the first, and the TLS settings of its entry unless WithTLS gives
// some.
func WithServiceCloud(name string) Option {
	return func(c *Config) error {
		if name == "" {
			return errors.New("the name of the service's cloud is empty")
		}
		return c.setService(serviceLogin{cloud: name})
	}
}

// WithServiceAuth is WithServiceCloud with the credentials themselves.
func WithServiceAuth(auth gophercloud.AuthOptions) Option {
	return func(c *Config) error {
		if err := checkURL("the identity endpoint of WithServiceAuth", auth.IdentityEndpoint); err != nil {
			return err
		}
		auth.AllowReauth = auth.TokenID == ""
		return c.setService(serviceLogin{auth: &auth})
	}
}

// WithServiceToken sends that token as X-Service-Token. It is never renewed.
func WithServiceToken(token string) Option {
	return func(c *Config) error {
		if token == "" {
			return errors.New("the service token is empty")
		}
		return c.setService(serviceLogin{token: token})
	}
}

// WithOwnServiceToken sends the login's own token as X-Service-Token too. It is
// for a client that works for a service itself, with nobody's token at hand.
func WithOwnServiceToken() Option {
	return func(c *Config) error { return c.setService(serviceLogin{own: true}) }
}

func (c *Config) setService(login serviceLogin) error {
	if c.service != (serviceLogin{}) {
		return errors.New("give service tokens in one way only")
	}
	c.service = login
	return nil
}

// ServiceTokens gives out the tokens for X-Service-Token. It prints without
// them.
type ServiceTokens struct {
	provider *gophercloud.ProviderClient // whose token it is
	renewal  *renewal                    // nil when the provider is renewed by its owner
}

// serviceTokens makes the second login. It is nil when no option asks for one.
func (c *Config) serviceTokens(ctx context.Context, first *gophercloud.ProviderClient) (*ServiceTokens, error) {
	second := *c
	second.provider, second.endpoint = nil, ""
	var sess *session
	var err error
	switch login := c.service; {
	case login == serviceLogin{}:
		return nil, nil //nolint:nilnil // no service tokens are wanted
	case login.own && first.Token() == "":
		return nil, errors.New("the login's own token is to be the service token, and there is no login: leave the option out, or log in")
	case login.own:
		return &ServiceTokens{provider: first}, nil
	case login.token != "":
		sess = second.withoutLogin(login.token)
	case login.auth != nil:
		sess, err = second.loginAs(ctx, &account{source: "service credentials", auth: *login.auth})
	default:
		second.tls = c.givenTLS
		sess, err = second.loginWithCloud(ctx, login.cloud)
	}
	if err != nil {
		return nil, fmt.Errorf("log in for service tokens: %w", err)
	}
	if sess.provider.Token() == "" {
		return nil, fmt.Errorf("%s logs in nowhere (auth_type none), so that it gives no service token", sess.source)
	}
	return &ServiceTokens{provider: sess.provider, renewal: sess.renewal}, nil
}

// Header is the header to send with a request, "" for a client without service
// tokens. A token that is about to expire is renewed first.
func (s *ServiceTokens) Header(ctx context.Context) (name, token string) {
	if s == nil {
		return "", ""
	}
	token = s.provider.Token()
	if s.renewal != nil {
		token = s.renewal.freshToken(ctx, token)
	}
	return serviceTokenHeader, token
}

// Renew replaces a token that was refused, and says whether there is another
// one now.
func (s *ServiceTokens) Renew(ctx context.Context, refused string) (bool, error) {
	if s.renewal != nil && s.renewal.login != nil {
		if err := s.renewal.renew(ctx, refused); err != nil {
			return false, fmt.Errorf("renew the service token: %w", err)
		}
	}
	return s.provider.Token() != refused, nil
}

// Format prints no token, for every verb.
func (*ServiceTokens) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, "osapi.ServiceTokens{…}")
}
