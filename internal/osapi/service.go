package osapi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/gophercloud/gophercloud/v2"
)

// ErrNoEndpoint says that no endpoint of the wanted service was found: neither
// an option, nor an override in clouds.yaml or the environment, nor the
// catalog names one for the region and interface.
var ErrNoEndpoint = errors.New("no endpoint found")

// NewService logs in and makes a client for the service of that catalog type,
// for example "accelerator" or "placement". The endpoint is the first of:
// WithEndpoint, <type>_endpoint_override of clouds.yaml, the variable
// OS_<TYPE>_ENDPOINT_OVERRIDE, the catalog. Its path is left as it is.
func NewService(ctx context.Context, serviceType string, opts ...Option) (*gophercloud.ServiceClient, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, fmt.Errorf("make a client for service %s: %w", serviceType, err)
	}
	service, err := cfg.newService(ctx, serviceType)
	if err != nil {
		return nil, fmt.Errorf("make a client for service %s: %w", serviceType, err)
	}
	return service, nil
}

func (c *Config) newService(ctx context.Context, serviceType string) (*gophercloud.ServiceClient, error) {
	sess, err := login(ctx, c)
	if err != nil {
		return nil, err
	}
	endpoint, err := sess.endpoint(serviceType)
	if err != nil {
		return nil, err
	}
	return &gophercloud.ServiceClient{
		ProviderClient: sess.provider,
		Endpoint:       gophercloud.NormalizeURL(endpoint),
		Type:           serviceType,
	}, nil
}

// NewProvider logs in and returns the login together with what WithProvider
// needs to share it among services.
func NewProvider(ctx context.Context, opts ...Option) (*gophercloud.ProviderClient, gophercloud.EndpointOpts, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, gophercloud.EndpointOpts{}, fmt.Errorf("log in: %w", err)
	}
	sess, err := login(ctx, cfg)
	if err != nil {
		return nil, gophercloud.EndpointOpts{}, fmt.Errorf("log in: %w", err)
	}
	return sess.provider, sess.search, nil
}

// session is a login and what it says about endpoints.
type session struct {
	provider  *gophercloud.ProviderClient
	search    gophercloud.EndpointOpts
	source    string            // where overrides and fallback were read, for error texts
	fixed     string            // WithEndpoint, "" for none
	overrides map[string]string // service type, with underscores, to endpoint
	fallback  string            // auth.endpoint of an account without Keystone
	renewal   *renewal          // nil for a login that is not ours or cannot be renewed
}

func (s *session) endpoint(serviceType string) (string, error) {
	if s.fixed != "" {
		return s.fixed, nil
	}
	key := strings.ReplaceAll(serviceType, "-", "_")
	if override := s.overrides[key]; override != "" {
		return override, checkURL(s.source+": "+key+overrideSuffix, override)
	}
	variable := "OS_" + strings.ToUpper(key) + "_ENDPOINT_OVERRIDE"
	if override := os.Getenv(variable); override != "" {
		return override, checkURL(variable, override)
	}
	if s.fallback != "" {
		return s.fallback, checkURL(s.source+": endpoint", s.fallback)
	}
	return s.fromCatalog(serviceType)
}

// fromCatalog asks the catalog for the exact region, then for the region "*",
// which stands for all regions. EndpointOpts.Version stays 0: with a version
// gophercloud would fetch the endpoint in a request that cannot be cancelled.
func (s *session) fromCatalog(serviceType string) (string, error) {
	if s.provider.EndpointLocator == nil {
		return "", fmt.Errorf("%w: there is no catalog; give an endpoint", ErrNoEndpoint)
	}
	search := s.search
	search.Type, search.Version = serviceType, 0
	search.ApplyDefaults(serviceType)
	endpoint, err := s.provider.EndpointLocator(search)
	if err != nil && search.Region != "" {
		wild := search
		wild.Region = "*"
		endpoint, err = s.provider.EndpointLocator(wild)
	}
	if err != nil {
		return "", fmt.Errorf("%w: the catalog has no %s endpoint of type %q in region %q: %w",
			ErrNoEndpoint, search.Availability, serviceType, search.Region, err)
	}
	return endpoint, checkURL(fmt.Sprintf("the catalog's %s endpoint of type %q", search.Availability, serviceType), endpoint)
}
