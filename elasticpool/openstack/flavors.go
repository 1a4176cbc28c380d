package openstack

import (
	"context"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
)

// flavor is what is needed of Nova's.
type flavor struct {
	id    string
	disk  int // GB; 0: as the image needs
	extra map[string]string
}

// deviceProfileSpec is the extra spec that makes Nova ask Cyborg for accelerators.
const deviceProfileSpec = "accel:device_profile"

// flavorOf finds a flavor by its id or its exact name.
func (p *Provider) flavorOf(ctx context.Context, op, name string) (flavor, error) {
	if name == "" {
		return flavor{}, invalid(op, "the class has no flavor")
	}
	if known, ok := p.flavorIDs.get(name); ok {
		return known, nil
	}
	pages, err := flavors.ListDetail(p.compute, flavors.ListOpts{AccessType: flavors.AllAccess}).AllPages(ctx)
	if err != nil {
		return flavor{}, classify(op, err)
	}
	all, err := flavors.ExtractFlavors(pages)
	if err != nil {
		return flavor{}, classify(op, err)
	}
	found, ok := pickFlavor(all, name)
	if !ok {
		return flavor{}, invalid(op, "there is no flavor %q that this project may use", name)
	}
	p.flavorIDs.put(name, found)
	return found, nil
}

// pickFlavor prefers the id: a flavor may be named like another's id.
func pickFlavor(all []flavors.Flavor, name string) (flavor, bool) {
	var found *flavors.Flavor
	for i, f := range all {
		if f.ID == name {
			found = &all[i]
			break
		}
		if f.Name == name {
			found = &all[i]
		}
	}
	if found == nil {
		return flavor{}, false
	}
	return flavor{id: found.ID, disk: found.Disk, extra: found.ExtraSpecs}, true
}
