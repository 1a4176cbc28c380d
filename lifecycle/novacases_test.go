package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
	"github.com/novacyborg/novacyborg/fakecyborg/fault"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/placement"
	"github.com/novacyborg/novacyborg/requestspec"
)

// The tests of this file are the cases of Nova's own functional tests of accelerators
// (nova/tests/functional/test_servers.py: AcceleratorServerBase and below), with the same outcome, or a better one where
// the name says so. test_servers.py has them on two hosts. Where each case is:
//
//	create_delete_server_ok                            TestNovaCreateAndDelete
//	create_server_with_error                           TestNovaCreateAndDelete
//	create_server_with_local_delete                    TestNovaCreateAndDelete
//	resched, resched_fails                             TestNovaReschedule
//	soft and hard reboot, stop and start, rescue,
//	rebuild, shelve and unshelve                       TestNovaOperationsThatKeepTheARQs
//	evacuate_ok, shelve_offload_and_unshelve_ok        TestNovaMoves
//	resize, migrate, live_migrate: refused there       TestNovaMoves, where they work
//	suspend: refused there                             TestNovaOperationsThatKeepTheARQs, where it works
//	ports: two accelerators, all fail to bind          TestNovaPorts
//	ports: operations that keep the ARQs, shelve       TestNovaOperationsThatKeepTheARQs
//	ports: suspend, migrate, live migrate, evacuate,
//	offload: refused there                             TestMatrix ("everything" has a port), where they work
//	port with fakedev-dp-multi                         TestNovaPorts
//	accels_from_both_port_and_flavor                   TestNovaOperationsThatKeepTheARQs
//	unified limits (test_bug_2140631.py)               TestNovaLimits
//	heal_allocations (test_nova_manage.py)             TestReconcileHealsTheDevicesToo, where it works
//
// None is here for pause, lock, backup and image, which have nothing to do with accelerators and are the caller's; for
// old compute services (52, 53, 56) and RPC pins, since there is one version of everything; for attaching and detaching
// a port, which is the network's.

// novaCase runs a case in a bubble, on two hosts. In the end the world must be as the records say.
func novaCase(t *testing.T, name string, run func(*testing.T, *world, *process)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 2, fakecyborg.Newest())
			run(t, w, w.start())
			assert.Empty(t, w.violations())
		})
	})
}

// create builds an instance with one GPU, or fails the test.
func (p *process) create(t *testing.T, request lifecycle.CreateRequest) lifecycle.Record {
	t.Helper()
	result, err := p.Create(t.Context(), request)
	require.NoError(t, err)
	return result.Record
}

// calls counts the calls of a name to a party.
func (p *process) calls(party, name string) int {
	n := 0
	for _, c := range p.gate.log() {
		if c == (call{party, name}) {
			n++
		}
	}
	return n
}

// failSpawns lets the first n guests not start.
func (p *process) failSpawns(n int, err error) {
	p.gate.meddle = func(_ int, c call) meddling {
		if c != (call{"guest", "spawn"}) || n == 0 {
			return meddling{}
		}
		n--
		return meddling{act: func(func() error) error { return err }}
	}
}

func TestNovaCreateAndDelete(t *testing.T) {
	t.Parallel()
	novaCase(t, "create_delete_server_ok", func(t *testing.T, w *world, p *process) {
		result, err := p.Create(t.Context(), worldRequest(oneGPU))
		require.NoError(t, err)
		require.Len(t, result.ARQs, 1)
		assert.Equal(t, result.Record.Now.Host, result.ARQs[0].Hostname)
		held, err := w.placement.Allocations(t.Context(), result.Record.Instance())
		require.NoError(t, err)
		assert.Equal(t, map[string]map[string]int64{
			result.Record.Now.Root: {"VCPU": 2, "MEMORY_MB": 1024, "DISK_GB": 5}, result.ARQs[0].DeviceRPUUID: {"PGPU": 1},
		}, held.Allocations)
		require.NoError(t, p.Delete(t.Context(), result.Record))
		assert.Zero(t, w.places.AllocationCount())
		assert.Empty(t, w.disk.all(), "no record is kept of what is gone")
	})
	novaCase(t, "create_server_with_error", func(t *testing.T, w *world, p *process) {
		p.failSpawns(1, lifecycle.ErrAbort)
		request := worldRequest(oneGPU)
		_, err := p.Create(t.Context(), request)
		require.ErrorIs(t, err, lifecycle.ErrAbort)
		assert.Zero(t, w.places.AllocationCount())
		failed, ok := errors.AsType[*lifecycle.Error](err)
		require.True(t, ok)
		assert.Equal(t, lifecycle.StepGuest, failed.Step)
		require.NoError(t, p.Delete(t.Context(), failed.Record), "a later delete finds nothing to do")
	})
	novaCase(t, "create_server_with_local_delete", func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		w.hypervisor.setDown(record.Now.Host, true)
		require.NoError(t, p.DeleteLocal(t.Context(), record))
		assert.Zero(t, p.calls("guest", "destroy"), "the host is not asked")
		assert.Zero(t, w.places.AllocationCount())
	})
}

// TestSecondCreationOfAnInstance: neither the instance nor its record are touched.
func TestSecondCreationOfAnInstance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start()
		request := worldRequest(oneGPU)
		record := p.create(t, request)
		_, err := p.Create(t.Context(), request)
		require.ErrorIs(t, err, lifecycle.ErrExists)
		assert.Equal(t, record.ARQs(), w.record(record.Instance()).ARQs())
		assert.Empty(t, w.violations())
	})
}

func TestNovaReschedule(t *testing.T) {
	t.Parallel()
	unavailable := errors.New("resources unavailable")
	novaCase(t, "resched", func(t *testing.T, w *world, p *process) {
		p.failSpawns(4, unavailable) // the first host has four GPUs, which come first
		record := p.create(t, worldRequest(oneGPU))
		assert.Equal(t, w.hosts[1], record.Now.Host)
	})
	novaCase(t, "resched_fails", func(t *testing.T, w *world, p *process) {
		p.failSpawns(5, unavailable)
		_, err := p.Create(t.Context(), worldRequest(oneGPU))
		require.ErrorIs(t, err, unavailable)
		assert.Equal(t, 5, p.calls("guest", "spawn"), "Nova tries one candidate of each host, here WithAttempts")
		assert.Zero(t, w.places.AllocationCount())
	})
}

// fences lets the hypervisor promise that a host whose calls fail is off.
func (p *process) fences() {
	p.gate.meddle = func(_ int, c call) meddling {
		if !ofGuest(c) {
			return meddling{}
		}
		return meddling{act: func(do func() error) error {
			if err := do(); err != nil {
				return fmt.Errorf("%w: %w", lifecycle.ErrHostDown, err)
			}
			return nil
		}}
	}
}

// TestCreationGoesPastAHostThatIsDown: its other devices are not tried, and what may be left there waits for HostBoot.
func TestCreationGoesPastAHostThatIsDown(t *testing.T) {
	t.Parallel()
	novaCase(t, "fenced", func(t *testing.T, w *world, p *process) {
		fenced := w.hosts[0]
		w.hypervisor.setDown(fenced, true)
		p.fences()
		record := p.create(t, worldRequest(oneGPU))
		assert.Equal(t, w.hosts[1], record.Now.Host)
		assert.Equal(t, 2, p.calls("guest", "spawn"), "the three other GPUs of the host that is down are passed over")
		assert.Empty(t, record.Pending)
		assert.Equal(t, []string{fenced}, record.Left)
		w.hypervisor.setDown(fenced, false)
		outcomes := p.HostBoot(t.Context(), fenced, []lifecycle.Record{record})
		require.Len(t, outcomes, 1)
		require.NoError(t, outcomes[0].Err)
		assert.Empty(t, outcomes[0].Result.Record.Left)
	})
}

// TestHostFailsWhileTheInstanceIsMoved: the instance comes back if it is sure that no guest runs on the host that failed.
// Where that is not sure, it can be confirmed and evacuated.
func TestHostFailsWhileTheInstanceIsMoved(t *testing.T) {
	t.Parallel()
	moved := func(t *testing.T, w *world, p *process) (was, is lifecycle.Record) {
		t.Helper()
		was = p.create(t, worldRequest(bothKinds))
		result, err := p.Migrate(t.Context(), was, lifecycle.MoveRequest{})
		require.NoError(t, err)
		w.hypervisor.setDown(result.Record.Now.Host, true)
		return was, result.Record
	}
	novaCase(t, "revert", func(t *testing.T, w *world, p *process) {
		was, is := moved(t, w, p)
		p.fences()
		result, err := p.Revert(t.Context(), is)
		require.NoError(t, err)
		assert.Equal(t, was.Now.Host, result.Record.Now.Host)
		assert.Equal(t, []string{is.Now.Host}, result.Record.Left)
		assert.Len(t, w.guestOf(result.Record).devices, 2)
	})
	novaCase(t, "confirm and evacuate", func(t *testing.T, w *world, p *process) {
		was, is := moved(t, w, p)
		result, err := p.Confirm(t.Context(), is)
		require.NoError(t, err)
		result, err = p.Evacuate(t.Context(), result.Record, lifecycle.MoveRequest{})
		require.NoError(t, err)
		assert.Equal(t, was.Now.Host, result.Record.Now.Host)
		assert.Len(t, w.guestOf(result.Record).devices, 2)
	})
}

// sameARQs are operations that keep the accelerators: no request to Cyborg or Placement changes anything.
var sameARQs = map[string]func(context.Context, *process, lifecycle.Record) (*lifecycle.Result, error){
	"soft reboot": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return p.SoftReboot(ctx, r)
	},
	"hard reboot": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return p.HardReboot(ctx, r)
	},
	"stop and start": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return then(ctx, p.Start)(p.Stop(ctx, r))
	},
	"rescue and unrescue": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return then(ctx, p.Unrescue)(p.Rescue(ctx, r, []byte(domainOf("rescue"))))
	},
	"rebuild": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return p.Rebuild(ctx, r, []byte(domainOf("new")))
	},
	"shelve_and_unshelve_ok": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return then(ctx, func(ctx context.Context, r lifecycle.Record) (*lifecycle.Result, error) {
			return p.Unshelve(ctx, r, lifecycle.MoveRequest{})
		})(p.Shelve(ctx, r))
	},
	"suspend, which Nova refuses": func(ctx context.Context, p *process, r lifecycle.Record) (*lifecycle.Result, error) {
		return then(ctx, p.Unsuspend)(p.Suspend(ctx, r))
	},
}

// then goes on with what the operation before left.
func then(ctx context.Context, next func(context.Context, lifecycle.Record) (*lifecycle.Result, error)) func(*lifecycle.Result, error) (*lifecycle.Result, error) {
	return func(before *lifecycle.Result, err error) (*lifecycle.Result, error) {
		if err != nil {
			return nil, err
		}
		return next(ctx, before.Record)
	}
}

// TestNovaOperationsThatKeepTheARQs runs them with a flavor's accelerator, with a port's, and with both.
func TestNovaOperationsThatKeepTheARQs(t *testing.T) {
	t.Parallel()
	withPort := func(profile string) lifecycle.CreateRequest {
		request := worldRequest(profile)
		port := uuid.NewString()
		request.Spec.Ports = []requestspec.Port{{ID: port, VNICType: "accelerator-direct", DeviceProfile: portProfile}}
		request.Interfaces = map[string]lifecycle.Interface{port: {MAC: "52:54:00:00:00:01", VLAN: 100}}
		return request
	}
	for name, operation := range sameARQs {
		for what, request := range map[string]lifecycle.CreateRequest{
			"flavor": worldRequest(oneGPU), "port": withPort(""), "accels_from_both_port_and_flavor": withPort(oneGPU),
		} {
			novaCase(t, name+"/"+what, func(t *testing.T, w *world, p *process) {
				record := p.create(t, request)
				begun := len(p.gate.log())
				result, err := operation(t.Context(), p, record)
				require.NoError(t, err)
				assert.Equal(t, record.ARQs(), result.Record.ARQs())
				assert.Equal(t, record.Claim, result.Record.Claim)
				assert.Equal(t, lifecycle.StateActive, result.Record.State)
				for _, c := range p.gate.log()[begun:] {
					assert.NotContains(t, []call{
						{"cyborg", "bind"},
						{"cyborg", "unbind"},
						{"cyborg", "POST /accelerator_requests"},
						{"cyborg", "DELETE /accelerator_requests"},
						{"placement", "PUT /allocations"},
					}, c)
				}
				assert.Empty(t, w.violations())
				require.NoError(t, p.Delete(t.Context(), result.Record))
			})
		}
	}
}

func TestNovaMoves(t *testing.T) {
	t.Parallel()
	novaCase(t, "evacuate_ok", func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		w.hypervisor.setDown(record.Now.Host, true)
		result, err := p.Evacuate(t.Context(), record, lifecycle.MoveRequest{})
		require.NoError(t, err)
		assert.NotEqual(t, record.Now.Host, result.ARQs[0].Hostname)
		w.hypervisor.setDown(record.Now.Host, false)
		outcomes := p.HostBoot(t.Context(), record.Now.Host, []lifecycle.Record{result.Record})
		require.Len(t, outcomes, 1)
		require.NoError(t, outcomes[0].Err)
		assert.Empty(t, outcomes[0].Result.Record.Left)
	})
	novaCase(t, "shelve_offload_and_unshelve_ok", func(t *testing.T, w *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		result, err := then(t.Context(), p.Offload)(p.Shelve(t.Context(), record))
		require.NoError(t, err)
		assert.Zero(t, w.places.AllocationCount())
		arqs, err := w.cyborg.ARQsByInstance(t.Context(), record.Instance())
		require.NoError(t, err)
		assert.Empty(t, arqs)
		result, err = p.Unshelve(t.Context(), result.Record, lifecycle.MoveRequest{})
		require.NoError(t, err)
		assert.Len(t, result.ARQs, 1)
	})
	novaCase(t, "resize, which Nova refuses", func(t *testing.T, _ *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		result, err := p.Resize(t.Context(), record, lifecycle.ResizeRequest{Flavor: worldFlavor(4, bothKinds)})
		require.NoError(t, err)
		result, err = p.Confirm(t.Context(), result.Record)
		require.NoError(t, err)
		assert.Len(t, result.Record.ARQs(), 2)
		assert.NotEqual(t, record.Now.Host, result.Record.Now.Host)
	})
	novaCase(t, "migrate and revert, which Nova refuses", func(t *testing.T, _ *world, p *process) {
		record := p.create(t, worldRequest(oneGPU))
		result, err := then(t.Context(), p.Revert)(p.Migrate(t.Context(), record, lifecycle.MoveRequest{}))
		require.NoError(t, err)
		assert.Equal(t, record.Now.Host, result.Record.Now.Host)
		assert.Equal(t, record.Now.Allocations, result.Record.Now.Allocations)
	})
	novaCase(t, "live_migrate, which Nova refuses", func(t *testing.T, _ *world, p *process) {
		record := p.create(t, worldRequest(bothKinds))
		result, err := p.LiveMigrate(t.Context(), record, lifecycle.MoveRequest{})
		require.NoError(t, err)
		assert.NotEqual(t, record.Now.Host, result.Record.Now.Host)
		assert.Equal(t, 1, p.calls("guest", "spawn"), "the guest was never stopped")
	})
}

func TestNovaPorts(t *testing.T) {
	t.Parallel()
	ports := func(profiles ...string) []requestspec.Port {
		var list []requestspec.Port
		for _, profile := range profiles {
			list = append(list, requestspec.Port{ID: uuid.NewString(), VNICType: "accelerator-direct", DeviceProfile: profile})
		}
		return list
	}
	novaCase(t, "create_with_two_accels_ok", func(t *testing.T, w *world, p *process) {
		request := worldRequest("")
		request.Spec.Ports = ports(portProfile, portProfile)
		record := p.create(t, request)
		assert.Len(t, record.PortARQs(), 2)
		require.NoError(t, p.Delete(t.Context(), record))
		assert.Zero(t, w.places.AllocationCount())
	})
	novaCase(t, "create_with_two_accels_all_binding_error", func(t *testing.T, w *world, p *process) {
		require.NoError(t, w.fake.Faults().Add(fault.Rule{Operation: fault.Bind, Fault: fault.Fails{After: time.Second}}))
		request := worldRequest("")
		request.Spec.Ports = ports(portProfile, portProfile)
		_, err := p.Create(t.Context(), request)
		require.Error(t, err)
		assert.Zero(t, w.places.AllocationCount())
	})
	novaCase(t, "port with fakedev-dp-multi", func(t *testing.T, _ *world, p *process) {
		request := worldRequest("")
		request.Spec.Ports = ports(bothKinds)
		_, err := p.Create(t.Context(), request)
		require.ErrorIs(t, err, requestspec.ErrProfile)
	})
}

// TestNovaLimits is nova/tests/functional/regressions/test_bug_2140631.py: the first instance is all that the project may
// have.
func TestNovaLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start(lifecycle.WithLimits(placement.FixedLimits{"PGPU": 1}))
		p.create(t, worldRequest(oneGPU))
		_, err := p.Create(t.Context(), worldRequest(oneGPU))
		require.ErrorIs(t, err, placement.ErrOverLimit)
		assert.Empty(t, w.violations())
	})
}

// TestMultiCreateTakesEveryDevice is LP#1874664: the devices of one host are children of one root, and an instance must
// be able to have each. All instances have the same candidates here before the first one claims: whoever tried only the
// first of each host would have to ask again and again.
func TestMultiCreateTakesEveryDevice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		p := w.start(lifecycle.WithObserver(func(_ context.Context, s lifecycle.Step) {
			if s.ID == lifecycle.StepCandidates {
				time.Sleep(time.Second)
			}
		}))
		requests := make([]lifecycle.CreateRequest, 8) // two hosts with four GPUs each
		for i := range requests {
			requests[i] = worldRequest(oneGPU)
		}
		for i, outcome := range p.CreateMany(t.Context(), requests) {
			assert.Equal(t, requests[i].Consumer.UUID, outcome.Instance)
			require.NoError(t, outcome.Err)
		}
		assert.Equal(t, 8, p.calls("placement", "GET /allocation_candidates"), "nobody had to ask again")
		assert.Len(t, w.disk.all(), 8)
		assert.Empty(t, w.violations())
	})
}

// TestMultiCreateOfOneTooMany: it fails, and takes nothing from the others (B5).
func TestMultiCreateOfOneTooMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 2, fakecyborg.Newest())
		requests := make([]lifecycle.CreateRequest, 9)
		for i := range requests {
			requests[i] = worldRequest(oneGPU)
		}
		failed := 0
		for _, outcome := range w.start().CreateMany(t.Context(), requests) {
			if outcome.Err != nil {
				require.ErrorIs(t, outcome.Err, lifecycle.ErrNoHost)
				failed++
			}
		}
		assert.Equal(t, 1, failed)
		assert.Len(t, w.disk.all(), 8)
		assert.Empty(t, w.violations())
	})
}
