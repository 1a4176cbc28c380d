package keystone

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/internal/osapi"
)

// validationTimeout bounds a validation, for which several callers may wait.
const validationTimeout = time.Minute

// Validator is a [fakecyborg.Authenticator] that asks a Keystone. It is safe for
// concurrent use. Make one with [New].
type Validator struct {
	address string
	service *gophercloud.ServiceClient
	cache   *cache
	running flights
}

var _ fakecyborg.Authenticator = (*Validator)(nil)

// New logs in at the Keystone at that address, with or without /v3, which is also
// what a 401 names. Without an option the account is that of the OS_* variables.
func New(ctx context.Context, address string, opts ...Option) (*Validator, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil {
		return nil, errors.New("validate tokens: the address of Keystone is not an http or https url without a user")
	}
	c, err := newConfig(opts)
	if err != nil {
		return nil, fmt.Errorf("validate tokens at %s: %w", address, err)
	}
	endpoint := strings.TrimSuffix(strings.TrimRight(address, "/"), "/v3")
	service, err := osapi.NewService(ctx, "identity", append(c.login(), osapi.WithEndpoint(endpoint+"/v3"))...)
	if err != nil {
		return nil, fmt.Errorf("validate tokens at %s: %w", address, err)
	}
	return &Validator{
		address: address, service: service, cache: newCache(c.cacheEntries, c.cacheTime),
		running: flights{running: make(map[string]*flight)},
	}, nil
}

// KeystoneURL is the address that [New] got.
func (v *Validator) KeystoneURL(*http.Request) string { return v.address }

// Authenticate validates the tokens of a request.
// It mirrors keystonemiddleware/auth_token/__init__.py:BaseAuthProtocol.process_request.
func (v *Validator) Authenticate(request *http.Request) (fakecyborg.Caller, error) {
	ctx := request.Context()
	serviceToken := strings.TrimSpace(request.Header.Get("X-Service-Token"))
	if serviceToken != "" {
		service, err := v.validate(ctx, serviceToken, false)
		switch {
		case err != nil:
			return fakecyborg.Caller{}, err
		case !slices.Contains(service.Roles, "service"):
			return fakecyborg.Caller{}, fakecyborg.ErrUnauthorized
		}
	}
	caller, err := v.validate(ctx, strings.TrimSpace(request.Header.Get("X-Auth-Token")), serviceToken != "")
	if err != nil {
		return fakecyborg.Caller{}, err
	}
	caller.Service = serviceToken != ""
	return caller, nil
}

// validate says who the owner of a token is, from memory if possible.
func (v *Validator) validate(ctx context.Context, token string, allowExpired bool) (fakecyborg.Caller, error) {
	if token == "" {
		return fakecyborg.Caller{}, fakecyborg.ErrUnauthorized
	}
	found, known := v.cache.get(token)
	if !known {
		var err error
		if found, err = v.share(ctx, token, allowExpired); err != nil {
			return fakecyborg.Caller{}, err
		}
	}
	if !allowExpired && !time.Now().Before(found.expires) {
		return fakecyborg.Caller{}, fakecyborg.ErrUnauthorized
	}
	caller := found.caller
	caller.Roles = slices.Clone(caller.Roles)
	return caller, nil
}

// share asks Keystone once for all who wait.
func (v *Validator) share(ctx context.Context, token string, allowExpired bool) (verdict, error) {
	return v.running.do(ctx, fmt.Sprintf("%t %s", allowExpired, token), func(ctx context.Context) (verdict, error) {
		found, err := v.ask(ctx, token, allowExpired)
		if err == nil {
			v.cache.put(token, found)
		}
		return found, err
	})
}
