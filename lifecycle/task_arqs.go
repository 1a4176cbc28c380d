package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/cyborgclient"
)

// deleteARQs deletes ARQs that the operation made. Those that are gone are done.
func (r *run) deleteARQs(ctx context.Context, arqs []string) error {
	if len(arqs) == 0 {
		return nil
	}
	_, err := r.cyborg.DeleteARQs(ctx, arqs...)
	return err
}

// unbindARQs gives back ARQs that somebody else made, if they are still this instance's. ARQs of a bind that stopped in
// the middle name the instance as well.
func (r *run) unbindARQs(ctx context.Context, arqs []string) error {
	if len(arqs) == 0 {
		return nil
	}
	held, err := r.cyborg.ARQsByInstance(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	var ours []string
	for _, arq := range held {
		if slices.Contains(arqs, arq.UUID) {
			ours = append(ours, arq.UUID)
		}
	}
	if len(ours) == 0 {
		return nil
	}
	return r.cyborg.Unbind(ctx, ours...)
}

// giveBack frees the devices of ARQs that somebody else made. From Ussuri to Wallaby Cyborg unbinds nothing (StoryBoard
// 2008736): there the ARQs go with their devices.
func (r *run) giveBack(ctx context.Context, arqs []string) error {
	err := r.unbindARQs(ctx, arqs)
	if failed, ok := errors.AsType[*cyborgclient.Error](err); ok && strings.Contains(failed.Fault, "unbind() takes") {
		return r.deleteARQs(ctx, arqs)
	}
	return err
}

// free gives the devices of sets back.
func (r *run) free(ctx context.Context, sets []Set) error {
	if err := r.unbindARQs(ctx, given(sets)); err != nil {
		return err
	}
	return r.deleteARQs(ctx, created(sets))
}

// freeTasks are what free does, as tasks, without the ARQs to keep.
func freeTasks(sets []Set, keep ...string) []Task {
	kept := func(arq string) bool { return slices.Contains(keep, arq) }
	var tasks []Task
	if arqs := slices.DeleteFunc(given(sets), kept); len(arqs) > 0 {
		tasks = append(tasks, Task{Kind: TaskUnbindARQs, Step: StepARQs, ARQs: arqs})
	}
	if arqs := slices.DeleteFunc(created(sets), kept); len(arqs) > 0 {
		tasks = append(tasks, Task{Kind: TaskDeleteARQs, Step: StepARQs, ARQs: arqs})
	}
	return tasks
}

// findStrays names the ARQs that a failed creation may have left. Cyborg makes ARQs one by one and tells their uuids
// only in the answer, so where the answer is missing they cannot be told from those that somebody else is about to
// bind: they are reported and not touched.
func (r *run) findStrays(ctx context.Context, task Task) error {
	arqs, err := r.cyborg.ARQs(ctx, cyborgclient.ARQFilter{})
	if err != nil {
		return fmt.Errorf("ARQs of device profile %s may be left: %w", task.Profile, err)
	}
	known := r.record.ARQs()
	var strays []string
	for _, arq := range arqs {
		if arq.DeviceProfileName == task.Profile && arq.State == cyborgclient.StateInitial && !slices.Contains(known, arq.UUID) {
			strays = append(strays, arq.UUID)
		}
	}
	if len(strays) == 0 {
		return nil
	}
	return fmt.Errorf("ARQs of device profile %s that nobody has bound, Reconcile deletes them when nobody has for some time: %s",
		task.Profile, strings.Join(strays, ", "))
}

// verify tells which ARQs of a holding are not bound as they should be.
func verify(instance string, holding Holding, arqs []cyborgclient.ARQ) ([]cyborgclient.ARQ, error) {
	found := make(map[string]cyborgclient.ARQ, len(arqs))
	for _, arq := range arqs {
		found[arq.UUID] = arq
	}
	var bound []cyborgclient.ARQ
	var faults []error
	for _, set := range holding.Sets {
		for _, want := range set.ARQs {
			arq, there := found[want.UUID]
			switch {
			case !there:
				faults = append(faults, fmt.Errorf("%w: ARQ %s is gone", ErrNotBound, want.UUID))
			case arq.State != cyborgclient.StateBound || arq.InstanceUUID != instance || arq.Hostname != holding.Host ||
				arq.DeviceRPUUID != want.Provider:
				faults = append(faults, fmt.Errorf("%w: ARQ %s is %s, on host %q, at provider %q, and should be on %q at %q",
					ErrNotBound, arq.UUID, arq.State, arq.Hostname, arq.DeviceRPUUID, holding.Host, want.Provider))
			default:
				bound = append(bound, arq)
			}
		}
	}
	return bound, errors.Join(faults...)
}

// check reads the instance's ARQs and refuses to go on unless each is bound as it should be: a guest must not start
// without its devices (B12, B14), nor with those of others (B18).
func (r *run) check(ctx context.Context) error {
	if len(r.record.ARQs()) == 0 {
		r.bound = nil // those that a failed operation had bound are not the instance's
		return nil
	}
	arqs, err := r.cyborg.ARQsByInstance(ctx, r.record.Instance())
	if err != nil {
		return err
	}
	r.bound, err = verify(r.record.Instance(), r.record.Now, arqs)
	return err
}
