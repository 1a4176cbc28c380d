package lifecycle

import (
	"context"
	"errors"
	"slices"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// ask runs a step that is the hypervisor's. Without one there is no such step.
func (r *run) ask(ctx context.Context, id StepID, step func(context.Context) error) error {
	if !r.runsGuests() {
		return nil
	}
	return r.do(ctx, id, step)
}

// guestOn is the instance's guest on a host.
func (r *run) guestOn(host string) Guest { return Guest{Instance: r.record.Instance(), Host: host} }

// spawn starts the guest on a host from the composed domain XML.
func (r *run) spawn(ctx context.Context, host string) error {
	if r.composition == nil {
		return errNoDomain
	}
	guest := r.guestOn(host)
	guest.Domain, guest.Mediated = r.composition.XML, r.composition.Mediated
	return r.hypervisor.Spawn(ctx, guest)
}

// errNoDomain is what a guest cannot be started without.
var errNoDomain = errors.New("there is no domain XML: a hypervisor starts no guest without")

// destroy ends the guest on a host. On one that is down none runs: HostBoot destroys what is left there.
func (r *run) destroy(ctx context.Context, host string) error {
	err := r.hypervisor.Destroy(ctx, r.guestOn(host))
	if !errors.Is(err, ErrHostDown) {
		return err
	}
	if !slices.Contains(r.record.Left, host) {
		r.record.Left, r.unsaved = append(slices.Clone(r.record.Left), host), true
	}
	return nil
}

// spawnNext starts the guest where the operation brings the instance.
func (r *run) spawnNext(ctx context.Context) error {
	return r.ask(ctx, StepGuest, func(ctx context.Context) error {
		host := r.record.Operation.Next.Host
		if err := r.intend(ctx, Task{Kind: TaskDestroyGuest, Host: host}); err != nil {
			return err
		}
		return r.spawn(ctx, host)
	})
}

// stopGuest powers the guest on record off; it runs again if the operation is taken back.
func (r *run) stopGuest(ctx context.Context) error {
	return r.ask(ctx, StepGuest, func(ctx context.Context) error {
		if err := r.intend(ctx, Task{Kind: TaskRestoreGuest}); err != nil {
			return err
		}
		return r.destroy(ctx, r.record.Now.Host)
	})
}

// restoreGuest starts the guest as it is on record, with the devices that it has by now.
func (r *run) restoreGuest(ctx context.Context) error {
	if err := r.check(ctx); err != nil {
		return err
	}
	if err := r.compose(r.record.Now, r.record.domain()); err != nil {
		return err
	}
	return r.spawn(ctx, r.record.Now.Host)
}

// attachAgain gives the guest on record its devices.
func (r *run) attachAgain(ctx context.Context) error {
	if err := r.check(ctx); err != nil {
		return err
	}
	return r.hypervisor.Attach(ctx, r.guestOn(r.record.Now.Host), devicesOf(r.record.Now, r.bound))
}

// detachAll takes all devices from the running guest; it gets them again if the operation is taken back.
func (r *run) detachAll(ctx context.Context) error {
	if err := r.do(ctx, StepCheck, r.check); err != nil {
		return err
	}
	return r.ask(ctx, StepDevices, func(ctx context.Context) error {
		if err := r.intend(ctx, Task{Kind: TaskAttach}); err != nil {
			return err
		}
		return r.hypervisor.Detach(ctx, r.guestOn(r.record.Now.Host), devicesOf(r.record.Now, r.bound))
	})
}

// attachNext gives the guest the devices of a holding that it is about to have. They are taken away again if the
// operation is taken back.
func (r *run) attachNext(ctx context.Context, arqs []string) error {
	return r.ask(ctx, StepDevices, func(ctx context.Context) error {
		next := *r.record.Operation.Next
		if err := r.intend(ctx, Task{Kind: TaskDetach, Host: next.Host, ARQs: arqs}); err != nil {
			return err
		}
		devices := slices.DeleteFunc(slices.Clone(r.bound), func(arq cyborgclient.ARQ) bool { return !slices.Contains(arqs, arq.UUID) })
		return r.hypervisor.Attach(ctx, r.guestOn(next.Host), devicesOf(next, devices))
	})
}

// detach takes the devices of ARQs from the guest on a host. ARQs that are not bound any more have no device there.
func (r *run) detach(ctx context.Context, host string, arqs []string) error {
	held, err := r.cyborg.ARQsByInstance(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	held = slices.DeleteFunc(held, func(arq cyborgclient.ARQ) bool { return !slices.Contains(arqs, arq.UUID) })
	if len(held) == 0 {
		return nil
	}
	holding := r.record.Now
	if next := r.record.Operation.Next; next != nil && next.Host == host {
		holding = *next
	}
	return r.hypervisor.Detach(ctx, r.guestOn(host), devicesOf(holding, held))
}
