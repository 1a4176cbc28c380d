package openstack

import (
	"context"
	"strings"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
)

// networkOf finds a network by its id or its exact name.
func (p *Provider) networkOf(ctx context.Context, op, name string) (string, error) {
	switch {
	case isUUID(name):
		return name, nil
	case p.network == nil:
		return "", invalid(op, "network %q is no id, and the cloud has no network service to ask for its name", name)
	}
	if known, ok := p.networkIDs.get(name); ok {
		return known, nil
	}
	pages, err := networks.List(p.network, networks.ListOpts{Name: name}).AllPages(ctx)
	if err != nil {
		return "", classify(op, err)
	}
	all, err := networks.ExtractNetworks(pages)
	if err != nil {
		return "", classify(op, err)
	}
	var found []string
	for _, network := range all {
		if network.Name == name {
			found = append(found, network.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", invalid(op, "there is no network %q", name)
	case 1:
		p.networkIDs.put(name, found[0])
		return found[0], nil
	}
	return "", invalid(op, "%d networks are named %q: give the id of one", len(found), name)
}

// networksOf finds all networks of a list with commas, in its order.
func (p *Provider) networksOf(ctx context.Context, op, names string) ([]string, error) {
	var ids []string
	for _, name := range fields(names) {
		id, err := p.networkOf(ctx, op, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// fields cuts a list at its commas.
func fields(list string) []string {
	var found []string
	for field := range strings.SplitSeq(list, ",") {
		if field = strings.TrimSpace(field); field != "" {
			found = append(found, field)
		}
	}
	return found
}
