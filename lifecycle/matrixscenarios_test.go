package lifecycle_test

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/requestspec"
)

// operation is an operation of a Manager on one instance.
type operation func(ctx context.Context, m *lifecycle.Manager) error

// scenario is an operation with the state that it begins in.
type scenario struct {
	name string
	// prepare brings an instance there and returns its uuid and the operation.
	prepare func(w *world) (instance string, run operation)
	// want is the state that the operation ends in.
	want lifecycle.State
}

// again says that the operation has to be repeated where it did not succeed: a guest that should run does not before.
func (s scenario) again() bool { return strings.HasPrefix(s.name, "host boot") }

// scenarios are all operations, each from every kind of state that makes a difference.
func scenarios() []scenario {
	return []scenario{
		{"create plain", creating(plainRequest), lifecycle.StateActive},
		{"create", creating(bothRequest), lifecycle.StateActive},
		{"create programmed", creating(programmedRequest), lifecycle.StateActive},
		{"create everything", creating(everything), lifecycle.StateActive},
		{"create given", creating(givenRequest), lifecycle.StateActive},
		{"delete", after(bothRequest, remove), lifecycle.StateNone},
		{"delete everything", after(everything, remove), lifecycle.StateNone},
		{"delete given", after(givenRequest, remove), lifecycle.StateNone},
		{"delete moved", after(bothRequest, remove, migrate), lifecycle.StateNone},
		{"delete suspended", after(bothRequest, remove, suspend), lifecycle.StateNone},
		{"delete offloaded", after(bothRequest, remove, shelve, offload), lifecycle.StateNone},
		{"local delete", afterHostFailed(everything, localDelete), lifecycle.StateNone},
		{"delete evacuated", after(bothRequest, remove, failHost, evacuate), lifecycle.StateNone},
		{"rebuild", after(bothRequest, rebuild), lifecycle.StateActive},
		{"rebuild stopped", after(bothRequest, rebuild, stop), lifecycle.StateStopped},
		{"rebuild rescued", after(bothRequest, rebuild, rescue), lifecycle.StateActive},
		{"evacuate", afterHostFailed(bothRequest, evacuate), lifecycle.StateActive},
		{"evacuate programmed", afterHostFailed(programmedRequest, evacuate), lifecycle.StateActive},
		{"evacuate stopped", afterHostFailed(bothRequest, evacuate, stop), lifecycle.StateStopped},
		{"evacuate everything", afterHostFailed(everything, evacuate), lifecycle.StateActive},
		{"shelve", after(bothRequest, shelve), lifecycle.StateShelved},
		{"shelve stopped", after(bothRequest, shelve, stop), lifecycle.StateShelved},
		{"offload", after(everything, offload, shelve), lifecycle.StateOffloaded},
		{"unshelve", after(bothRequest, unshelve, shelve), lifecycle.StateActive},
		{"unshelve offloaded", after(bothRequest, unshelve, shelve, offload), lifecycle.StateActive},
		{"unshelve everything offloaded", after(everything, unshelve, shelve, offload), lifecycle.StateActive},
		{"start", after(bothRequest, start, stop), lifecycle.StateActive},
		{"stop", after(bothRequest, stop), lifecycle.StateStopped},
		{"soft reboot", after(bothRequest, softReboot), lifecycle.StateActive},
		{"hard reboot", after(bothRequest, hardReboot), lifecycle.StateActive},
		{"hard reboot stopped", after(bothRequest, hardReboot, stop), lifecycle.StateActive},
		{"host boot", afterHostBooted(bothRequest), lifecycle.StateActive},
		{"host boot rescued", afterHostBooted(bothRequest, rescue), lifecycle.StateRescued},
		{"host boot evacuated", afterEvacuation, lifecycle.StateActive},
		{"rescue", after(bothRequest, rescue), lifecycle.StateRescued},
		{"unrescue", after(bothRequest, unrescue, rescue), lifecycle.StateActive},
		{"suspend", after(everything, suspend), lifecycle.StateSuspended},
		{"unsuspend", after(everything, unsuspend, suspend), lifecycle.StateActive},
		{"resize", after(gpuRequest, resize(false)), lifecycle.StateMoved},
		{"resize stopped", after(gpuRequest, resize(false), stop), lifecycle.StateMoved},
		{"resize same host", after(gpuRequest, resize(true)), lifecycle.StateMoved},
		{"resize plain", after(plainRequest, resize(false)), lifecycle.StateMoved},
		{"migrate", after(bothRequest, migrate), lifecycle.StateMoved},
		{"migrate programmed", after(programmedRequest, migrate), lifecycle.StateMoved},
		{"migrate everything", after(everything, migrate), lifecycle.StateMoved},
		{"migrate stopped", after(bothRequest, migrate, stop), lifecycle.StateMoved},
		{"confirm", after(bothRequest, confirm, migrate), lifecycle.StateActive},
		{"confirm resize", after(gpuRequest, confirm, resize(false)), lifecycle.StateActive},
		{"revert", after(bothRequest, revert, migrate), lifecycle.StateActive},
		{"revert stopped", after(everything, revert, stop, migrate), lifecycle.StateStopped},
		{"revert resize", after(gpuRequest, revert, resize(true)), lifecycle.StateActive},
		{"live migrate", after(bothRequest, liveMigrate), lifecycle.StateActive},
		{"live migrate programmed", after(programmedRequest, liveMigrate), lifecycle.StateActive},
		{"live migrate everything", after(everything, liveMigrate), lifecycle.StateActive},
		{"attach", after(plainRequest, attach), lifecycle.StateActive},
		{"attach stopped", after(plainRequest, attach, stop), lifecycle.StateStopped},
		{"attach more", after(bothRequest, attach), lifecycle.StateActive},
		{"attach more stopped", after(bothRequest, attach, stop), lifecycle.StateStopped},
		{"detach", after(bothRequest, detach("")), lifecycle.StateActive},
		{"detach stopped", after(bothRequest, detach(""), stop), lifecycle.StateStopped},
		{"detach attached", after(bothRequest, detach("-attached-1"), attach), lifecycle.StateActive},
	}
}

// step is an operation on an instance whose record is on disk.
type step func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error

// creating prepares a creation.
func creating(request func(*world) lifecycle.CreateRequest) func(*world) (string, operation) {
	return func(w *world) (string, operation) {
		asked := request(w)
		return asked.Consumer.UUID, func(ctx context.Context, m *lifecycle.Manager) error {
			_, err := m.Create(ctx, asked)
			return err
		}
	}
}

// after prepares a step after a creation and the steps before it.
func after(request func(*world) lifecycle.CreateRequest, last step, before ...step) func(*world) (string, operation) {
	return func(w *world) (string, operation) {
		asked := request(w)
		_, err := w.steady.Create(w.t.Context(), asked)
		require.NoError(w.t, err)
		for _, s := range before {
			require.NoError(w.t, s(w.t.Context(), w, w.steady.Manager, asked.Consumer.UUID))
		}
		return asked.Consumer.UUID, last.of(w, asked.Consumer.UUID)
	}
}

// of is the step as an operation.
func (s step) of(w *world, instance string) operation {
	return func(ctx context.Context, m *lifecycle.Manager) error { return s(ctx, w, m, instance) }
}

// afterHostFailed is after, with the instance's host gone.
func afterHostFailed(request func(*world) lifecycle.CreateRequest, last step, before ...step) func(*world) (string, operation) {
	prepare := after(request, last, before...)
	return func(w *world) (string, operation) {
		instance, run := prepare(w)
		w.hypervisor.setDown(w.record(instance).Now.Host, true)
		return instance, run
	}
}

// afterHostBooted is a host boot after the instance's host has failed and come back.
func afterHostBooted(request func(*world) lifecycle.CreateRequest, before ...step) func(*world) (string, operation) {
	return func(w *world) (string, operation) {
		instance, _ := afterHostFailed(request, nil, before...)(w)
		host := w.record(instance).Now.Host
		w.hypervisor.setDown(host, false)
		return instance, hostBoot(host).of(w, instance)
	}
}

// afterEvacuation is a host boot of the host that the instance was evacuated from.
func afterEvacuation(w *world) (string, operation) {
	instance, run := afterHostFailed(bothRequest, evacuate)(w)
	host := w.record(instance).Now.Host
	require.NoError(w.t, run(w.t.Context(), w.steady.Manager))
	w.hypervisor.setDown(host, false)
	return instance, hostBoot(host).of(w, instance)
}

func plainRequest(*world) lifecycle.CreateRequest      { return worldRequest("") }
func gpuRequest(*world) lifecycle.CreateRequest        { return worldRequest(oneGPU) }
func bothRequest(*world) lifecycle.CreateRequest       { return worldRequest(bothKinds) }
func programmedRequest(*world) lifecycle.CreateRequest { return worldRequest(programmed) }

// everything has devices from the flavor, with the request, of a port, and of ARQs that somebody else made.
func everything(w *world) lifecycle.CreateRequest {
	request := worldRequest(bothKinds)
	port := uuid.NewString()
	request.Profile, request.BothProfiles = oneGPU, true
	request.Spec.Ports = []requestspec.Port{{ID: port, VNICType: "accelerator-direct", DeviceProfile: portProfile}}
	request.Interfaces = map[string]lifecycle.Interface{port: {MAC: "52:54:00:12:34:56", VLAN: 7}}
	if !w.release.UnbindFault { // with it the instance could not move
		request.ARQs = w.giveARQs(oneFPGA)
	}
	return request
}

// givenRequest has devices of ARQs that somebody else made.
func givenRequest(w *world) lifecycle.CreateRequest {
	request := worldRequest("")
	request.ARQs = w.giveARQs(bothKinds)
	return request
}

func remove(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
	return m.Delete(ctx, w.record(instance))
}

func failHost(_ context.Context, w *world, _ *lifecycle.Manager, instance string) error {
	w.hypervisor.setDown(w.record(instance).Now.Host, true)
	return nil
}

func localDelete(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
	return m.DeleteLocal(ctx, w.record(instance))
}

func rebuild(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
	_, err := m.Rebuild(ctx, w.record(instance), []byte(domainOf("rebuilt")))
	return err
}

func rescue(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
	_, err := m.Rescue(ctx, w.record(instance), []byte(domainOf("rescue")))
	return err
}

// simple is a step that needs nothing but the record.
func simple(do func(*lifecycle.Manager, context.Context, lifecycle.Record) (*lifecycle.Result, error)) step {
	return func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
		_, err := do(m, ctx, w.record(instance))
		return err
	}
}

// toHost is a step that may choose a host.
func toHost(do func(*lifecycle.Manager, context.Context, lifecycle.Record, lifecycle.MoveRequest) (*lifecycle.Result, error)) step {
	return func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
		_, err := do(m, ctx, w.record(instance), lifecycle.MoveRequest{})
		return err
	}
}

var (
	shelve      = simple((*lifecycle.Manager).Shelve)
	offload     = simple((*lifecycle.Manager).Offload)
	start       = simple((*lifecycle.Manager).Start)
	stop        = simple((*lifecycle.Manager).Stop)
	softReboot  = simple((*lifecycle.Manager).SoftReboot)
	hardReboot  = simple((*lifecycle.Manager).HardReboot)
	unrescue    = simple((*lifecycle.Manager).Unrescue)
	suspend     = simple((*lifecycle.Manager).Suspend)
	unsuspend   = simple((*lifecycle.Manager).Unsuspend)
	confirm     = simple((*lifecycle.Manager).Confirm)
	revert      = simple((*lifecycle.Manager).Revert)
	evacuate    = toHost((*lifecycle.Manager).Evacuate)
	unshelve    = toHost((*lifecycle.Manager).Unshelve)
	migrate     = toHost((*lifecycle.Manager).Migrate)
	liveMigrate = toHost((*lifecycle.Manager).LiveMigrate)
)

// resize gives the instance one FPGA more and more processors.
func resize(sameHost bool) step {
	return func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
		request := lifecycle.ResizeRequest{Flavor: worldFlavor(4, bothKinds), SameHost: sameHost}
		if sameHost {
			request.Host = w.record(instance).Now.Host
		}
		_, err := m.Resize(ctx, w.record(instance), request)
		return err
	}
}

func attach(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
	record := w.record(instance)
	_, err := m.Attach(ctx, record, lifecycle.AttachRequest{Profile: oneGPU, Interrupt: len(record.ARQs()) > 0})
	return err
}

func detach(owner string) step {
	return func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
		_, err := m.Detach(ctx, w.record(instance), owner)
		return err
	}
}

func hostBoot(host string) step {
	return func(ctx context.Context, w *world, m *lifecycle.Manager, instance string) error {
		var failures []error
		for _, outcome := range m.HostBoot(ctx, host, []lifecycle.Record{w.record(instance)}) {
			failures = append(failures, outcome.Err)
		}
		return errors.Join(failures...)
	}
}
