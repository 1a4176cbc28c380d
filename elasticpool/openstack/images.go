package openstack

import (
	"context"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// imageOf finds an image by its id or its exact name. Of several of the same name none is taken: which of them is the
// worker's cannot be told.
func (p *Provider) imageOf(ctx context.Context, op, name string) (string, error) {
	switch {
	case name == "":
		return "", invalid(op, "the class has no image")
	case isUUID(name):
		return name, nil
	case p.images == nil:
		return "", invalid(op, "image %q is no id, and the cloud has no image service to ask for its name", name)
	}
	if known, ok := p.imageIDs.get(name); ok {
		return known, nil
	}
	pages, err := images.List(p.images, images.ListOpts{Name: name}).AllPages(ctx)
	if err != nil {
		return "", classify(op, err)
	}
	all, err := images.ExtractImages(pages)
	if err != nil {
		return "", classify(op, err)
	}
	id, err := pickImage(op, all, name)
	if err == nil {
		p.imageIDs.put(name, id)
	}
	return id, err
}

// pickImage does not trust the filter of the list: names are compared exactly.
func pickImage(op string, all []images.Image, name string) (string, error) {
	var active, coming []string
	for _, image := range all {
		switch {
		case image.Name != name:
		case image.Status == images.ImageStatusActive:
			active = append(active, image.ID)
		case image.Status == images.ImageStatusQueued || image.Status == images.ImageStatusSaving || image.Status == images.ImageStatusImporting:
			coming = append(coming, image.ID)
		}
	}
	switch {
	case len(active) == 1:
		return active[0], nil
	case len(active) > 1:
		return "", invalid(op, "%d images are named %q: give the id of one", len(active), name)
	case len(coming) > 0:
		return "", &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Detail: "image " + name + " is still being uploaded"}
	}
	return "", invalid(op, "there is no image %q", name)
}

func isUUID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil && len(text) == 36
}
