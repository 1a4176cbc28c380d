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
}

func open(uri, socket string, timeout time.Duration, out io.Writer) (*host, error) {
	connection := libvirt.NewWithDialer(dialers.NewLocal(dialers.WithSocket(socket)))
	if err := connection.ConnectToURI(libvirt.ConnectURI(uri)); err != nil {
		return nil, fmt.Errorf("connect to %s at %s: %w", uri, socket, err)
	}
	return &host{connection, out, timeout}, nil
}

func (h *host) close() error { return h.Disconnect() }

// change plugs or unplugs while the guest runs, and otherwise changes what it starts with.
func (h *host) change(ctx context.Context, name string, arqs []cyborgclient.ARQ, unplug bool) error {
	domain, err := h.DomainLookupByName(name)
	if err != nil {
		return err
	}
	running, err := h.DomainIsActive(domain)
	if err != nil {
		return err
	}
	if running == 1 {
		g, err := h.runningGuest(domain)
		if err != nil {
			return err
		}
		if unplug {
			err = g.unplug(ctx, arqs)
		} else {
			err = g.plug(ctx, arqs)
		}
		if !unsupported(err) {
			return err
		}
		fmt.Fprintln(h.out, "note: this libvirt cannot do it while the guest runs, it holds for its next start")
	}
	if unplug {
		return h.undefine(domain, arqs)
	}
	return h.define(domain, arqs)
}

// unsupported is what libvirt's test driver says.
func unsupported(err error) bool {
	refused, ok := errors.AsType[libvirt.Error](err)
	return ok && refused.Code == uint32(libvirt.ErrNoSupport)
}
