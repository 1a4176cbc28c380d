package main

import (
	"context"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/placement/placementtest"
)

const seed = `
hosts:
  - name: compute-1
    compute_node: {vcpus: 32, memory_mb: 65536, disk_gb: 500}
    devices: [{driver: fake}]
device_profiles:
  - name: fpga
    groups: [{"resources:FPGA": 1}]
`

// cloud is a Placement and a Cyborg in this process, and what builds instances with them.
type cloud struct {
	manager *lifecycle.Manager
	close   func()
}

// newCloud makes clients whose calls the hook is told of. What the fake Cyborg itself does is not watched.
func newCloud(ctx context.Context, hook cyborgclient.Hook) (*cloud, error) {
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
	watched, err := placement.New(ctx, append(toPlacement, cyborgclient.WithHook(hook))...)
	if err != nil {
		return nil, err
	}
	cyborg, err := cyborgclient.New(ctx, cyborgclient.WithEndpoint("http://cyborg.localhost/v2"),
		cyborgclient.WithTransport(cyborgs.Transport()), cyborgclient.WithHook(hook))
	if err != nil {
		return nil, err
	}
	manager, err := lifecycle.New(watched, cyborg)
	return &cloud{manager: manager, close: cyborgs.Close}, err
}
