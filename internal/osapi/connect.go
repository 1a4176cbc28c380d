package osapi

import (
	"context"
	"fmt"

	"github.com/gophercloud/gophercloud/v2"
)

// Connection is what the options of a client package's constructor make.
type Connection struct {
	Service *gophercloud.ServiceClient
	// ServiceTokens is nil when no option asks for them.
	ServiceTokens *ServiceTokens
	// Hook is nil when there is none.
	Hook Hook
}

// Connect is NewService for packages that send service tokens or tell a hook of
// their calls.
func Connect(ctx context.Context, serviceType string, opts ...Option) (*Connection, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, fmt.Errorf("make a client for service %s: %w", serviceType, err)
	}
	service, err := cfg.newService(ctx, serviceType)
	if err != nil {
		return nil, fmt.Errorf("make a client for service %s: %w", serviceType, err)
	}
	tokens, err := cfg.serviceTokens(ctx, service.ProviderClient)
	if err != nil {
		return nil, fmt.Errorf("make a client for service %s: %w", serviceType, err)
	}
	return &Connection{Service: service, ServiceTokens: tokens, Hook: cfg.hook}, nil
}
