package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const seed = `
hosts:
  - name: compute-1
    compute_node: {vcpus: 32, memory_mb: 65536, disk_gb: 500}
    devices: [{driver: fake}]
  - name: compute-2
    compute_node: {vcpus: 32, memory_mb: 65536, disk_gb: 500}
    devices: [{driver: fake}]
device_profiles:
  - name: fpga
    groups: [{"resources:FPGA": 1}]
`

// cloud is a Placement and a Cyborg in this process, and what runs instances with them.
type cloud struct {
	manager *lifecycle.Manager
	cyborg  *fakecyborg.Server
}

// newCloud makes a manager whose steps and calls telemetry and logger are told of. What the fake Cyborg itself does is
// not watched.
func newCloud(ctx context.Context, telemetry *telemetry, logger *slog.Logger) (*cloud, error) {
	placements, err := placementtest.New()
	if err != nil {
		return nil, err
	}
	toPlacement := []placement.Option{
		placement.WithEndpoint("http://placement.localhost"), placement.WithToken("admin"), placement.WithTransport(placements.Transport()),
	}
	reporter, err := placement.New(ctx, toPlacement...)
	if err != nil {
		return nil, err
	}
	cyborgs, err := fakecyborg.New(fakecyborg.WithSeedYAML("the example's seed", []byte(seed)), fakecyborg.WithPlacement(reporter))
	if err != nil {
		return nil, err
	}
	if err := cyborgs.Report(ctx); err != nil {
		return nil, err
	}
	watched, err := placement.New(ctx, append(toPlacement, cyborgclient.WithHook(telemetry.call))...)
	if err != nil {
		return nil, err
	}
	cyborg, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(cyborgs.Transport()), cyborgclient.WithHook(telemetry.call))
	if err != nil {
		return nil, err
	}
	manager, err := lifecycle.New(watched, cyborg,
		lifecycle.WithObserver(telemetry.step), lifecycle.WithLogger(logger), lifecycle.WithHypervisor(guests{}),
		lifecycle.WithWaiter(virtdriver.WithPollInterval(50*time.Millisecond))) // nobody gets the events of the binds
	return &cloud{manager: manager, cyborg: cyborgs}, err
}
