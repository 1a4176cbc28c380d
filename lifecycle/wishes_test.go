package lifecycle_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/lifecycle"
)

// TestProfileWithTheRequest: a device profile can come with the request, instead of the flavor's, or with it if asked for.
func TestProfileWithTheRequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		flavor, request string
		both            bool
		want            []string // the profiles of the sets
		refused         string
	}{
		{name: "instead", request: oneGPU, want: []string{oneGPU}},
		{name: "the same", flavor: oneGPU, request: oneGPU, want: []string{oneGPU}},
		{name: "another", flavor: oneGPU, request: bothKinds, refused: "set BothProfiles"},
		{name: "both", flavor: oneGPU, request: bothKinds, both: true, want: []string{oneGPU, bothKinds}},
		{name: "the same twice", flavor: oneGPU, request: oneGPU, both: true, want: []string{oneGPU, oneGPU}},
		{name: "no name", request: "<profile>", refused: "not a valid profile name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				request := worldRequest(test.flavor)
				request.Profile, request.BothProfiles = test.request, test.both
				result, err := w.start().Create(t.Context(), request)
				if test.refused != "" {
					require.ErrorContains(t, err, test.refused)
				} else {
					require.NoError(t, err)
					var profiles []string
					for _, set := range result.Record.Now.Sets {
						profiles = append(profiles, set.Profile.Name)
					}
					assert.Equal(t, test.want, profiles)
				}
				assert.Empty(t, w.violations())
			})
		})
	}
}

// TestGivenARQs are bound for the time that the instance has them, through a move as well, and free again afterwards.
func TestGivenARQs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start()
		request := worldRequest(oneGPU)
		request.ARQs = w.giveARQs(bothKinds)
		result, err := p.Create(t.Context(), request)
		require.NoError(t, err)
		assert.Len(t, result.ARQs, 3)
		assert.Subset(t, result.Record.ARQs(), request.ARQs)
		moved, err := then(t.Context(), p.Confirm)(p.Migrate(t.Context(), result.Record, lifecycle.MoveRequest{}))
		require.NoError(t, err)
		assert.Subset(t, moved.Record.ARQs(), request.ARQs, "the same ones, on the other host")
		require.NoError(t, p.Delete(t.Context(), moved.Record))
		for _, given := range request.ARQs {
			arq, err := w.cyborg.ARQ(t.Context(), given)
			require.NoError(t, err)
			assert.Equal(t, cyborgclient.StateUnbound, arq.State)
		}
		assert.Empty(t, w.violations())
	})
}

func TestGivenARQsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		give func(*testing.T, *world) []string
		want string
	}{
		"unknown": {func(*testing.T, *world) []string { return []string{uuid.NewString()} }, "not found"},
		"twice": {func(_ *testing.T, w *world) []string {
			given := w.giveARQs(oneGPU)
			return append(given, given...)
		}, "given twice"},
		"only a part of the profile": {func(_ *testing.T, w *world) []string { return w.giveARQs(bothKinds)[:1] }, "have [1 0], and need [1 1]"},
		"somebody else's": {func(t *testing.T, w *world) []string {
			t.Helper()
			return w.start().create(t, worldRequest(oneGPU)).ARQs()
		}, "only a free one can be bound"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				request := worldRequest("")
				request.ARQs = test.give(t, w)
				_, err := w.start().Create(t.Context(), request)
				require.ErrorContains(t, err, test.want)
				assert.Empty(t, w.violations())
			})
		})
	}
}

// TestAttachmentThatInterrupts: a guest that has accelerators loses them for a moment, which has to be allowed; one that
// has none loses nothing.
func TestAttachmentThatInterrupts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start()
		result, err := p.Attach(t.Context(), p.create(t, worldRequest("")), lifecycle.AttachRequest{Profile: oneGPU})
		require.NoError(t, err)
		begun := len(p.gate.log())
		_, err = p.Attach(t.Context(), result.Record, lifecycle.AttachRequest{Profile: oneFPGA})
		require.ErrorIs(t, err, lifecycle.ErrInterruption)
		assert.Len(t, p.gate.log(), begun, "nobody is asked anything")
		result, err = p.Attach(t.Context(), recordOf(t, err), lifecycle.AttachRequest{Profile: oneFPGA, Interrupt: true})
		require.NoError(t, err)
		assert.Len(t, w.guestOf(result.Record).devices, 2)
		assert.Empty(t, w.violations())
	})
}

// TestDetachedSetStaysAway: an instance moves without the devices of its flavor when they were detached, and keeps those
// of its request.
func TestDetachedSetStaysAway(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(context.Context, *process, lifecycle.Record) (*lifecycle.Result, error){
		"migrate": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
			return then(ctx, p.Confirm)(p.Migrate(ctx, r, lifecycle.MoveRequest{}))
		},
		"evacuate": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
			p.world.hypervisor.setDown(r.Now.Host, true)
			return p.Evacuate(ctx, r, lifecycle.MoveRequest{})
		},
		"offload and unshelve": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
			return then(ctx, func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Unshelve(ctx, r, lifecycle.MoveRequest{})
			})(then(ctx, p.Offload)(p.Shelve(ctx, r)))
		},
	} {
		for profile, devices := range map[string]int{"": 0, bothKinds: 2} {
			t.Run(name+"/"+profile, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, 2, fakecyborg.Newest())
					p, request := w.start(), worldRequest(oneGPU)
					request.Profile, request.BothProfiles = profile, profile != ""
					detached, err := p.Detach(t.Context(), p.create(t, request), "")
					require.NoError(t, err)
					result, err := move(t.Context(), p, detached.Record)
					require.NoError(t, err)
					assert.Equal(t, lifecycle.StateActive, result.Record.State)
					assert.Len(t, w.guestOf(result.Record).devices, devices)
					assert.Len(t, w.allARQs(), devices)
					assert.Empty(t, w.violations())
				})
			})
		}
	}
}

// TestGuestNeedsADomain: with a hypervisor, what would have to start a guest from nothing is refused before anybody is
// asked; without one the guest is the caller's.
func TestGuestNeedsADomain(t *testing.T) {
	t.Parallel()
	for name, operation := range map[string]func(context.Context, *process, lifecycle.Record) error{
		"create": func(ctx context.Context, p *process, _ lifecycle.Record) error {
			request := worldRequest(oneGPU)
			request.Domain = nil
			return failureOf(p.Create(ctx, request))
		},
		"rescue": func(ctx context.Context, p *process, r lifecycle.Record) error {
			return failureOf(p.Rescue(ctx, r, nil))
		},
		"rebuild": func(ctx context.Context, p *process, r lifecycle.Record) error {
			return failureOf(p.Rebuild(ctx, r, nil))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				p := w.start()
				record := p.create(t, worldRequest(oneGPU))
				guest, begun := w.guestOf(record), len(p.gate.log())
				require.ErrorContains(t, operation(t.Context(), p, record), "there is no domain XML")
				assert.Len(t, p.gate.log(), begun)
				assert.Equal(t, guest, w.guestOf(record))
				assert.Empty(t, w.violations())
			})
		})
	}
}

// spawned is a hypervisor that keeps the guests it was to start.
type spawned struct {
	lifecycle.Hypervisor
	guests []lifecycle.Guest
}

func (h *spawned) Spawn(_ context.Context, guest lifecycle.Guest) error {
	h.guests = append(h.guests, guest)
	return nil
}

// TestGuestIsToldItsMediatedDevices: a vGPU has to be created on the host before the guest can start, also when it starts
// again.
func TestGuestIsToldItsMediatedDevices(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seed := worldSeed([]string{"node-0"})
		seed.Hosts[0].Devices = []fakecyborg.Device{{Driver: "vgpu", Card: driver.Card{Address: "0000:3b:00.0", VGPUs: 2}}}
		seed.DeviceProfiles = append(seed.DeviceProfiles, fakecyborg.DeviceProfile{
			Name: "vgpu", Groups: []fakecyborg.Group{{{Key: "resources:VGPU", Value: "1"}}},
		})
		hypervisor := &spawned{}
		p := newWorldOf(t, seed, fakecyborg.Newest()).start(lifecycle.WithHypervisor(hypervisor))
		result, err := p.Create(t.Context(), worldRequest("vgpu"))
		require.NoError(t, err)
		again, err := p.HardReboot(t.Context(), result.Record)
		require.NoError(t, err)
		require.Len(t, hypervisor.guests, 2)
		for _, guest := range hypervisor.guests {
			require.Len(t, guest.Mediated, 1)
			assert.Equal(t, strings.ToLower(again.ARQs[0].AttachHandle.UUID), guest.Mediated[0].UUID)
			assert.Equal(t, "pci_0000_3b_00_0", guest.Mediated[0].Parent)
			assert.Contains(t, string(guest.Domain), guest.Mediated[0].UUID)
		}
	})
}
