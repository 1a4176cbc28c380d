package placement

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
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
	err := c.fetch(ctx, getProvider, op, baseline, "resource_providers/"+segment(uuid), func(body []byte) (err error) {
		provider, err = providerOf(body)
		if err == nil && !strings.EqualFold(provider.UUID, uuid) {
			err = fmt.Errorf("it is %s", provider.UUID)
		}
		if err != nil {
			err = refuse(nil, op, "the answer is not this provider: %v: is this the endpoint of Placement?", err)
		}
		return err
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
	// Some databases compare without case, and some proxies drop what they do not know from a query.
	i := slices.IndexFunc(found, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		return nil, refuse(ErrNotFound, op, "no provider has this name")
	}
	return &found[i], nil
}

// listProviders returns the providers that Placement lists. An answer that is no such list is an error, not an empty list.
func (c *Client) listProviders(ctx context.Context, op string, opts resourceproviders.ListOpts) ([]Provider, error) {
	query, err := opts.ToResourceProviderListQuery()
	if err != nil {
		return nil, wrap(op, err)
	}
	var raws []json.RawMessage
	err = c.get(ctx, listProviders, op, func(ctx context.Context) (result gophercloud.Result) {
		service := c.at(baseline)
		//nolint:bodyclose // gophercloud reads and closes it
		response, err := service.Get(ctx, service.ServiceURL("resource_providers")+query, &result.Body, nil)
		_, result.Header, result.Err = gophercloud.ParseResponse(response, err)
		return result
	}, part{"resource_providers", &raws})
	if err != nil {
		return nil, err
	}
	providers := make([]Provider, len(raws))
	for i, raw := range raws {
		if providers[i], err = providerOf(raw); err != nil {
			return nil, refuse(nil, op, "entry %d of the list is no provider: %v: is this the endpoint of Placement?", i+1, err)
		}
	}
	return providers, nil
}

// providerOf decodes a provider. What an answer leaves out is an error: without its parent a child would be a root.
func providerOf(raw json.RawMessage) (Provider, error) {
	var sent struct {
		UUID, Name *string
		Generation *int
		Parent     json.RawMessage `json:"parent_provider_uuid"`
		Root       string          `json:"root_provider_uuid"`
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		return Provider{}, err
	}
	if sent.UUID == nil || sent.Name == nil || sent.Generation == nil || sent.Parent == nil {
		return Provider{}, errors.New("one of uuid, name, generation and parent_provider_uuid is missing")
	}
	provider := Provider{UUID: *sent.UUID, Name: *sent.Name, Generation: *sent.Generation, Root: sent.Root}
	if err := json.Unmarshal(sent.Parent, &provider.Parent); err != nil {
		return Provider{}, fmt.Errorf("parent_provider_uuid: %w", err)
	}
	isRoot := provider.Parent == ""
	if !isUUID(provider.UUID) || !isUUID(provider.Root) || !isRoot && !isUUID(provider.Parent) {
		return Provider{}, fmt.Errorf("%q, with the parent %q and the root %q, has no proper uuids", provider.UUID, provider.Parent, provider.Root)
	}
	if isRoot != (provider.UUID == provider.Root) {
		return Provider{}, fmt.Errorf("provider %s has the parent %q and the root %q", provider.UUID, provider.Parent, provider.Root)
	}
	return provider, nil
}

// isUUID tells whether a text is a uuid in the dashed lower-case form, the only one that Placement compares equal.
func isUUID(text string) bool {
	id, err := uuid.Parse(text)
	return err == nil && id.String() == text
}
