package cyborgclient

import (
	"context"
	"log/slog"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// serviceType is Cyborg's name in the catalog and in the microversion header.
const serviceType = "accelerator"

// Client sends requests to one Cyborg. It may be used by many goroutines.
type Client struct {
	service  *gophercloud.ServiceClient
	versions osapi.KnownVersions
	bare     atomic.Bool          // the server understands only the bare version header
	tokens   *osapi.ServiceTokens // nil when the client has none
	hook     Hook                 // nil when there is none
}

// String names the service's address. The client prints so for every verb of
// fmt, and never its token.
func (c *Client) String() string { return "cyborg client of " + c.service.Endpoint }

// GoString is String.
func (c *Client) GoString() string { return c.String() }

// LogValue is what a structured log shows: String.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// New logs in and finds Cyborg's endpoint. The path /v2 is appended where it is
// missing. No request is sent to Cyborg itself.
func New(ctx context.Context, opts ...Option) (*Client, error) {
	connection, err := osapi.Connect(ctx, serviceType, opts...)
	if err != nil {
		return nil, failed("connect to Cyborg", err)
	}
	service := connection.Service
	endpoint, err := versionedEndpoint(service.Endpoint)
	if err != nil {
		return nil, failed("connect to Cyborg", err)
	}
	service.Endpoint = endpoint
	return &Client{service: service, tokens: connection.ServiceTokens, hook: connection.Hook}, nil
}

var versionSegment = regexp.MustCompile(`^v\d+(\.\d+)?$`)

// versionedEndpoint takes what catalogs publish: http://host/accelerator/v2,
// the same without /v2, with and without a slash at the end.
func versionedEndpoint(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	if !versionSegment.MatchString(path.Base(u.Path)) {
		u = u.JoinPath("v2")
	}
	return strings.TrimSuffix(u.String(), "/") + "/", nil
}
