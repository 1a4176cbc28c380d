package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Client talks to one Placement service. It is safe for concurrent use.
// It mirrors nova/scheduler/client/report.py:SchedulerReportClient and cyborg/common/placement_client.py.
type Client struct {
	service *gophercloud.ServiceClient
	offer   offer
}

// New makes a client of the service type "placement". Without options it logs in as the OS_* variables say;
// see the With… functions for the other ways. No request is sent to Placement itself.
func New(ctx context.Context, opts ...Option) (*Client, error) {
	service, err := osapi.NewService(ctx, "placement", opts...)
	if err != nil {
		return nil, wrap("connect to placement", err)
	}
	return &Client{service: service}, nil
}
