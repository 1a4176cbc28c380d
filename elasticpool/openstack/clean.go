package openstack

import (
	"context"
	"errors"
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// clean removes what a server that is gone left. What the login may not remove is told to the logger and is no error:
// trying again would not help, and Nova mostly removes it itself.
func (p *Provider) clean(ctx context.Context, op string, s elasticpool.Server) error {
	p.memory.made(s)
	p.memory.isGone(s.ID)
	var failures []error
	for _, left := range []struct {
		kind   OrphanKind
		remove func(context.Context, elasticpool.Server) error
	}{
		{OrphanPort, p.cleanPorts}, {OrphanVolume, p.cleanVolumes}, {OrphanARQ, p.cleanARQs},
	} {
		err := left.remove(ctx, s)
		switch {
		case err != nil && notAllowed(err):
			p.log.Warn("what a server left may stay", "kind", left.kind, "server", s.ID, "error", classify("clean up", err))
		case err != nil:
			failures = append(failures, classify(op+": clean up", err))
		}
	}
	if len(failures) == 1 {
		return failures[0]
	}
	return errors.Join(failures...)
}

func (p *Provider) cleanPorts(ctx context.Context, s elasticpool.Server) error {
	if p.network == nil {
		return nil
	}
	left, err := p.portsOf(ctx, s.VM)
	if err != nil {
		return err
	}
	for _, port := range left {
		if port.DeviceID != "" && port.DeviceID != s.ID {
			continue // of another server: somebody has taken it over
		}
		if err := p.deletePort(ctx, port.ID); err != nil {
			return err
		}
	}
	return nil
}

func (p *Provider) cleanVolumes(ctx context.Context, s elasticpool.Server) error {
	if p.volumes == nil {
		return nil
	}
	left, err := p.markedVolumes(ctx, s.VM)
	if err != nil {
		return err
	}
	for _, volume := range left {
		if !deletable(volume.Status) {
			continue // Cinder is at it, or it is used: Orphans looks again
		}
		if err := p.deleteVolume(ctx, volume.ID); err != nil {
			return err
		}
	}
	return nil
}

// deletable are the states in which Cinder deletes a volume (cinder/volume/api.py:delete).
func deletable(status string) bool {
	return slices.Contains([]string{"available", "error", "error_restoring", "error_extending", "error_managing"}, status)
}

func (p *Provider) cleanARQs(ctx context.Context, s elasticpool.Server) error {
	if p.cyborg == nil || !isUUID(s.ID) {
		return nil
	}
	arqs, err := p.cyborg.ARQsByInstance(ctx, s.ID)
	if err != nil || len(arqs) == 0 {
		return err
	}
	return p.cyborg.DeleteARQsByInstance(ctx, s.ID)
}
