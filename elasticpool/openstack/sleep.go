package openstack

import (
	"context"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Stop turns a server of the pool off, or shelves it if its class says so. A server that sleeps already is no error.
func (p *Provider) Stop(ctx context.Context, s elasticpool.Server) error {
	op := p.op("stop server %s of VM %s", s.ID, s.VM)
	live, err := p.own(ctx, op, s)
	if err != nil {
		return classify(op, err)
	}
	if statusOf(live.Status, live.Task) == elasticpool.ServerStopped {
		return nil
	}
	if live.Metadata[tagSleep] == "shelve" {
		return classify(op, p.act(ctx, s.ID, "shelve"))
	}
	return classify(op, p.act(ctx, s.ID, "os-stop"))
}

// wakings are Nova's actions that wake a server, by its status.
var wakings = map[string]string{
	"SHUTOFF": "os-start", "SHELVED": "unshelve", "SHELVED_OFFLOADED": "unshelve", "SUSPENDED": "resume", "PAUSED": "unpause",
}

// Start wakes a server of the pool, however it was put to sleep. A server that is awake is no error.
func (p *Provider) Start(ctx context.Context, s elasticpool.Server) error {
	op := p.op("start server %s of VM %s", s.ID, s.VM)
	live, err := p.own(ctx, op, s)
	if err != nil {
		return classify(op, err)
	}
	action, sleeps := wakings[live.Status]
	switch {
	case live.Status == "ACTIVE":
		return nil
	case !sleeps:
		return &elasticpool.CloudError{Op: op, Class: elasticpool.ErrTransient, Detail: "its status is " + live.Status}
	}
	return classify(op, p.act(ctx, s.ID, action))
}
