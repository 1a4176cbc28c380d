package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/digitalocean/go-libvirt"
	"github.com/digitalocean/go-libvirt/socket/dialers"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// host is a connection to a libvirt daemon.
type host struct {
	*libvirt.Libvirt

	out io.Writer
	// timeout is how long a guest may take to let a device go.
	timeout time.Duration
	changed bool
}

func open(uri, socket string, timeout time.Duration, out io.Writer) (*host, error) {
	connection := libvirt.NewWithDialer(dialers.NewLocal(dialers.WithSocket(socket)))
	if err := connection.ConnectToURI(libvirt.ConnectURI(uri)); err != nil {
		return nil, fmt.Errorf("connect to %s at %s: %w", uri, socket, err)
	}
	return &host{Libvirt: connection, out: out, timeout: timeout}, nil
}

func (h *host) close() error { return h.Disconnect() }

// say tells of something that was done.
func (h *host) say(done, arq string) {
	h.changed = true
	fmt.Fprintf(h.out, "%s: ARQ %s\n", done, arq)
}

// change plugs or unplugs, and says so if there is nothing to be done.
func (h *host) change(ctx context.Context, name string, arqs []cyborgclient.ARQ, unplug bool) error {
	domain, err := h.DomainLookupByName(name)
	if err != nil {
		return err
	}
	running, err := h.DomainIsActive(domain)
	switch {
	case err != nil:
		return err
	case running == 1:
		err = h.changeRunning(ctx, domain, arqs, unplug)
	case unplug:
		err = h.undefine(domain, arqs)
	default:
		err = h.define(domain, arqs)
	}
	if err == nil && !h.changed {
		fmt.Fprintln(h.out, "nothing to do")
	}
	return err
}

// changeRunning plugs or unplugs while the guest runs or, where a libvirt cannot do that, changes what it starts with. A
// device that the guest does not have may be in its next start nevertheless.
func (h *host) changeRunning(ctx context.Context, domain libvirt.Domain, arqs []cyborgclient.ARQ, unplug bool) error {
	g, err := h.runningGuest(domain)
	if err != nil {
		return err
	}
	if unplug {
		err = g.unplug(ctx, arqs)
	} else {
		err = g.plug(ctx, arqs)
	}
	cannot := unsupported(err)
	if cannot {
		fmt.Fprintln(h.out, "note: this libvirt cannot do it while the guest runs, it holds for its next start")
	}
	switch {
	case err != nil && !cannot:
		return err
	case unplug && g.persistent:
		return h.undefine(domain, arqs)
	case cannot:
		return h.define(domain, arqs)
	}
	return nil
}

// unsupported is what libvirt's test driver says.
func unsupported(err error) bool {
	refused, ok := errors.AsType[libvirt.Error](err)
	return ok && refused.Code == uint32(libvirt.ErrNoSupport)
}
