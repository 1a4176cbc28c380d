package placement

import (
	"context"
	"log/slog"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Client talks to one Placement service. It is safe for concurrent use.
// It mirrors nova/scheduler/client/report.py:SchedulerReportClient and cyborg/common/placement_client.py.
type Client struct {
	service  *gophercloud.ServiceClient
	versions osapi.KnownVersions
	hook     Hook // nil when there is none
}

// New makes a client of the service type "placement". Without options it logs in as the OS_* variables say;
// see the With… functions for the other ways. No request is sent to Placement itself.
func New(ctx context.Context, opts ...Option) (*Client, error) {
	connection, err := osapi.Connect(ctx, serviceType, opts...)
	if err != nil {
		return nil, wrap("connect to placement", err)
	}
	return &Client{service: connection.Service, hook: connection.Hook}, nil
}

// String names the service's address. The client prints so for every verb of fmt, and never its token.
func (c *Client) String() string { return "placement client of " + c.service.Endpoint }

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// LogValue is what a structured log shows: String.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
