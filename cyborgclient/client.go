package cyborgclient

import (
	"context"
	"log/slog"
	"net/http"
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
	bare     atomic.Bool // the server understands only the bare version header
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
	service, err := osapi.NewService(ctx, serviceType, opts...)
	if err != nil {
		return nil, failed("connect to Cyborg", err)
	}
	endpoint, err := versionedEndpoint(service.Endpoint)
	if err != nil {
		return nil, failed("connect to Cyborg", err)
	}
	service.Endpoint = endpoint
	return &Client{service: service}, nil
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

// request is one call of the API. The zero version means that none is asked
// for.
type request struct {
	op      string // for error texts: verb and object
	method  string
	path    string // below /v2/, with the query
	body    any    // nil for none
	answer  any    // pointer to decode into, nil when no body is expected
	version osapi.Microversion
}

func (c *Client) do(ctx context.Context, r request) error {
	service, err := c.serviceAt(ctx, r)
	if err != nil {
		return err
	}
	header, err := send(ctx, service, r)
	if c.ignoredVersion(r, header, err) {
		c.bare.Store(true)
		_, err = send(ctx, osapi.WithBareMicroversion(c.service, r.version), r)
	}
	if err != nil {
		return failedRequest(r, err)
	}
	return nil
}

// success is the one status of success of each method. Anything else comes from
// something that is not Cyborg, and must not pass for a thing done.
var success = map[string]int{
	http.MethodGet:    http.StatusOK,
	http.MethodPost:   http.StatusCreated,
	http.MethodPatch:  http.StatusAccepted,
	http.MethodDelete: http.StatusNoContent,
}

func send(ctx context.Context, service *gophercloud.ServiceClient, r request) (http.Header, error) {
	//nolint:bodyclose // gophercloud reads and closes it
	resp, err := service.Request(ctx, r.method, service.ServiceURL(r.path), &gophercloud.RequestOpts{
		JSONBody:     r.body,
		JSONResponse: r.answer,
		OkCodes:      []int{success[r.method]},
	})
	if resp == nil {
		return nil, err
	}
	return resp.Header, err
}
