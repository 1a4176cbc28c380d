package placement

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// ProvidersInTree returns all providers of the tree that a provider is in, the provider itself included. There are none
// when there is no such provider.
func (c *Client) ProvidersInTree(ctx context.Context, uuid string) ([]Provider, error) {
	return c.readTree(ctx, "list the tree of provider "+uuid, uuid)
}

// ProviderTraits returns the names of a provider's traits. It fails with ErrNotFound when there is no such provider.
func (c *Client) ProviderTraits(ctx context.Context, uuid string) ([]string, error) {
	op := "list the traits of provider " + uuid
	var traits []string
	if err := decode(op, resourceproviders.GetTraits(ctx, c.at(baseline), segment(uuid)), "traits", &traits); err != nil {
		return nil, err
	}
	return traits, nil
}
