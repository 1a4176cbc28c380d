package main

import (
	"context"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// world is the cloud that the example runs in.
type world struct {
	placement *placement.Client
	cyborg    *cyborgclient.Client
	manager   *lifecycle.Manager
	close     func()
}

// cloudNames are entries of clouds.yaml: the user's, and that of the service whose token goes beside the user's.
type cloudNames struct{ user, service string }

// openWorld opens the named cloud, or makes one in this process.
func openWorld(ctx context.Context, cloud cloudNames, observe func(context.Context, lifecycle.Step)) (*world, error) {
	if cloud.user != "" {
		return realCloud(ctx, cloud, observe)
	}
	return ownCloud(ctx, observe)
}

// realCloud logs in by clouds.yaml. Cyborg tells a real Nova of bindings, not this program, so that the wait polls.
func realCloud(ctx context.Context, cloud cloudNames, observe func(context.Context, lifecycle.Step)) (*world, error) {
	w := &world{close: func() {}}
	var err error
	if w.placement, err = placement.New(ctx, placement.WithCloud(cloud.user)); err != nil {
		return nil, err
	}
	opts := []cyborgclient.Option{cyborgclient.WithCloud(cloud.user)}
	if cloud.service != "" {
		opts = append(opts, cyborgclient.WithServiceCloud(cloud.service))
	}
	if w.cyborg, err = cyborgclient.New(ctx, opts...); err != nil {
		return nil, err
	}
	w.manager, err = lifecycle.New(w.placement, w.cyborg, lifecycle.WithObserver(observe))
	return w, err
}

// ownCloud makes a Placement and a Cyborg that live in this process and are reached without sockets.
func ownCloud(ctx context.Context, observe func(context.Context, lifecycle.Step)) (*world, error) {
	w := &world{}
	placementServer, err := placementtest.New()
	if err != nil {
		return nil, err
	}
	w.placement, err = placement.New(ctx, placement.WithEndpoint("http://placement.localhost"),
		placement.WithToken("admin"), placement.WithTransport(placementServer.Transport()))
	if err != nil {
		return nil, err
	}
	seed, err := builtin.ReadFile("seed.yaml")
	if err != nil {
		return nil, err
	}
	events := make(chan fakecyborg.Event, 16)
	cyborgServer, err := fakecyborg.New(fakecyborg.WithSeedYAML("seed.yaml", seed),
		fakecyborg.WithPlacement(w.placement), fakecyborg.WithEvents(events))
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	w.close = func() {
		close(done)
		cyborgServer.Close()
	}
	if err := cyborgServer.Report(ctx); err != nil {
		return nil, err
	}
	w.cyborg, err = cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(cyborgServer.Transport()))
	if err != nil {
		return nil, err
	}
	receiver, err := virtdriver.NewReceiver()
	if err != nil {
		return nil, err
	}
	go deliver(events, receiver, done)
	w.manager, err = lifecycle.New(w.placement, w.cyborg, lifecycle.WithObserver(observe),
		lifecycle.WithWaiter(virtdriver.WithReceiver(receiver)))
	return w, err
}

// deliver hands Cyborg's events to the waiting virt driver, as Nova's API does.
func deliver(events <-chan fakecyborg.Event, receiver *virtdriver.Receiver, done <-chan struct{}) {
	for {
		select {
		case event := <-events:
			receiver.Deliver(virtdriver.Event(event))
		case <-done:
			return
		}
	}
}
