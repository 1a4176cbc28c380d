package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// TaskKind says what a [Task] does.
type TaskKind string

// The kinds of tasks. Each looks at what is there first, so that it can be repeated.
const (
	TaskAllocate     TaskKind = "allocate"      // hold exactly Keep in Placement; undoes or finishes a claim
	TaskDeleteARQs   TaskKind = "delete ARQs"   // delete the ARQs
	TaskDeleteAll    TaskKind = "delete all"    // delete whatever is bound to the instance
	TaskUnbindARQs   TaskKind = "unbind ARQs"   // give back ARQs that somebody else made
	TaskRestoreARQs  TaskKind = "restore ARQs"  // bind again what the instance has on record
	TaskStrays       TaskKind = "stray ARQs"    // look for ARQs whose creation was not answered
	TaskDestroyGuest TaskKind = "destroy guest" // power the guest on Host off
	TaskRestoreGuest TaskKind = "restore guest" // start the guest that is on record
	TaskReturnGuest  TaskKind = "return guest"  // migrate the guest back from Host
	TaskAttach       TaskKind = "attach"        // give the guest on record its devices again
	TaskDetach       TaskKind = "detach"        // take the devices of ARQs from the guest on Host
	TaskPowerResume  TaskKind = "resume guest"  // let a suspended guest go on
	TaskPowerSuspend TaskKind = "suspend guest" // suspend it again
)

// Task is one thing to take back or to finish, as data: it is stored in the [Record] before the step that makes it
// necessary, and outlives the process.
type Task struct {
	Kind TaskKind `json:"kind"`
	// Step is the step that the task takes back.
	Step StepID `json:"step"`
	// Host is the compute node of a guest.
	Host string `json:"host,omitempty"`
	// ARQs are the uuids that the task is about.
	ARQs []string `json:"arqs,omitempty"`
	// Keep is what the instance is to hold in Placement. It is given up only what Known lists: the allocations that
	// the operation made or found.
	Keep  map[string]map[string]int64   `json:"keep,omitempty"`
	Known []map[string]map[string]int64 `json:"known,omitempty"`
	// Profile and Since say which ARQs may be strays.
	Profile string    `json:"profile,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Failure is why the task is pending, for people to read.
	Failure string `json:"failure,omitempty"`
}

// String says what the task does, and on which host or to which ARQs.
func (t Task) String() string {
	switch {
	case t.Host != "":
		return string(t.Kind) + " on " + t.Host
	case len(t.ARQs) > 0:
		return string(t.Kind) + " " + strings.Join(t.ARQs, ", ")
	}
	return string(t.Kind)
}

// deeds are what the kinds of tasks do.
var deeds = map[TaskKind]func(*run, context.Context, Task) error{
	TaskAllocate:   (*run).allocate,
	TaskDeleteARQs: func(r *run, ctx context.Context, t Task) error { return r.deleteARQs(ctx, t.ARQs) },
	TaskDeleteAll: func(r *run, ctx context.Context, _ Task) error {
		return r.cyborg.DeleteARQsByInstance(ctx, r.record.Instance())
	},
	TaskUnbindARQs:   func(r *run, ctx context.Context, t Task) error { return r.giveBack(ctx, t.ARQs) },
	TaskRestoreARQs:  func(r *run, ctx context.Context, _ Task) error { return r.restoreARQs(ctx) },
	TaskStrays:       (*run).findStrays,
	TaskDestroyGuest: func(r *run, ctx context.Context, t Task) error { return r.destroy(ctx, t.Host) },
	TaskRestoreGuest: func(r *run, ctx context.Context, _ Task) error { return r.restoreGuest(ctx) },
	TaskReturnGuest: func(r *run, ctx context.Context, t Task) error {
		return r.hypervisor.Migrate(ctx, r.guestOn(t.Host), r.record.Now.Host)
	},
	TaskAttach: func(r *run, ctx context.Context, _ Task) error { return r.attachAgain(ctx) },
	TaskDetach: func(r *run, ctx context.Context, t Task) error { return r.detach(ctx, t.Host, t.ARQs) },
	TaskPowerResume: func(r *run, ctx context.Context, t Task) error {
		return r.hypervisor.Power(ctx, r.guestOn(t.Host), PowerResume)
	},
	TaskPowerSuspend: func(r *run, ctx context.Context, t Task) error {
		return r.hypervisor.Power(ctx, r.guestOn(t.Host), PowerSuspend)
	},
}

// perform does a task.
func (r *run) perform(ctx context.Context, task Task) error {
	do, known := deeds[task.Kind]
	if !known {
		return fmt.Errorf("task %q is not known: a newer program wrote the record", task.Kind)
	}
	return do(r, ctx, task)
}
