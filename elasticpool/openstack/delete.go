package openstack

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// deletePoll is how often Delete looks whether the server is gone.
const deletePoll = time.Second

// Delete deletes a server of the pool and then what it left: ports that the pool made, volumes that were to go with it,
// and ARQs that are still bound to it. It returns nil while the server is in deletion, and is repeated until it is gone;
// a server that is gone is no error. A server without the tags of the pool and VM is left alone (ErrInvalid).
//
// It waits Settings.DeleteWait for the end. A server that is in deletion longer than Settings.ForceDelete is deleted by
// force.
func (p *Provider) Delete(ctx context.Context, s elasticpool.Server) error {
	op := p.op("delete server %s of VM %s", s.ID, s.VM)
	live, err := p.own(ctx, op, s)
	switch {
	case gone(err):
		return p.clean(ctx, op, s)
	case err != nil:
		return classify(op, err)
	}
	p.memory.made(s)
	if err := p.end(ctx, live); err != nil && !gone(err) {
		return classify(op, err)
	}
	ended, err := p.ended(ctx, s.ID)
	if err != nil || !ended {
		return classify(op, err)
	}
	return p.clean(ctx, op, s)
}

// own reads a server, and refuses one that does not bear the tags of the pool and of the VM.
func (p *Provider) own(ctx context.Context, op string, s elasticpool.Server) (server, error) {
	if s.Pool != p.settings.Pool || s.ID == "" || s.VM == "" {
		return server{}, invalid(op, "it is of pool %q, the provider serves pool %q", s.Pool, p.settings.Pool)
	}
	live, err := p.server(ctx, s.ID)
	switch {
	case err != nil:
		return server{}, err
	case live.hidden():
		return server{}, errors.New("its cell is down, so that Nova does not tell whose it is")
	case !live.ours(s.Pool, s.VM):
		return server{}, invalid(op, "it bears no tags of pool %s and VM %s: it is left alone", s.Pool, s.VM)
	}
	return live, nil
}

// end asks Nova for the server's end. A server in deletion is asked for again, since the first request may have been lost
// behind the API. One that was put away for later (SOFT_DELETED) ends when Nova takes it away, or by force.
func (p *Provider) end(ctx context.Context, live server) error {
	force := p.settings.ForceDelete.D()
	if statusOf(live.Status, live.Task) == elasticpool.ServerDeleting && force > 0 && p.memory.inDeletion(live.ID) >= force {
		p.log.Warn("server is deleted by force", "server", live.ID, "after", force)
		return p.act(ctx, live.ID, "forceDelete")
	}
	if deletedStatus(live.Status) {
		p.memory.inDeletion(live.ID)
		return nil
	}
	switch err := p.markVolumes(ctx, live); {
	case err != nil && !notAllowed(err):
		return err // without a mark nobody would find them again
	case err != nil:
		p.log.Warn("volumes of a server are not marked", "server", live.ID, "error", classify("mark volumes", err))
	}
	_, err := p.compute.Delete(ctx, p.compute.ServiceURL("servers", url.PathEscape(live.ID)), //nolint:bodyclose // closed by gophercloud
		&gophercloud.RequestOpts{OkCodes: []int{http.StatusNoContent, http.StatusAccepted}})
	if err == nil {
		p.memory.inDeletion(live.ID)
	}
	return err
}

// ended waits for the end of a server, but not for ever.
func (p *Provider) ended(ctx context.Context, id string) (bool, error) {
	until := time.Now().Add(p.settings.DeleteWait.D())
	for {
		live, err := p.server(ctx, id)
		switch {
		case gone(err) || err == nil && live.Status == "DELETED":
			p.memory.isGone(id)
			return true, nil
		case err != nil:
			return false, err
		case live.Status == "SOFT_DELETED" || time.Now().Add(deletePoll).After(until):
			return false, nil
		}
		if !sleep(ctx, deletePoll) {
			return false, ctx.Err()
		}
	}
}

// act asks for one of Nova's actions on a server.
func (p *Provider) act(ctx context.Context, id, action string) error {
	_, err := p.compute.Post(ctx, p.compute.ServiceURL("servers", url.PathEscape(id), "action"), //nolint:bodyclose // closed by gophercloud
		map[string]any{action: nil}, nil, &gophercloud.RequestOpts{OkCodes: []int{http.StatusAccepted, http.StatusNoContent}})
	return err
}
