package placement

import (
	"context"
	"errors"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
)

// readTree returns the providers of the whole tree that a provider is in, none if there is no such provider. What
// contradicts itself is an error: a provider that a broken list lacks would count as gone.
func (c *Client) readTree(ctx context.Context, op, uuid string) ([]Provider, error) {
	tree, err := c.listProviders(ctx, op, resourceproviders.ListOpts{InTree: uuid})
	if err != nil {
		return nil, err
	}
	if len(tree) == 0 {
		return nil, c.confirmGone(ctx, op, uuid)
	}
	byUUID := make(map[string]Provider, len(tree))
	for _, provider := range tree {
		if _, twice := byUUID[provider.UUID]; twice {
			return nil, malformed(op, provider, "comes up twice")
		}
		byUUID[provider.UUID] = provider
	}
	if _, has := byUUID[uuid]; !has {
		return nil, refuse(nil, op, "the list of the tree of provider %s lacks this provider", uuid)
	}
	return tree, checkTree(op, tree, byUUID)
}

// confirmGone makes sure that there is no provider of a uuid.
func (c *Client) confirmGone(ctx context.Context, op, uuid string) error {
	switch _, err := c.Provider(ctx, uuid); {
	case err == nil:
		return refuse(ErrConcurrentUpdate, op, "provider %s exists, but the list of its tree is empty", uuid)
	case errors.Is(err, ErrNotFound):
		return nil
	default:
		return &Error{Op: op, cause: err}
	}
}

// checkTree refuses providers that are no tree: from each the parents must lead to the one root, which it names.
func checkTree(op string, tree []Provider, byUUID map[string]Provider) error {
	for _, provider := range tree {
		top, steps := provider, 0
		for ; top.Parent != "" && steps <= len(tree); steps++ {
			next, has := byUUID[top.Parent]
			if !has {
				return malformed(op, top, "has the parent "+top.Parent+", which the list lacks")
			}
			top = next
		}
		switch {
		case top.Parent != "":
			return malformed(op, provider, "is below itself")
		case provider.Root != top.UUID:
			return malformed(op, provider, "has the root "+provider.Root+", not "+top.UUID)
		case provider.Root != tree[0].Root:
			return malformed(op, provider, "has the root "+provider.Root+", not "+tree[0].Root)
		}
	}
	return nil
}

func malformed(op string, provider Provider, words string) error {
	return refuse(nil, op, "the list of providers is no tree: %q (%s) %s", provider.Name, provider.UUID, words)
}
