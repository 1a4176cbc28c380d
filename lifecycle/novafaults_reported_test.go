package lifecycle_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// LP#1872730: after a bind that Cyborg refused, the ARQs, which name no instance yet, are deleted by their own uuids.
func TestRefusedBindDeletesByUUID(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		w.fails(refusing("arq:update")...)
		_, err := p.Create(t.Context(), worldRequest(bothKinds))
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		asked, done := w.deletions()
		assert.Len(t, asked, 2)
		assert.Equal(t, asked, done)
		assert.Empty(t, w.allARQs())
	})
}

// LP#1890428, LP#1950276: every failure says why, a time-out too: the ARQ, its state, the host.
func TestFailuresSayWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rule fault.Rule
		kind error
		text string
	}{
		"refused":   {refusing("arq:update")[0], cyborgclient.ErrForbidden, ": bind: "},
		"failed":    {fault.Rule{Operation: fault.Bind, Fault: fault.Fails{After: time.Second}}, virtdriver.ErrNotBound, "BindFailed"},
		"timed out": {fault.Rule{Operation: fault.Bind, Fault: fault.Stuck{}}, virtdriver.ErrWaitTimeout, "BindStarted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				w.fails(test.rule)
				arq := ""
				p.gate.meddle = func(_ int, c call) meddling {
					if binding(c) && arq == "" {
						arq = w.allARQs()[0].UUID
					}
					return meddling{}
				}
				_, err := p.Create(t.Context(), worldRequest(oneGPU))
				require.ErrorIs(t, err, test.kind)
				require.ErrorContains(t, err, test.text)
				require.ErrorContains(t, err, "on host "+w.hosts[0])
				if name != "refused" {
					require.ErrorContains(t, err, arq)
				}
				assert.NotContains(t, err.Error(), "\n")
			})
		})
	}
}

// LP#1893751, LP#1941005: a resize to an accelerator flavor gives the guest the new flavor's devices, one from it takes
// them away.
func TestResizeFollowsTheNewFlavor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, from, to string
		want           int
	}{
		{"to accelerators", "", oneGPU, 1},
		{"to others", oneGPU, bothKinds, 2},
		{"to none", bothKinds, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inCloud(t, func(t *testing.T, w *world, p *process) {
				record := p.create(t, worldRequest(test.from))
				result, err := p.Resize(t.Context(), record, lifecycle.ResizeRequest{Flavor: worldFlavor(4, test.to)})
				result, err = then(t.Context(), p.Confirm)(result, err)
				require.NoError(t, err)
				assert.Len(t, w.guestOf(result.Record).devices, test.want)
				assert.Len(t, w.allARQs(), test.want)
			})
		})
	}
}

// LP#1917592: an offload needs nothing but the record, whoever does it and when.
func TestOffloadNeedsTheRecordAlone(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		result, err := p.Shelve(t.Context(), p.create(t, worldRequest(bothKinds)))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		_, err = w.start().Offload(t.Context(), w.record(result.Record.Instance()))
		require.NoError(t, err)
		assert.Empty(t, w.allARQs())
		assert.Zero(t, w.places.AllocationCount())
	})
}

// LP#1938093: what a state does not allow is refused in one way, before anything is asked of anybody.
func TestOperationsOfWrongStatesAreRefusedAlike(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, _ *world, p *process) {
		before := p.offloaded(t, oneGPU)
		begun := len(p.gate.log())
		for name, operation := range map[string]func(context.Context, lifecycle.Record) (*lifecycle.Result, error){
			"soft reboot": p.SoftReboot, "hard reboot": p.HardReboot, "start": p.Start, "stop": p.Stop, "shelve": p.Shelve, "offload": p.Offload,
			"unrescue": p.Unrescue, "suspend": p.Suspend, "unsuspend": p.Unsuspend, "confirm": p.Confirm, "revert": p.Revert,
			"evacuate": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Evacuate(ctx, r, lifecycle.MoveRequest{})
			},
			"migrate": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Migrate(ctx, r, lifecycle.MoveRequest{})
			},
			"live migrate": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.LiveMigrate(ctx, r, lifecycle.MoveRequest{})
			},
			"resize": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Resize(ctx, r, lifecycle.ResizeRequest{Flavor: worldFlavor(1, "")})
			},
			"rebuild": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Rebuild(ctx, r, nil)
			},
			"rescue": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) { return p.Rescue(ctx, r, nil) },
			"attach": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
				return p.Attach(ctx, r, lifecycle.AttachRequest{Profile: oneGPU})
			},
			"detach": func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) { return p.Detach(ctx, r, "") },
		} {
			_, err := operation(t.Context(), before)
			require.ErrorIs(t, err, lifecycle.ErrState, name)
			require.ErrorContains(t, err, "offloaded", name)
		}
		assert.Len(t, p.gate.log(), begun)
	})
}

// LP#1939020: a claim that Placement has lost is made again with the devices in it, not only with the flavor's part.
func TestReconcileHealsTheDevicesToo(t *testing.T) {
	t.Parallel()
	auditing(t, nil, func(t *testing.T, a *audited) {
		record := a.create(bothKinds)
		require.NoError(t, a.placement.Release(t.Context(), record.Claim))
		time.Sleep(longAgo)
		a.repair(a.plan())
		held, err := a.placement.Allocations(t.Context(), record.Instance())
		require.NoError(t, err)
		assert.Equal(t, record.Claim.Allocations, held.Allocations)
		assert.Len(t, held.Allocations, 3, "the host and two devices")
		assert.Empty(t, a.violations())
	})
}

// LP#2139369: the host of a bind is the name of the compute node's provider, whatever the host calls itself.
func TestBindNamesTheComputeNode(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		root, err := w.placement.Provider(t.Context(), record.Now.Root)
		require.NoError(t, err)
		arq := w.allARQs()[0]
		assert.Equal(t, root.Name, arq.Hostname)
		device, err := w.placement.Provider(t.Context(), arq.DeviceRPUUID)
		require.NoError(t, err)
		assert.Equal(t, root.UUID, device.Root)
	})
}

// LP#2144056: where Cyborg hides what others own, a missing ARQ is an error and no reason to do anything: the guest
// stays, and so does the claim.
func TestHiddenARQsChangeNothing(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		w.fails(fault.Rule{Operation: "arq:get_all", Fault: fault.Status{Code: http.StatusForbidden}}, fault.Rule{Operation: "arq:delete", Fault: fault.Status{Code: http.StatusForbidden}})
		_, err := p.HardReboot(t.Context(), record)
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		err = p.Delete(t.Context(), recordOf(t, err))
		require.ErrorIs(t, err, cyborgclient.ErrForbidden)
		assert.Equal(t, 1, w.places.AllocationCount())
		w.mends()
		require.NoError(t, p.Delete(t.Context(), recordOf(t, err)))
	})
}

// LP#2144056: a Cyborg may also leave out what it hides, and answer as if there were none.
func TestMissingARQsLeaveTheGuestAlone(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		guest := w.guestOf(record)
		hidden := func(c call) bool { return c == call{"cyborg", "GET /accelerator_requests"} }
		p.gate.meddle = func(_ int, c call) meddling {
			if hidden(c) {
				return answered(http.StatusOK, `{"arqs": []}`, false)(nil)
			}
			return meddling{}
		}
		begun := len(p.gate.log())
		_, err := p.HardReboot(t.Context(), record)
		require.ErrorIs(t, err, lifecycle.ErrNotBound)
		for _, c := range p.gate.log()[begun:] {
			assert.True(t, hidden(c), "%s", c)
		}
		assert.Equal(t, guest, w.guestOf(record))
	})
}

// LP#2140631: what is attached counts too, beside what the project has. A resize is not limited.
func TestLimitsCountAttachments(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, _ *process) {
		p := w.start(lifecycle.WithLimits(placement.FixedLimits{"PGPU": 1}))
		record := p.create(t, worldRequest(oneGPU))
		more := lifecycle.AttachRequest{Profile: oneGPU, Interrupt: true}
		begun := len(p.gate.log())
		_, err := p.Attach(t.Context(), record, more)
		require.ErrorIs(t, err, placement.ErrOverLimit)
		for _, c := range p.gate.log()[begun:] {
			assert.False(t, changing(c) || ofGuest(c), "%s", c)
		}
		result, err := p.Attach(t.Context(), recordOf(t, err), lifecycle.AttachRequest{Profile: oneFPGA, Interrupt: true})
		require.NoError(t, err, "of FPGAs it may have any number")
		result, err = then(t.Context(), p.Confirm)(p.Resize(t.Context(), result.Record, lifecycle.ResizeRequest{Flavor: worldFlavor(2, bothKinds)}))
		require.NoError(t, err)
		assert.Len(t, result.Record.ARQs(), 3)
	})
}

// LP#2140631: the devices of a port count, and so does what comes back from a shelf.
func TestLimitsCountPortsAndUnshelves(t *testing.T) {
	t.Parallel()
	inCloud(t, func(t *testing.T, w *world, _ *process) {
		p := w.start(lifecycle.WithLimits(placement.FixedLimits{"PGPU": 1}))
		shelved := p.offloaded(t, oneGPU)
		request := worldRequest("")
		request.Spec.Ports = []requestspec.Port{{ID: uuid.NewString(), VNICType: "accelerator-direct", DeviceProfile: portProfile}}
		record := p.create(t, request)
		_, err := p.Unshelve(t.Context(), shelved, lifecycle.MoveRequest{})
		require.ErrorIs(t, err, placement.ErrOverLimit)
		require.NoError(t, p.Delete(t.Context(), record))
		_, err = p.Unshelve(t.Context(), shelved, lifecycle.MoveRequest{})
		require.NoError(t, err)
	})
}
