package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

const (
	bare = "<domain type='kvm'><devices/></domain>"
	has  = "<domain type='kvm'><devices><hostdev mode='subsystem' type='pci'><source><address bus='0x3b'/></source></hostdev></devices></domain>"
)

// TestUnplugWaitsForTheGuest: a device is unplugged when the guest has let it go, and not when it was asked.
func TestUnplugWaitsForTheGuest(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, test := range []struct {
		name    string
		after   time.Duration // the guest lets the device go
		cancel  time.Duration
		live    error
		want    error
		atLeast time.Duration
		atMost  time.Duration
	}{
		{name: "at once", atMost: look},
		{name: "late", after: 3 * time.Second, atLeast: 3 * time.Second, atMost: 4 * time.Second},
		{name: "never", after: time.Hour, want: errStays, atLeast: 10 * time.Second, atMost: 11 * time.Second},
		{name: "given up", after: time.Hour, cancel: time.Second, want: context.Canceled, atLeast: time.Second, atMost: 2 * time.Second},
		{name: "no answer", live: broken, want: broken, atMost: look},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				live := func() ([]byte, error) {
					if time.Since(start) < test.after {
						return []byte(has), test.live
					}
					return []byte(bare), test.live
				}
				err := waitUntilGone(ctx, live, virtdriver.Fragment{ARQ: pciARQ()}, 10*time.Second)
				require.ErrorIs(t, err, test.want)
				assert.GreaterOrEqual(t, time.Since(start), test.atLeast)
				assert.LessOrEqual(t, time.Since(start), test.atMost)
			})
		})
	}
}

func pciARQ() cyborgclient.ARQ {
	return cyborgclient.ARQ{UUID: "a", AttachHandle: cyborgclient.AttachHandle{
		Type: cyborgclient.HandlePCI, Info: map[string]any{"domain": "0000", "bus": "3b", "device": "00", "function": "0"},
	}}
}
