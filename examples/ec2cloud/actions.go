package main

import (
	"context"
	"errors"
	"net/url"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Delete terminates an instance, with the volumes that were made for it. One that is gone or bears another pool's tag is left alone.
func (c *cloud) Delete(ctx context.Context, server elasticpool.Server) error {
	return c.onOwn(ctx, terminate, server)
}

// Stop stops an instance.
func (c *cloud) Stop(ctx context.Context, server elasticpool.Server) error {
	return c.onOwn(ctx, "StopInstances", server)
}

// Start starts an instance that was stopped.
func (c *cloud) Start(ctx context.Context, server elasticpool.Server) error {
	return c.onOwn(ctx, "StartInstances", server)
}

const terminate = "TerminateInstances"

// onOwn does an action to an instance that still bears the tags of its server.
func (c *cloud) onOwn(ctx context.Context, action string, server elasticpool.Server) error {
	op := action + " " + server.ID
	found, err := c.instances(ctx, where("instance-id", server.ID), where("tag:"+elasticpool.TagPool, server.Pool),
		where("tag:"+elasticpool.TagVM, server.VM), alive)
	if err != nil {
		return fault(op, false, err)
	}
	if len(found) > 0 {
		err = c.api.call(ctx, action, url.Values{"InstanceId.1": {server.ID}}, &struct{}{})
	}
	gone := len(found) == 0 || codeOf(err) == notFound
	switch {
	case gone && action == terminate:
		return nil
	case gone:
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrInvalid, Err: errors.New("there is no such instance of the pool")}
	case err != nil:
		return fault(op, false, err)
	}
	return nil
}
