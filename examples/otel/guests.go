package main

import (
	"context"

	"github.com/novacyborg/novacyborg/lifecycle"
)

// guests is a hypervisor that has no guests and says that all is done, so that its steps are seen too.
type guests struct{}

func (guests) Spawn(context.Context, lifecycle.Guest) error { return nil }

func (guests) Destroy(context.Context, lifecycle.Guest) error { return nil }

func (guests) Power(context.Context, lifecycle.Guest, lifecycle.PowerAction) error { return nil }

func (guests) Attach(context.Context, lifecycle.Guest, lifecycle.Devices) error { return nil }

func (guests) Detach(context.Context, lifecycle.Guest, lifecycle.Devices) error { return nil }

func (guests) Migrate(context.Context, lifecycle.Guest, string) error { return nil }
