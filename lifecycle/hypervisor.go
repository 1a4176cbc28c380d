package lifecycle

import (
	"context"

	"github.com/novacyborg/novacyborg/cyborgclient"
	"github.com/novacyborg/novacyborg/virtdriver"
)

// Hypervisor runs the guests. A Manager without one ends where the domain XML is composed, and the caller does the rest.
//
// Every method must be safe to repeat, because after a crash nobody knows whether it was carried out: what is already
// so is success. An error that wraps [ErrHostDown] says that no guest can run on the host; one that wraps [ErrAbort] that
// another host would not help. What a guest has beside its devices, such as disks, NVRAM and vTPM state, stays with the
// caller, also when it is destroyed: operations destroy guests that they start again, here or elsewhere.
type Hypervisor interface {
	// Spawn defines the guest and starts it. A guest of this instance that is there already is replaced.
	Spawn(ctx context.Context, guest Guest) error
	// Destroy powers the guest off and undefines it. No guest is success.
	Destroy(ctx context.Context, guest Guest) error
	// Power does to a guest what needs no change of its devices. The guest's Domain is empty.
	Power(ctx context.Context, guest Guest, action PowerAction) error
	// Attach gives the running guest devices; see virtdriver.HotPlug. Devices that it has are success.
	Attach(ctx context.Context, guest Guest, devices Devices) error
	// Detach takes devices from the running guest and returns when it let go of them; see
	// virtdriver.HotUnplug. Devices that it does not have, and no guest at all, are success.
	Detach(ctx context.Context, guest Guest, devices Devices) error
	// Migrate moves the running guest to another host, without devices. A guest that is there already is success.
	Migrate(ctx context.Context, guest Guest, to string) error
}

// Guest is an instance on a host.
type Guest struct {
	Instance string
	// Host is the compute node's name.
	Host string
	// Domain is the composed libvirt domain XML, devices included; for Spawn only.
	Domain []byte
	// Mediated are the mediated devices that have to be created on the host before; for Spawn only.
	Mediated []virtdriver.MediatedDevice
}

// Devices are what a guest has by its ARQs.
type Devices struct {
	// ARQs make host devices.
	ARQs []cyborgclient.ARQ
	// Ports make network interfaces.
	Ports []virtdriver.Port
}

// PowerAction is what [Hypervisor.Power] does.
type PowerAction string

// The power actions.
const (
	PowerReboot  PowerAction = "reboot"  // ask the guest to restart
	PowerSuspend PowerAction = "suspend" // save the guest's memory and stop it
	PowerResume  PowerAction = "resume"  // load the memory and go on; a guest that runs is success
)

// runsGuests says whether the Manager has a hypervisor.
func (m *Manager) runsGuests() bool {
	_, none := m.hypervisor.(noHypervisor)
	return !none
}

// noHypervisor is the Hypervisor of a Manager without one.
type noHypervisor struct{}

func (noHypervisor) Spawn(context.Context, Guest) error              { return nil }
func (noHypervisor) Destroy(context.Context, Guest) error            { return nil }
func (noHypervisor) Power(context.Context, Guest, PowerAction) error { return nil }
func (noHypervisor) Attach(context.Context, Guest, Devices) error    { return nil }
func (noHypervisor) Detach(context.Context, Guest, Devices) error    { return nil }
func (noHypervisor) Migrate(context.Context, Guest, string) error    { return nil }
