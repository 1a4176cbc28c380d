package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/lifecycle"
	"github.com/novacyborg/novacyborg/requestspec"
)

// holds are the devices of a host that are bound to an instance.
func (w *world) holds(instance, host string) []string {
	arqs, err := w.cyborg.ARQsByInstance(context.Background(), instance)
	if err != nil {
		return []string{err.Error()}
	}
	var devices []string
	for _, arq := range arqs {
		if arq.State == cyborgclient.StateBound && arq.Hostname == host {
			devices = append(devices, addressOf(arq))
		}
	}
	return devices
}

// checkDevices complains of guests whose devices Cyborg would give to others.
func (w *world) checkDevices() {
	guests, _ := w.hypervisor.snapshot()
	for at, g := range guests {
		if len(g.devices) == 0 || g.off {
			continue
		}
		bound := w.holds(at.instance, at.host)
		for _, device := range g.devices {
			if !slices.Contains(bound, device) {
				w.hypervisor.complain("device %s was freed while guest %s on %s has it", device, at.instance, at.host)
			}
		}
	}
}

// audit compares the records on disk with the world, from outside.
type audit struct {
	arqs   map[string]cyborgclient.ARQ
	guests map[place]guest
	faults []string
}

func (a *audit) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// violations tells everything in which the world is not what the records on disk say: of each instance everything is
// there and bound, allocated and in the guest, or nothing is; and nothing is there that belongs to none. It is for
// moments in which no operation runs.
func (w *world) violations() []string {
	a := &audit{}
	var complaints []string
	a.guests, complaints = w.hypervisor.snapshot()
	a.faults = append(a.faults, complaints...)
	arqs, err := w.cyborg.ARQs(context.Background(), cyborgclient.ARQFilter{})
	if err != nil {
		return []string{err.Error()}
	}
	a.arqs = make(map[string]cyborgclient.ARQ, len(arqs))
	for _, arq := range arqs {
		a.arqs[arq.UUID] = arq
	}
	records, consumers := w.disk.all(), 0
	for _, record := range records {
		if len(record.Claim.Allocations) > 0 {
			consumers++
		}
		w.auditRecord(a, record)
	}
	if n := w.places.AllocationCount(); n != consumers {
		a.fault("%d consumers hold allocations, the records know of %d", n, consumers)
	}
	w.auditRest(a, records)
	return a.faults
}

// auditRecord checks what one record says, and takes it out of what is left to explain.
func (w *world) auditRecord(a *audit, record lifecycle.Record) {
	instance := record.Instance()
	if o := record.Operation; o != nil {
		a.fault("%s: operation %q is still on record", instance, o.Op)
	}
	for _, task := range record.Pending {
		if task.Kind != lifecycle.TaskStrays {
			a.fault("%s: task %q is pending: %s", instance, task.Kind, task.Failure)
		}
	}
	w.auditClaim(a, record)
	devices := w.auditARQs(a, record)
	w.auditGuest(a, record, devices)
}

// auditClaim checks that Placement has what the record says, and that this is the sum of what it is made of.
func (w *world) auditClaim(a *audit, record lifecycle.Record) {
	held, err := w.placement.Allocations(context.Background(), record.Instance())
	if err != nil {
		a.fault("%s: %v", record.Instance(), err)
		return
	}
	want := map[string]map[string]int64{}
	addTo(want, record.Now.Allocations)
	if record.Before != nil {
		addTo(want, record.Before.Allocations)
	}
	for name, got := range map[string]map[string]map[string]int64{"Placement": held.Allocations, "the claim": record.Claim.Allocations} {
		if !maps.EqualFunc(got, want, maps.Equal) {
			a.fault("%s: %s has %v, the record's holdings %v", record.Instance(), name, got, want)
		}
	}
	if hosted := record.Now.Host != ""; hosted && record.Now.Allocations[record.Now.Root]["VCPU"] != int64(record.Now.Spec.Flavor.VCPUs) {
		a.fault("%s: the host's part of %v is not the flavor's", record.Instance(), record.Now.Allocations)
	}
	if without := slices.Contains([]lifecycle.State{lifecycle.StateNone, lifecycle.StateOffloaded}, record.State); without == (record.Now.Host != "") {
		a.fault("%s: %s and on host %q", record.Instance(), record.State, record.Now.Host)
	}
}

func addTo(sum, part map[string]map[string]int64) {
	for provider, resources := range part {
		if sum[provider] == nil {
			sum[provider] = map[string]int64{}
		}
		for class, amount := range resources {
			sum[provider][class] += amount
		}
	}
}

// auditARQs checks that exactly the ARQs on record are bound, one for each unit of their profile, where the record says
// and where Placement has a unit for each. It returns the devices that the guest is to have.
func (*world) auditARQs(a *audit, record lifecycle.Record) []string {
	instance, now := record.Instance(), record.Now
	var devices []string
	units := map[string]int64{}
	for _, set := range now.Sets {
		if now.Host == "" {
			break
		}
		want, err := requestspec.ExpectedARQs(set.Profile.Groups)
		if err != nil {
			a.fault("%s: %v", instance, err)
		}
		have := make([]int, len(want))
		for _, mine := range set.ARQs {
			arq, there := a.arqs[mine.UUID]
			delete(a.arqs, mine.UUID)
			if !there || arq.State != cyborgclient.StateBound || arq.InstanceUUID != instance || arq.Hostname != now.Host ||
				arq.DeviceRPUUID != mine.Provider {
				a.fault("%s: ARQ %s is %q of instance %q on %q at %q, and should be bound on %q at %q", instance, mine.UUID,
					arq.State, arq.InstanceUUID, arq.Hostname, arq.DeviceRPUUID, now.Host, mine.Provider)
				continue
			}
			have[mine.Group]++
			units[mine.Provider]++
			if _, known := now.Interfaces[set.Owner]; set.Source != lifecycle.SourcePort || known {
				devices = append(devices, addressOf(arq))
			}
		}
		if !slices.Equal(have, want) {
			a.fault("%s: device profile %s has %v ARQs, it needs %v", instance, set.Profile.Name, have, want)
		}
	}
	for provider, n := range units {
		var held int64
		for _, amount := range now.Allocations[provider] {
			held += amount
		}
		if held != n {
			a.fault("%s: provider %s is allocated for %d units, %d are bound", instance, provider, held, n)
		}
	}
	return slices.Sorted(slices.Values(devices))
}

// auditGuest checks that the guest runs, or does not, as the record says, with exactly its devices.
func (w *world) auditGuest(a *audit, record lifecycle.Record, devices []string) {
	state := record.State
	if state == lifecycle.StateMoved {
		state = record.Was
	}
	at := place{record.Instance(), record.Now.Host}
	for _, host := range record.Left { // HostBoot sees to it
		if host != at.host {
			delete(a.guests, place{record.Instance(), host})
		}
	}
	if slices.Contains(w.hypervisor.failed(), at.host) {
		return // nothing runs there, whatever the record says
	}
	var want *guest
	switch state {
	case lifecycle.StateActive:
		want = &guest{title: titleOf(record.Now.Domain), devices: devices}
	case lifecycle.StateRescued:
		want = &guest{title: titleOf(record.Rescue), devices: devices}
	case lifecycle.StateSuspended:
		want = &guest{title: titleOf(record.Now.Domain), suspended: true}
	default:
	}
	got, there := a.guests[at]
	delete(a.guests, at)
	switch {
	case want == nil && there:
		a.fault("%s: the guest runs on %s although the instance is %s", at.instance, at.host, record.State)
	case want != nil && !there:
		a.fault("%s: there is no guest on %s although the instance is %s", at.instance, at.host, record.State)
	case want != nil && (got.title != want.title || got.suspended != want.suspended || got.off || !slices.Equal(got.devices, want.devices)):
		a.fault("%s: the guest is %+v, and should be %+v", at.instance, got, *want)
	}
}

func titleOf(domain string) string {
	_, rest, _ := strings.Cut(domain, "<title>")
	title, _, _ := strings.Cut(rest, "</title>")
	return title
}

// auditRest checks that nothing is left that no record explains. The ARQs of a creation that was not answered are
// explained by a task.
func (w *world) auditRest(a *audit, records []lifecycle.Record) {
	for _, id := range w.given {
		arq, there := a.arqs[id]
		free := arq.InstanceUUID == "" && (arq.State == cyborgclient.StateInitial || arq.State == cyborgclient.StateUnbound)
		bound := slices.ContainsFunc(records, func(r lifecycle.Record) bool { return slices.Contains(r.ARQs(), id) })
		gone := !there && w.release.UnbindFault // it cannot be had without deleting it
		if !bound && !gone && (!there || !free) {
			a.fault("the given ARQ %s is not free again: %q of instance %q", id, arq.State, arq.InstanceUUID)
		}
		delete(a.arqs, id)
	}
	for id := range w.strays(records) {
		delete(a.arqs, id)
	}
	for _, arq := range a.arqs {
		a.fault("ARQ %s of profile %s is left: %s of instance %q", arq.UUID, arq.DeviceProfileName, arq.State, arq.InstanceUUID)
	}
	for at, g := range a.guests {
		a.fault("%s: a guest is left on %s: %+v", at.instance, at.host, g)
	}
	for _, leak := range w.fake.Leaks("") {
		if strings.Contains(leak, "taken by nobody") {
			a.fault("%s", leak)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.receiver.Waiting(); n > 0 {
		a.fault("%d waiters are left", n)
	}
}

// strays are the ARQs that the records' tasks look for: of their profile, made since, bound by nobody.
func (w *world) strays(records []lifecycle.Record) map[string]bool {
	arqs, err := w.cyborg.ARQs(context.Background(), cyborgclient.ARQFilter{})
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, record := range records {
		for _, task := range record.Pending {
			for _, arq := range arqs {
				if task.Kind == lifecycle.TaskStrays && arq.DeviceProfileName == task.Profile && arq.State == cyborgclient.StateInitial &&
					arq.InstanceUUID == "" && !slices.Contains(w.given, arq.UUID) {
					found[arq.UUID] = true
				}
			}
		}
	}
	return found
}

// deleteStrays has Reconcile delete the strays and take their tasks off the records, which only it can do. Nothing else
// may be there for it to find.
func (w *world) deleteStrays() error {
	if !slices.ContainsFunc(w.disk.all(), func(r lifecycle.Record) bool { return len(r.Pending) > 0 }) {
		return nil
	}
	ctx := context.Background()
	known := lifecycle.Known{Records: func() ([]lifecycle.Record, error) { return w.disk.all(), nil }, Prepared: w.given}
	time.Sleep(time.Hour) // nobody will bind them any more
	for range 3 {
		plan, err := w.steady.Reconcile(ctx, known)
		if err != nil || len(plan.Findings) == 0 {
			return err
		}
		for _, f := range plan.Findings {
			if f.Kind != lifecycle.FindingStray && f.Kind != lifecycle.FindingAnswered {
				return fmt.Errorf("%s: %s", f.Kind, f.Why)
			}
		}
		if _, err := w.steady.Repair(ctx, known, plan); err != nil {
			return err
		}
	}
	return errors.New("it never ends")
}
