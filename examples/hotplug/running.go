package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/digitalocean/go-libvirt"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// runningGuest is a domain that runs, with its live XML.
type runningGuest struct {
	*host

	domain libvirt.Domain
	xml    []byte
	// persistent says that it has a next start.
	persistent bool
}

func (h *host) runningGuest(domain libvirt.Domain) (*runningGuest, error) {
	persistent, err := h.DomainIsPersistent(domain)
	if err != nil {
		return nil, err
	}
	text, err := h.DomainGetXMLDesc(domain, 0)
	return &runningGuest{h, domain, []byte(text), persistent == 1}, err
}

// flags say what a change of a device changes: now, and for the next start if there is one that needs the change.
func (g *runningGuest) flags(f virtdriver.Fragment, unplug bool) (libvirt.DomainDeviceModifyFlags, error) {
	if !g.persistent {
		return libvirt.DomainDeviceModifyLive, nil
	}
	definition, err := g.definition(g.domain)
	if err != nil {
		return 0, err
	}
	return flagsBeside(definition, f, unplug)
}

// flagsBeside compares a change with what the domain starts with. libvirt refuses the whole change when that has the
// device already or, after an earlier attempt that the guest did not answer, has it no more.
func flagsBeside(definition []byte, f virtdriver.Fragment, unplug bool) (libvirt.DomainDeviceModifyFlags, error) {
	without, err := virtdriver.Decompose(definition, []cyborgclient.ARQ{f.ARQ})
	if err != nil {
		return 0, err
	}
	if has := len(without.Detached) > 0; has != unplug {
		return libvirt.DomainDeviceModifyLive, nil
	}
	return libvirt.DomainDeviceModifyLive | libvirt.DomainDeviceModifyConfig, nil
}

// plug gives the guest what it does not have yet; all of it or nothing.
func (g *runningGuest) plug(ctx context.Context, arqs []cyborgclient.ARQ) error {
	fragments, err := virtdriver.HotPlug(g.xml, arqs)
	if err != nil {
		return err
	}
	for i, f := range fragments {
		err := ctx.Err()
		if err == nil {
			err = g.attach(f)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("plug ARQ %s into %s: %w", f.ARQ.UUID, g.domain.Name, err), g.undo(context.WithoutCancel(ctx), fragments[:i]))
		}
		g.say("plugged in", f.ARQ.UUID)
	}
	return nil
}

// attach creates the mediated device, if the device is one, and plugs it in.
func (g *runningGuest) attach(f virtdriver.Fragment) error {
	flags, err := g.flags(f, false)
	if err != nil {
		return err
	}
	created := false
	if f.Mediated != nil {
		if created, err = g.createMediated(*f.Mediated); err != nil {
			return err
		}
	}
	err = g.DomainAttachDeviceFlags(g.domain, f.XML, uint32(flags)) //nolint:gosec // small numbers of libvirt's
	if err != nil && created {
		err = errors.Join(err, g.removeMediated(*f.Mediated))
	}
	return err
}

// undo takes the last plugged device away first.
func (g *runningGuest) undo(ctx context.Context, fragments []virtdriver.Fragment) error {
	var failures []error
	for _, f := range slices.Backward(fragments) {
		failures = append(failures, g.detach(ctx, f))
	}
	return errors.Join(failures...)
}

// unplug takes away what the guest has of the ARQs.
func (g *runningGuest) unplug(ctx context.Context, arqs []cyborgclient.ARQ) error {
	fragments, err := virtdriver.HotUnplug(g.xml, arqs)
	if err != nil {
		return err
	}
	for _, f := range fragments {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.detach(ctx, f); err != nil {
			return fmt.Errorf("unplug ARQ %s from %s: %w", f.ARQ.UUID, g.domain.Name, err)
		}
		g.say("unplugged", f.ARQ.UUID)
	}
	return nil
}

// detach asks for the device and waits until it is gone: libvirt answers before the guest has let it go, and a guest may
// keep it.
func (g *runningGuest) detach(ctx context.Context, f virtdriver.Fragment) error {
	flags, err := g.flags(f, true)
	if err != nil {
		return err
	}
	if err := g.DomainDetachDeviceFlags(g.domain, f.XML, uint32(flags)); err != nil { //nolint:gosec // small numbers of libvirt's
		return err
	}
	live := func() ([]byte, error) {
		text, err := g.DomainGetXMLDesc(g.domain, 0)
		return []byte(text), err
	}
	if err := waitUntilGone(ctx, live, f, g.timeout); err != nil {
		return err
	}
	if f.Mediated == nil {
		return nil
	}
	return g.removeMediated(*f.Mediated)
}
