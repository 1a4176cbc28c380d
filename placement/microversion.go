package placement

import (
	"context"
	"math"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/internal/osapi"
)

// Minor numbers of the microversions 1.N that features need (placement/rest_api_version_history.rst).
const (
	// baseline has all that every call relies on: nested providers in candidates (1.29), consumer generations
	// (1.28), reserved = total (1.26), error codes (1.23). Accelerators are children of the compute node, so that
	// nothing older is of any use.
	baseline = 29

	inTree       = 31
	forbiddenAgg = 32
	suffixes     = 33
	mappings     = 34
	rootRequired = 35
	sameSubtree  = 36
	reparenting  = 37

	reshaping = 30

	// consumerTypes changes what allocation writes need; only reads go this far.
	consumerTypes = 38
)

// serverMax returns the minor number of the newest microversion that the server offers. A failed look-up is not kept.
func (c *Client) serverMax(ctx context.Context) (int, error) {
	const op = "read placement's versions"
	versions, err := c.versions.Get(ctx, func(ctx context.Context) (versions osapi.Versions, err error) {
		err = c.call(ctx, readVersions, op, func(ctx context.Context) (result gophercloud.Result, err error) {
			versions, result.Header, err = osapi.Discover(ctx, c.service)
			return result, err
		})
		return versions, err
	})
	if err != nil {
		return 0, inOp(op, err)
	}
	lowest := osapi.Microversion{Major: 1, Minor: baseline}
	switch {
	case versions == osapi.Versions{}:
		return 0, refuse(ErrVersion, op, "there are none: is this the endpoint of Placement?")
	case versions.Min.Compare(lowest) > 0 || versions.Max.Major < lowest.Major:
		return 0, refuse(ErrVersion, op, "microversion %s is needed, but this placement offers only %s to %s", lowest, versions.Min, versions.Max)
	case versions.Max.Major > lowest.Major:
		return math.MaxInt, nil // whatever comes after 1.N, it offers all of them
	}
	return versions.Max.Minor, nil
}

// offers tells whether the server offers microversion 1.minor.
func (c *Client) offers(ctx context.Context, minor int) (bool, error) {
	newest, err := c.serverMax(ctx)
	return newest >= minor, err
}

// need is a microversion 1.minor that an operation cannot do without, and why.
type need struct {
	minor   int
	feature string
}

// need refuses an operation whose feature the server does not offer, and names both versions.
func (c *Client) need(ctx context.Context, lowest need, op string) error {
	newest, err := c.serverMax(ctx)
	if err != nil {
		return err
	}
	if newest < lowest.minor {
		return refuse(ErrVersion, op, "%s needs microversion 1.%d, but this placement offers only up to 1.%d", lowest.feature, lowest.minor, newest)
	}
	return nil
}

// at returns the service client at microversion 1.minor.
func (c *Client) at(minor int) *gophercloud.ServiceClient {
	return osapi.WithMicroversion(c.service, osapi.Microversion{Major: 1, Minor: minor})
}
