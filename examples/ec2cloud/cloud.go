package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// cloud is a region of EC2.
type cloud struct {
	api *api
	max elasticpool.Resources
}

var _ elasticpool.Provider = (*cloud)(nil)

func newCloud(c aws.Config, s settings) *cloud {
	return &cloud{api: newAPI(c, s.endpoint), max: s.max}
}

// alive are the states of instances that are still something; EC2 shows terminated ones for an hour.
var alive = where("instance-state-name", "pending", "running", "shutting-down", "stopping", "stopped")

// Servers returns the instances that bear the pool's tag.
func (c *cloud) Servers(ctx context.Context, pool string) ([]elasticpool.Server, bool, error) {
	instances, err := c.instances(ctx, where("tag:"+elasticpool.TagPool, pool), alive)
	if err != nil {
		return nil, false, fault("list instances", false, err)
	}
	var servers []elasticpool.Server
	for _, one := range instances {
		if server, ours := one.server(pool); ours {
			servers = append(servers, server)
		}
	}
	return servers, true, nil
}

// Limits returns what -max says, and what of it the instances of all pools leave.
func (c *cloud) Limits(ctx context.Context) (elasticpool.Limits, error) {
	instances, err := c.instances(ctx, where("tag-key", elasticpool.TagPool), alive)
	if err != nil {
		return elasticpool.Limits{}, fault("count instances", false, err)
	}
	used := elasticpool.Resources{elasticpool.VMs: int64(len(instances))}
	for _, one := range instances {
		used[elasticpool.CPUs] += one.Cores * one.Threads
	}
	free := elasticpool.Resources{}
	for name, most := range c.max {
		free[name] = max(0, most-used[name])
	}
	return elasticpool.Limits{Total: c.max, Free: free}, nil
}
