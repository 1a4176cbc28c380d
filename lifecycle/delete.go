package lifecycle

import (
	"context"
	"errors"
	"slices"
)

// Delete destroys the guest and frees the instance's accelerators and its claim. An operation that runs on the instance
// is ended at once and taken back first. The ARQs go before the claim: were the claim released while an ARQ still holds
// its device, Placement would offer a device that Cyborg cannot bind (B22). What is gone already counts as done, so that
// a Delete that failed can simply be called again. Once it has begun it goes on to the end, whatever becomes of the
// context. Where the record is lost, [Manager.Recover] makes one.
//
// It mirrors nova/compute/manager.py:_delete_instance.
func (m *Manager) Delete(ctx context.Context, record Record) error {
	return m.delete(ctx, OpDelete, record)
}

// DeleteLocal is Delete for an instance whose host is gone: the hypervisor there is not asked. The record says that
// something may be left there, until HostBoot has seen to it. It mirrors nova/compute/api.py:_local_delete.
func (m *Manager) DeleteLocal(ctx context.Context, record Record) error {
	return m.delete(ctx, OpLocalDelete, record, record.guestHosts()...)
}

// guestHosts are those on which the instance may have a guest: where it is or, if that is nowhere, where one could not be
// destroyed.
func (r Record) guestHosts() []string {
	if r.Now.Host != "" {
		return []string{r.Now.Host}
	}
	var hosts []string
	for _, task := range r.Pending {
		if task.Kind == TaskDestroyGuest {
			hosts = append(hosts, task.Host)
		}
	}
	return hosts
}

// delete asks nothing of the hypervisor of the host that is gone. An operation that it ends may just have brought the
// instance to another one.
func (m *Manager) delete(ctx context.Context, op Op, record Record, gone ...string) error {
	for {
		left, err := m.instances.preempt(ctx, record.Instance(), ErrDeleted)
		if err != nil {
			return m.newRun(op, record).failure(err, nil)
		}
		switch {
		case left == nil:
		case left.Version != 0:
			record = *left
		case record.State == StateNone: // the creation was taken back whole
			record = Record{Version: RecordVersion, Consumer: record.Consumer, State: StateNone}
		}
		abandoned := record.clone()
		abandoned.abandon()
		_, err = m.operate(ctx, op, abandoned, func(ctx context.Context, r *run) error { return r.removeOr(ctx, record, gone) })
		if !errors.Is(err, ErrBusy) {
			return err
		}
	}
}

// removeOr removes the instance. If that cannot be put on record, the instance is not deleted, and an operation that was
// interrupted before is taken back or finished instead.
func (r *run) removeOr(ctx context.Context, before Record, gone []string) error {
	err := r.remove(ctx, gone)
	if err != nil {
		before.Revision = r.record.Revision
		r.record = before.clone()
		if r.record.Operation == nil {
			r.begin()
		}
	}
	return err
}

// abandon turns an operation that a crash interrupted, and what was pending, into what a deletion has to do of it:
// nothing is brought back that is to be deleted.
func (r *Record) abandon() {
	tasks := r.Pending
	if o := r.Operation; o != nil {
		tasks = slices.Concat(reversed(o.Undo), o.Todo, tasks)
		if o.Next != nil {
			tasks = append(tasks, freeTasks(o.Next.Sets, r.ARQs()...)...)
		}
		r.Operation = nil
	}
	r.Pending = nil
	for _, task := range tasks {
		switch task.Kind {
		case TaskReturnGuest: // it may be there already
			r.Pending = append(r.Pending, Task{Kind: TaskDestroyGuest, Step: StepGuest, Host: task.Host})
		case TaskRestoreARQs, TaskRestoreGuest, TaskAttach, TaskDetach, TaskPowerResume, TaskPowerSuspend:
		default:
			r.Pending = append(r.Pending, task)
		}
	}
}

// remove commits at once and then frees everything. What is pending of earlier operations is done on the way.
func (r *run) remove(ctx context.Context, gone []string) error {
	var todo, strays []Task
	known := []map[string]map[string]int64{r.record.Claim.Allocations}
	if host := r.record.Now.Host; host != "" {
		todo = append(todo, Task{Kind: TaskDestroyGuest, Step: StepGuest, Host: host})
	}
	for _, task := range r.record.Pending {
		switch task.Kind {
		case TaskAllocate:
			known = append(append(known, task.Keep), task.Known...)
		case TaskStrays:
			strays = append(strays, task)
		default:
			todo = append(todo, task)
		}
	}
	todo = slices.DeleteFunc(todo, func(t Task) bool { return t.Kind == TaskDestroyGuest && slices.Contains(gone, t.Host) })
	left := slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.record.Left, gone))))
	todo = append(todo, freeTasks(r.record.Now.Sets)...)
	todo = append(todo, Task{Kind: TaskDeleteAll, Step: StepARQs}, Task{Kind: TaskAllocate, Step: StepClaim, Known: known})
	return r.commit(ctx, func(record *Record) {
		*record = Record{
			Version: record.Version, Revision: record.Revision, Consumer: record.Consumer, State: StateNone, Claim: record.Claim,
			Operation: record.Operation, Pending: strays, Left: left,
		}
	}, todo...)
}
