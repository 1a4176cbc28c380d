package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// Provider is a resource provider.
type Provider struct {
	UUID, Name string
	// Generation counts the writes to the provider.
	Generation int
	// Parent and Root are uuids; Parent is "" for a root, whose Root is its own uuid.
	Parent, Root string
}

// Provider returns the provider of a uuid. It fails with ErrNotFound when there is none.
func (c *Client) Provider(ctx context.Context, uuid string) (*Provider, error) {
	op := "get provider " + uuid
	var provider Provider
	err := c.call(ctx, getProvider, op, func(ctx context.Context) (gophercloud.Result, error) {
		answer := resourceproviders.Get(ctx, c.at(baseline), uuid)
		found, err := answer.Extract()
		if err == nil && found.UUID == "" {
			err = refuse(nil, op, "the answer is no provider: is this the endpoint of Placement?")
		}
		if err == nil {
			provider = providerOf(*found)
		}
		return answer.Result, err
	})
	if err != nil {
		return nil, err
	}
	return &provider, nil
}

// ProviderByName returns the provider of a name, which is a hypervisor's host name for the root of a compute node.
// Names are unique in Placement. It fails with ErrNotFound when there is none.
func (c *Client) ProviderByName(ctx context.Context, name string) (*Provider, error) {
	op := "get provider named " + name
	found, err := c.listProviders(ctx, op, resourceproviders.ListOpts{Name: name})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, refuse(ErrNotFound, op, "no provider has this name")
	}
	return &found[0], nil
}

func (c *Client) listProviders(ctx context.Context, op string, opts resourceproviders.ListOpts) ([]Provider, error) {
	var found []resourceproviders.ResourceProvider
	err := c.call(ctx, listProviders, op, func(ctx context.Context) (result gophercloud.Result, err error) {
		page, err := resourceproviders.List(c.at(baseline), opts).AllPages(ctx)
		if err != nil {
			return result, err
		}
		if answer, ok := page.(resourceproviders.ResourceProvidersPage); ok {
			result = answer.Result
		}
		found, err = resourceproviders.ExtractResourceProviders(page)
		return result, err
	})
	if err != nil {
		return nil, err
	}
	providers := make([]Provider, len(found))
	for i := range found {
		providers[i] = providerOf(found[i])
	}
	return providers, nil
}

func providerOf(p resourceproviders.ResourceProvider) Provider {
	return Provider{
		UUID: p.UUID, Name: p.Name, Generation: p.Generation,
		Parent: p.ParentProviderUUID, Root: p.RootProviderUUID,
	}
}
