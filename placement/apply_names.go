package placement

import (
	"context"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"
)

// ensureNames creates the custom classes and traits; both calls leave alone what is there already.
func (a *applier) ensureNames(ctx context.Context) error {
	for _, class := range a.plan.classes {
		if err := a.ensure(ctx, createClass, a.op+": create resource class "+class, "resource_classes", class); err != nil {
			return err
		}
	}
	for _, trait := range a.plan.traits {
		if err := a.ensure(ctx, createTrait, a.op+": create trait "+trait, "traits", trait); err != nil {
			return err
		}
	}
	return nil
}

// ensure creates a name unless it is there already. Only the status tells which of the two it was, and gophercloud's own
// functions do not keep it.
func (c *Client) ensure(ctx context.Context, o operation, op string, collection, name string) error {
	return c.call(ctx, o, op, func(ctx context.Context) (gophercloud.Result, error) {
		service := c.at(baseline)
		//nolint:bodyclose // gophercloud reads and closes it
		return resultOf(service.Put(ctx, service.ServiceURL(collection, segment(name)), nil, nil, &gophercloud.RequestOpts{
			OkCodes: []int{http.StatusCreated, http.StatusNoContent},
		}))
	})
}
