package openstack

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/internal/osapi"
	"github.com/novacyborg/novacyborg/placement"
)

// computeVersion is the microversion of every request to Nova. 2.47 brought the flavor inside each server, 2.61 the extra
// specs of flavors in lists, and 2.69 (Stein) shows servers whose cell is down, which older ones leave out silently.
const computeVersion = "2.69"

// connect makes a client for each service that the cloud has. Each has a login of its own, so that overrides of
// clouds.yaml count for each.
func (p *Provider) connect(ctx context.Context, opts []Option) error {
	compute, err := service(ctx, "compute", "v2.1", opts)
	if err != nil {
		return err
	}
	p.compute = compute
	p.compute.Microversion = computeVersion
	for _, optional := range []struct {
		client        **gophercloud.ServiceClient
		kind, version string
	}{
		{&p.images, "image", "v2"}, {&p.network, "network", "v2.0"}, {&p.volumes, "block-storage", "v3"},
	} {
		client, err := service(ctx, optional.kind, optional.version, opts)
		if err != nil && !errors.Is(err, osapi.ErrNoEndpoint) {
			return err
		}
		*optional.client = client
	}
	if p.cyborg, err = cyborgclient.New(ctx, opts...); err != nil && !errors.Is(err, osapi.ErrNoEndpoint) {
		return err
	}
	if p.placement, err = placement.New(ctx, opts...); err != nil && !errors.Is(err, osapi.ErrNoEndpoint) {
		return err
	}
	return nil
}

var versionSegment = regexp.MustCompile(`/v\d+(\.\d+)?(/|$)`)

// service makes a client. Catalogs publish endpoints with the version in their path (Nova, Cinder) and without it
// (Glance, Neutron).
func service(ctx context.Context, kind, version string, opts []Option) (*gophercloud.ServiceClient, error) {
	client, err := osapi.NewService(ctx, kind, opts...)
	if err != nil {
		return nil, err
	}
	client.ResourceBase = client.Endpoint
	if !versionSegment.MatchString(strings.TrimSuffix(client.Endpoint, "/")) {
		client.ResourceBase = client.Endpoint + version + "/"
	}
	return client, nil
}
