package openstack

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Reap removes the orphans of the pool that were found for as long as grace, and returns them. What cannot be removed is
// an error, which names it; the rest is removed all the same.
func (p *Provider) Reap(ctx context.Context, pool string, grace time.Duration) ([]Orphan, error) {
	found, err := p.Orphans(ctx, pool)
	if err != nil {
		return nil, err
	}
	var (
		reaped   []Orphan
		failures []error
	)
	for _, orphan := range found {
		if time.Since(orphan.Since) < grace {
			continue
		}
		if err := p.remove(ctx, orphan); err != nil {
			failures = append(failures, classify(p.op("remove %s %s of VM %s", orphan.Kind, orphan.ID, orphan.VM), err))
			continue
		}
		reaped = append(reaped, orphan)
	}
	return reaped, errors.Join(failures...)
}

func (p *Provider) remove(ctx context.Context, orphan Orphan) error {
	switch orphan.Kind {
	case OrphanPort:
		return p.deletePort(ctx, orphan.ID)
	case OrphanVolume:
		return p.deleteVolume(ctx, orphan.ID)
	case OrphanARQ:
		_, err := p.cyborg.DeleteARQs(ctx, orphan.ID)
		return err
	}
	return fmt.Errorf("unknown kind of orphan %q", orphan.Kind)
}
