package lifecycle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
)

var (
	knownStates = []State{
		StateNone, StateActive, StateStopped, StateRescued, StateSuspended, StateShelved, StateOffloaded, StateMoved,
	}
	knownOps = []Op{
		OpCreate, OpDelete, OpLocalDelete, OpRebuild, OpEvacuate, OpShelve, OpOffload, OpUnshelve, OpStop, OpStart,
		OpSoftReboot, OpHardReboot, OpHostBoot, OpRescue, OpUnrescue, OpSuspend, OpUnsuspend, OpResize, OpMigrate,
		OpConfirm, OpRevert, OpLiveMigrate, OpAttach, OpDetach, OpResume, OpRecover, OpReconcile,
	}
	knownTasks = []TaskKind{
		TaskAllocate, TaskDeleteARQs, TaskDeleteAll, TaskUnbindARQs, TaskRestoreARQs, TaskStrays, TaskDestroyGuest,
		TaskRestoreGuest, TaskReturnGuest, TaskAttach, TaskDetach, TaskPowerResume, TaskPowerSuspend,
	}
	knownSources = []Source{SourceFlavor, SourceRequest, SourcePort, SourceGiven, SourceAttached}
)

// check refuses a record that cannot be worked on, or that no operation makes and whose next one would therefore free the
// wrong thing, before anything is done.
func (r Record) check() error {
	if err := checkVersion(r.Version); err != nil {
		return err
	}
	if err := checkUUID(r.Consumer.UUID); err != nil {
		return err
	}
	if len(r.Claim.Allocations) > 0 && r.Claim.Consumer != r.Consumer {
		return errors.New("the record's claim belongs to another consumer: Recover makes a record from what Placement and Cyborg know")
	}
	return errors.Join(r.checkState(), checkAmounts("claim.allocations", r.Claim.Allocations), r.checkHoldings(), r.checkOperation())
}

func checkVersion(version int) error {
	switch {
	case version > RecordVersion:
		return fmt.Errorf("the record has version %d, this program knows version %d: a newer program wrote it", version, RecordVersion)
	case version != RecordVersion:
		return fmt.Errorf("the record has version %d, this program knows version %d", version, RecordVersion)
	}
	return nil
}

// checkState sees whether the record has what belongs to its state, and nothing else.
func (r Record) checkState() error {
	moved, nowhere := r.State == StateMoved, r.Now.Host == "" && len(r.Now.Allocations) == 0
	switch {
	case !slices.Contains(knownStates, r.State):
		return fmt.Errorf("state: %q is not known", r.State)
	case moved != (r.Before != nil):
		return fmt.Errorf("before: an instance that is %s, and no other, was something before: this one is %s", StateMoved, r.State)
	case moved != slices.Contains(placed, r.Was), !moved && r.Was != "":
		return fmt.Errorf("was: %q does not fit the state %s", r.Was, r.State)
	case r.State == StateNone && (!nowhere || len(r.Now.Sets) > 0):
		return fmt.Errorf("now: an instance that is %s has nothing", r.State)
	case r.State == StateOffloaded && (!nowhere || len(created(r.Now.Sets)) > 0):
		return fmt.Errorf("now: an instance that is %s has only what others gave it", r.State)
	}
	return nil
}

func (r Record) checkHoldings() error {
	holdings := map[string]*Holding{"now": &r.Now, "before": r.Before}
	if r.Operation != nil {
		holdings["operation.next"] = r.Operation.Next
	}
	for _, name := range []string{"now", "before", "operation.next"} {
		if h := holdings[name]; h != nil {
			if err := h.check(); err != nil {
				return fmt.Errorf("%s.%w", name, err)
			}
		}
	}
	return nil
}

// check refuses sets that cannot be told apart, whose freeing would free what another one has.
func (h Holding) check() error {
	var owners, arqs []string
	var parts map[string]map[string]int64
	for i, set := range h.Sets {
		if err := h.checkSet(set); err != nil {
			return fmt.Errorf("sets[%d].%w", i, err)
		}
		owners, arqs = append(owners, set.Owner), append(arqs, uuids([]Set{set})...)
		parts = addAllocations(parts, set.Allocations)
	}
	if owner, double := twice(owners); double {
		return fmt.Errorf("sets: two have the owner %q", owner)
	}
	if arq, double := twice(arqs); double {
		return fmt.Errorf("sets: ARQ %s stands twice", arq)
	}
	if excess := subtractAllocations(parts, h.Allocations); len(excess) > 0 {
		return fmt.Errorf("allocations: the sets have more than the holding, by %v", excess)
	}
	return checkAmounts("allocations", h.Allocations)
}

func (h Holding) checkSet(set Set) error {
	switch {
	case !slices.Contains(knownSources, set.Source):
		return fmt.Errorf("source: %q is not known", set.Source)
	case (set.Source == SourceFlavor) != (set.Owner == ""):
		return fmt.Errorf("owner: %q does not fit the source %s", set.Owner, set.Source)
	case set.Source == SourcePort && !h.hasPort(set.Owner):
		return fmt.Errorf("owner: there is no port %q", set.Owner)
	}
	for i, arq := range set.ARQs {
		if arq.Group < 0 {
			return fmt.Errorf("arqs[%d].group: %d is negative", i, arq.Group)
		}
	}
	if err := checkUUIDs("arqs", uuids([]Set{set})); err != nil {
		return err
	}
	return checkAmounts("allocations", set.Allocations)
}

func (h Holding) hasPort(id string) bool {
	for _, port := range h.Spec.Ports {
		if port.ID == id {
			return true
		}
	}
	return false
}

func (r Record) checkOperation() error {
	if err := r.checkTasks("pending", r.Pending); err != nil {
		return err
	}
	o := r.Operation
	if o == nil {
		return nil
	}
	if !slices.Contains(knownOps, o.Op) {
		return fmt.Errorf("operation.op: %q is not known", o.Op)
	}
	return errors.Join(r.checkTasks("operation.undo", o.Undo), r.checkTasks("operation.todo", o.Todo))
}

func (r Record) checkTasks(name string, tasks []Task) error {
	for i, task := range tasks {
		if err := r.checkTask(task); err != nil {
			return fmt.Errorf("%s[%d].%w", name, i, err)
		}
	}
	return nil
}

// checkTask refuses a task that would free what the instance is to keep.
func (r Record) checkTask(task Task) error {
	switch task.Kind {
	case TaskAllocate:
		keep := r.Now.Allocations
		if r.Before != nil {
			keep = addAllocations(keep, r.Before.Allocations)
		}
		if lost := subtractAllocations(keep, task.Keep); len(lost) > 0 {
			return fmt.Errorf("keep: it lacks what the instance has, %v", lost)
		}
	case TaskDeleteAll:
		if r.State != StateNone {
			return fmt.Errorf("kind: %q is for an instance that is deleted, and this one is %s", task.Kind, r.State)
		}
	case TaskDeleteARQs:
		if arq, has := twice(append(r.ARQs(), task.ARQs...)); has {
			return fmt.Errorf("arqs: it deletes ARQ %s, which the instance has", arq)
		}
	default:
		if !slices.Contains(knownTasks, task.Kind) {
			return fmt.Errorf("kind: %q is not known", task.Kind)
		}
	}
	return errors.Join(checkUUIDs("arqs", task.ARQs), checkAmounts("keep", task.Keep), checkAmounts("known", task.Known...))
}

func checkAmounts(name string, allocations ...map[string]map[string]int64) error {
	for _, allocation := range allocations {
		for provider, resources := range allocation {
			for class, amount := range resources {
				if amount < 0 {
					return fmt.Errorf("%s: provider %s has %d of %s", name, provider, amount, class)
				}
			}
		}
	}
	return nil
}

// twice finds an entry that stands twice.
func twice(list []string) (string, bool) {
	for i, entry := range list {
		if slices.Contains(list[:i], entry) {
			return entry, true
		}
	}
	return "", false
}

func checkUUIDs(name string, ids []string) error {
	for i, id := range ids {
		if err := checkID(id); err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
	}
	return nil
}

func checkUUID(instance string) error {
	if err := checkID(instance); err != nil {
		return fmt.Errorf("instance %w", err)
	}
	return nil
}

// checkID refuses spellings of a uuid other than the usual one, because Cyborg and Placement compare uuids as text.
func checkID(text string) error {
	id, err := uuid.Parse(text)
	if err != nil {
		return fmt.Errorf("uuid %q: %w", text, err)
	}
	if text != id.String() {
		return fmt.Errorf("uuid %q: write it as %s", text, id)
	}
	return nil
}
