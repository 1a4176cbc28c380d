package main

import (
	"log/slog"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

// logLoaded tells what there is at the start.
func logLoaded(cyborg *fakecyborg.Server, logger *slog.Logger) {
	state, hosts, requests := cyborg.State(""), len(cyborg.Seed().Hosts), 0
	for _, number := range state.ARQs {
		requests += number
	}
	if hosts == 0 && state.DeviceProfiles == 0 {
		logger.Warn("loaded nothing: there are no hosts and no device profiles")
		return
	}
	logger.Info("loaded", "hosts", hosts, "devices", state.Devices, "device_profiles", state.DeviceProfiles, "accelerator_requests", requests)
}
