package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// B10: a deletion needs nothing of a user. A process that knows only the record does it, and a token that Cyborg does
// not take is an error and leaks nothing.
func TestReclaimByAnotherProcess(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(bothKinds))
		w.fails(fault.Rule{Operation: "arq:delete", Fault: fault.Unauthorized{}})
		err := w.start().Delete(t.Context(), w.record(record.Instance()))
		require.ErrorIs(t, err, cyborgclient.ErrUnauthorized)
		assert.Len(t, w.holds(record.Instance(), record.Now.Host), 2)
		assert.Equal(t, 1, w.places.AllocationCount())
		w.mends()
		require.NoError(t, w.start().Delete(t.Context(), w.record(record.Instance())))
		assert.Empty(t, w.allARQs())
		assert.Zero(t, w.places.AllocationCount())
	})
}

// B11, and Nova's change cb56ae6aad: a shelve asks nothing of Cyborg, so that it works while Cyborg is down. What an
// offload cannot free then is freed later, and the claim after it.
func TestShelveWhileCyborgIsDown(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		w.fails(refusing(fault.Any)...)
		result, err := p.Shelve(t.Context(), record)
		require.NoError(t, err)
		assert.Equal(t, lifecycle.StateShelved, result.Record.State)
		_, err = p.Offload(t.Context(), result.Record)
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		after := recordOf(t, err)
		assert.Equal(t, lifecycle.StateOffloaded, after.State)
		assert.NotEmpty(t, after.Pending)
		assert.Equal(t, 1, w.places.AllocationCount(), "as long as the ARQ has the device")
		w.mends()
		_, err = w.start().Resume(t.Context(), w.record(record.Instance()))
		require.NoError(t, err)
		assert.Empty(t, w.allARQs())
		assert.Zero(t, w.places.AllocationCount())
	})
}

// B12: after a host boot the guests have their devices, and one that cannot have them does not start.
func TestHostBootGivesTheDevices(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		whole, robbed := p.create(t, worldRequest(bothKinds)), p.create(t, worldRequest(oneGPU))
		host := whole.Now.Host
		require.Equal(t, host, robbed.Now.Host)
		w.hypervisor.setDown(host, true)
		w.hypervisor.setDown(host, false)
		_, err := w.cyborg.DeleteARQs(t.Context(), robbed.ARQs()...)
		require.NoError(t, err)
		outcomes := w.start().HostBoot(t.Context(), host, []lifecycle.Record{whole, robbed})
		require.Len(t, outcomes, 2)
		require.NoError(t, outcomes[0].Err)
		got := w.guestOf(whole)
		assert.True(t, got.runs())
		assert.Len(t, got.devices, 2)
		require.ErrorIs(t, outcomes[1].Err, lifecycle.ErrNotBound)
		got = w.guestOf(robbed)
		assert.False(t, got.runs())
		require.NoError(t, p.Delete(t.Context(), robbed))
	})
}

// B13: the rescue guest has the devices.
func TestRescueGuestHasTheDevices(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(bothKinds))
		had := w.guestOf(record).devices
		_, err := p.Rescue(t.Context(), record, []byte(domainOf("rescue")))
		require.NoError(t, err)
		assert.Equal(t, guest{title: "rescue", devices: had}, w.guestOf(record))
		assert.Len(t, had, 2)
	})
}

// B14: no guest starts after a bind that failed, also when the failure was known before the wait began.
func TestFailedBindStartsNoGuest(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]fault.Rule{
		"at once":       {Operation: fault.Bind, Fault: fault.Fails{After: time.Nanosecond}},
		"later":         {Operation: fault.Bind, Fault: fault.Fails{After: 5 * time.Second}},
		"the other ARQ": {Operation: fault.Bind, Sequence: repeat(fault.Pass{}, fault.Fails{After: time.Second})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				w.fails(rule)
				_, err := p.Create(t.Context(), worldRequest(bothKinds))
				require.ErrorIs(t, err, virtdriver.ErrNotBound)
				assert.Zero(t, p.calls("guest", "spawn"))
			})
		})
	}
}

// repeat is a sequence for many binds.
func repeat(faults ...fault.Fault) []fault.Fault {
	var all []fault.Fault
	for range 20 {
		all = append(all, faults...)
	}
	return all
}

// B14: an ARQ that is not bound any more keeps a guest from starting, and one that runs from being touched.
func TestUnboundARQStartsNoGuest(t *testing.T) {
	t.Parallel()
	for name, operation := range sameARQs {
		if strings.HasPrefix(name, "suspend") { // lets the devices go first
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 2, fakecyborg.Newest())
				p := w.start()
				record := p.create(t, worldRequest(oneGPU))
				require.NoError(t, w.cyborg.Unbind(t.Context(), record.ARQs()...))
				_, err := operation(t.Context(), p, record)
				require.ErrorIs(t, err, lifecycle.ErrNotBound)
				assert.Equal(t, 1, p.calls("guest", "spawn"))
				assert.Zero(t, p.calls("guest", "reboot"))
			})
		})
	}
}

// B16: with a flavor's accelerator and a port's, the port's is in the domain once, as an interface, whatever starts the
// guest.
func TestPortDeviceIsThereOnce(t *testing.T) {
	t.Parallel()
	operations := map[string]func(context.Context, *process, lifecycle.Record) (*lifecycle.Result, error){
		"host boot": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
			outcome := p.HostBoot(ctx, r.Now.Host, []lifecycle.Record{r})[0]
			return outcome.Result, outcome.Err
		},
		"hard reboot":    sameARQs["hard reboot"],
		"stop and start": sameARQs["stop and start"],
		"rebuild":        sameARQs["rebuild"],
	}
	for name, operation := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				request, port := worldRequest(oneGPU), uuid.NewString()
				request.Spec.Ports = []requestspec.Port{{ID: port, VNICType: "accelerator-direct", DeviceProfile: portProfile}}
				request.Interfaces = map[string]lifecycle.Interface{port: {MAC: "52:54:00:00:00:01"}}
				record := p.create(t, request)
				result, err := operation(t.Context(), p, record)
				require.NoError(t, err)
				arq, err := w.cyborg.ARQ(t.Context(), record.PortARQs()[port])
				require.NoError(t, err)
				xml := string(result.Composition.XML)
				bus := fmt.Sprintf("bus='0x%s'", arq.AttachHandle.Info["bus"])
				assert.Equal(t, 1, strings.Count(xml, bus), "%s in %s", bus, xml)
				assert.Equal(t, 1, strings.Count(xml, "<hostdev "))
				assert.Equal(t, 1, strings.Count(xml, "<interface "))
			})
		})
	}
}

// B17: no ports, and an empty list of them, are the same.
func TestCreateWithoutPorts(t *testing.T) {
	t.Parallel()
	for name, ports := range map[string][]requestspec.Port{"nil": nil, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				request := worldRequest(oneGPU)
				request.Spec.Ports = ports
				record := p.create(t, request)
				assert.Len(t, w.guestOf(record).devices, 1)
			})
		})
	}
}

// B18: an ARQ of the same instance on another host, which a Cyborg of Train allows, is none of the guest's.
func TestStaleARQsAreNotTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release, err := fakecyborg.FindRelease("3.0.1")
		require.NoError(t, err)
		w := newWorld(t, 2, release)
		p, request := w.start(), worldRequest(oneGPU)
		stale, err := w.cyborg.CreateARQs(t.Context(), portProfile)
		require.NoError(t, err)
		require.NoError(t, w.cyborg.Bind(t.Context(), []cyborgclient.Binding{{
			ARQ: stale[0].UUID, Hostname: w.hosts[1], DeviceRP: w.gpuOf(w.hosts[1]), Instance: request.Consumer.UUID,
		}}))
		result, err := p.Create(t.Context(), request)
		require.NoError(t, err)
		require.Equal(t, w.hosts[0], result.Record.Now.Host)
		for _, operation := range []func(context.Context, lifecycle.Record) (*lifecycle.Result, error){nil, p.HardReboot} {
			if operation != nil {
				result, err = operation(t.Context(), result.Record)
				require.NoError(t, err)
			}
			require.Len(t, result.ARQs, 1)
			assert.NotEqual(t, stale[0].UUID, result.ARQs[0].UUID)
			assert.Equal(t, []string{addressOf(result.ARQs[0])}, w.guestOf(result.Record).devices)
		}
		require.NoError(t, p.Delete(t.Context(), result.Record))
		assert.Empty(t, w.violations(), "a deletion takes the stale one as well")
	})
}

// gpuOf is the provider of a GPU of a host.
func (w *world) gpuOf(host string) string {
	w.t.Helper()
	provider, err := w.placement.ProviderByName(w.t.Context(), host+"_0000:da:00.0")
	require.NoError(w.t, err)
	return provider.UUID
}

// B21: a profile that is not what it was stops a move before anything is claimed; who accepts the change gets the new one.
func TestChangedProfileStopsAMove(t *testing.T) {
	t.Parallel()
	moves := map[string]func(context.Context, *process, lifecycle.Record, lifecycle.MoveRequest) (*lifecycle.Result, error){
		"evacuate": func(ctx context.Context, p *process, r lifecycle.Record, to lifecycle.MoveRequest) (*lifecycle.Result, error) {
			p.world.hypervisor.setDown(r.Now.Host, true)
			result, err := p.Evacuate(ctx, r, to)
			if err != nil {
				return nil, err
			}
			p.world.hypervisor.setDown(r.Now.Host, false)
			outcome := p.HostBoot(ctx, r.Now.Host, []lifecycle.Record{result.Record})[0]
			return outcome.Result, outcome.Err
		},
		"migrate": func(ctx context.Context, p *process, r lifecycle.Record, to lifecycle.MoveRequest) (*lifecycle.Result, error) {
			return p.Migrate(ctx, r, to)
		},
		"live migrate": func(ctx context.Context, p *process, r lifecycle.Record, to lifecycle.MoveRequest) (*lifecycle.Result, error) {
			return p.LiveMigrate(ctx, r, to)
		},
	}
	for name, move := range moves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, _ *world, p *process) {
				record := p.create(t, worldRequest(oneGPU))
				was := record.Now.Sets[0].Profile.Hash
				record.Now.Sets[0].Profile.Hash = strings.Repeat("0", len(was)) // Cyborg lets nobody replace a profile in use
				begun := len(p.gate.log())
				_, err := move(t.Context(), p, record, lifecycle.MoveRequest{})
				require.ErrorIs(t, err, lifecycle.ErrProfileChanged)
				for _, c := range p.gate.log()[begun:] {
					assert.False(t, changing(c) || ofGuest(c), "%s", c)
				}
				result, err := move(t.Context(), p, recordOf(t, err), lifecycle.MoveRequest{AcceptProfileChange: true})
				require.NoError(t, err)
				assert.Equal(t, was, result.Record.Now.Sets[0].Profile.Hash)
			})
		})
	}
	t.Run("unshelve", func(t *testing.T) {
		t.Parallel()
		inCloud(t, func(t *testing.T, w *world, p *process) {
			before := p.offloaded(t, oneGPU)
			w.replaceProfile(oneGPU, "FPGA", "PGPU")
			_, err := p.Unshelve(t.Context(), before, lifecycle.MoveRequest{})
			require.ErrorIs(t, err, lifecycle.ErrProfileChanged)
			assert.Zero(t, w.places.AllocationCount())
			assert.Empty(t, w.allARQs())
			result, err := p.Unshelve(t.Context(), recordOf(t, err), lifecycle.MoveRequest{AcceptProfileChange: true})
			require.NoError(t, err)
			assert.Len(t, result.ARQs, 2)
		})
	})
}

// B22: when Cyborg fails in a deletion, the claim stays until the ARQs are gone, and the repetition finishes.
func TestRefusedDeletionKeepsTheClaim(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(bothKinds))
		for range 2 {
			w.fails(fault.Rule{Operation: "arq:delete", Fault: fault.Status{Code: http.StatusInternalServerError}})
			err := p.Delete(t.Context(), w.record(record.Instance()))
			failed, ok := errors.AsType[*cyborgclient.Error](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, http.StatusInternalServerError, failed.StatusCode)
			assert.NotEmpty(t, w.record(record.Instance()).Pending)
			held, err := w.placement.Allocations(t.Context(), record.Instance())
			require.NoError(t, err)
			assert.Equal(t, record.Claim.Allocations, held.Allocations)
			assert.Len(t, w.holds(record.Instance(), record.Now.Host), 2)
			w.mends()
		}
		require.NoError(t, p.Delete(t.Context(), w.record(record.Instance())))
		assert.Empty(t, w.disk.all())
	})
}

// B23: a Cyborg that is down is told from a profile that is not there.
func TestCyborgDownIsNoMissingProfile(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		_, err := p.Create(t.Context(), worldRequest("nobody"))
		require.ErrorIs(t, err, cyborgclient.ErrNotFound)
		for kind, how := range map[error]fault.Fault{
			cyborgclient.ErrUnavailable: fault.Status{Code: http.StatusServiceUnavailable}, cyborgclient.ErrUnreachable: fault.DropBefore{},
		} {
			w.fails(fault.Rule{Operation: fault.Any, Fault: how})
			_, err = p.Create(t.Context(), worldRequest("nobody"))
			require.ErrorIs(t, err, kind)
			require.NotErrorIs(t, err, cyborgclient.ErrNotFound)
			w.mends()
		}
	})
}

// B27: a bind that worked counts, although Cyborg answers with an error because Nova took only some of the events.
func TestBindWithMixedEvents(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		w.fails(fault.Rule{Operation: fault.Event, Nth: 1, Fault: fault.EventRefused{}})
		record := p.create(t, worldRequest(bothKinds))
		assert.Equal(t, 1, p.calls("cyborg", "bind"))
		assert.Len(t, w.guestOf(record).devices, 2)
		counts := w.fake.Faults().Counts()
		assert.Equal(t, 1, counts[0].Hits)
	})
}
