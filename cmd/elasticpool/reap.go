package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/openstack"
)

// reap removes what servers have left behind in an OpenStack (ports, volumes, accelerator requests) once it was found for
// as long as orphans are left alone, until the context ends.
func reap(ctx context.Context, pool string, clouds map[string]elasticpool.Provider, grace time.Duration, logger *slog.Logger) {
	tick := time.NewTicker(grace)
	defer tick.Stop()
	for {
		for name, cloud := range clouds {
			provider, ok := cloud.(*openstack.Provider)
			if !ok {
				continue
			}
			reaped, err := provider.Reap(ctx, pool, grace)
			if err != nil && ctx.Err() == nil {
				logger.Warn("what servers left behind", "cloud", name, "error", err)
			}
			if len(reaped) > 0 {
				logger.Info("removed what servers left behind", "cloud", name, "things", len(reaped))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
