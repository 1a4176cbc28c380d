package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// errStays is that of a guest that does not let a device go.
var errStays = errors.New("the guest still has the device")

// look is the pause between two looks at a guest.
const look = 200 * time.Millisecond

// waitUntilGone looks at the live XML until it has the device no more.
func waitUntilGone(ctx context.Context, live func() ([]byte, error), f virtdriver.Fragment, timeout time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%w after %s; it was asked and may let it go later", errStays, timeout))
	defer cancel()
	for {
		xml, err := live()
		if err != nil {
			return err
		}
		gone, err := virtdriver.Decompose(xml, []cyborgclient.ARQ{f.ARQ})
		switch {
		case err != nil:
			return err
		case len(gone.Detached) == 0:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(look):
		}
	}
}
