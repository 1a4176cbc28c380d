package lifecycle

import (
	"fmt"
	"slices"
)

// State is what an instance is between two operations, in Nova's words where Nova has them (nova/compute/vm_states.py).
type State string

// The states of an instance.
const (
	StateNone      State = "none"      // nothing exists: not built yet, taken back, or deleted
	StateActive    State = "active"    // the guest runs with its devices
	StateStopped   State = "stopped"   // powered off, the devices stay bound
	StateRescued   State = "rescued"   // runs the rescue image, with its devices
	StateSuspended State = "suspended" // saved without its devices, which stay bound
	StateShelved   State = "shelved"   // off, its image stored, the devices stay bound
	StateOffloaded State = "offloaded" // shelved and on no host: it holds nothing
	StateMoved     State = "moved"     // resized or migrated, to be confirmed or reverted: Nova's RESIZED
)

// Op names an operation of a [Manager].
type Op string

// The operations.
const (
	OpCreate      Op = "create"
	OpDelete      Op = "delete"
	OpLocalDelete Op = "local delete"
	OpRebuild     Op = "rebuild"
	OpEvacuate    Op = "evacuate"
	OpShelve      Op = "shelve"
	OpOffload     Op = "offload"
	OpUnshelve    Op = "unshelve"
	OpStop        Op = "stop"
	OpStart       Op = "start"
	OpSoftReboot  Op = "soft reboot"
	OpHardReboot  Op = "hard reboot"
	OpHostBoot    Op = "host boot"
	OpRescue      Op = "rescue"
	OpUnrescue    Op = "unrescue"
	OpSuspend     Op = "suspend"
	OpUnsuspend   Op = "unsuspend"
	OpResize      Op = "resize"
	OpMigrate     Op = "migrate"
	OpConfirm     Op = "confirm"
	OpRevert      Op = "revert"
	OpLiveMigrate Op = "live migrate"
	OpAttach      Op = "attach"
	OpDetach      Op = "detach"
	OpResume      Op = "resume"
	OpRecover     Op = "recover"
	OpReconcile   Op = "reconcile"
)

var (
	running = []State{StateActive}
	placed  = []State{StateActive, StateStopped}
)

// allowed lists the states in which an operation may begin; the operations that are not in it may always.
var allowed = map[Op][]State{
	OpCreate:      {StateNone},
	OpRebuild:     {StateActive, StateStopped, StateRescued},
	OpEvacuate:    {StateActive, StateStopped, StateRescued, StateSuspended},
	OpShelve:      placed,
	OpOffload:     {StateShelved},
	OpUnshelve:    {StateShelved, StateOffloaded},
	OpStop:        {StateActive, StateRescued},
	OpStart:       {StateStopped},
	OpSoftReboot:  running,
	OpHardReboot:  placed,
	OpRescue:      placed,
	OpUnrescue:    {StateRescued},
	OpSuspend:     running,
	OpUnsuspend:   {StateSuspended},
	OpResize:      placed,
	OpMigrate:     placed,
	OpConfirm:     {StateMoved},
	OpRevert:      {StateMoved},
	OpLiveMigrate: running,
	OpAttach:      placed,
	OpDetach:      placed,
}

func (o Op) check(state State) error {
	if states, limited := allowed[o]; limited && !slices.Contains(states, state) {
		return fmt.Errorf("%w: the instance is %s, it must be one of %q", ErrState, state, states)
	}
	return nil
}
