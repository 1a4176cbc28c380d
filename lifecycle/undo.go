package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// intend puts on record how to take back what is about to be done. Without that nothing is done.
func (r *run) intend(ctx context.Context, tasks ...Task) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	o := r.record.Operation
	before := o.Undo
	for _, task := range tasks {
		task.Step = r.step.ID
		o.Undo = append(o.Undo, task)
	}
	err := r.save(ctx)
	if err != nil {
		o.Undo = before // nothing will be done
	}
	return err
}

// revise replaces the last intention by what became known since; without tasks there is nothing to take back.
func (r *run) revise(tasks ...Task) {
	o := r.record.Operation
	o.Undo = o.Undo[:len(o.Undo)-1]
	for _, task := range tasks {
		task.Step = r.step.ID
		o.Undo = append(o.Undo, task)
	}
	r.unsaved = true
}

// commit is the point of no return: one write of the record makes the change. What remains are tasks, which free what
// the instance had before.
func (r *run) commit(ctx context.Context, change func(*Record), todo ...Task) error {
	before := r.record
	r.record = before.clone()
	change(&r.record)
	o := r.record.Operation
	o.Committed, o.Undo, o.Next, o.Todo = true, nil, nil, todo
	if err := r.save(ctx); err != nil {
		before.Revision = r.record.Revision
		r.record, r.uncertain = before, true
		return err
	}
	r.keep = 0
	return nil
}

// become is the change that most operations end with.
func become(state State, now Holding) func(*Record) {
	return func(r *Record) { r.State, r.Now = state, now.clone() }
}

// unwind takes back what the operation did, last step first. That it does is on record before anything is taken back: a
// commit whose saving failed may be there all the same.
func (r *run) unwind(ctx context.Context) error {
	r.step.Undo = true
	defer func() { r.step.Undo = false }()
	o := r.record.Operation
	o.Undo, o.Todo = o.Undo[:r.keep], append(reversed(o.Undo[r.keep:]), o.Todo...)
	if len(o.Todo) == 0 {
		return nil
	}
	err := r.save(ctx)
	if err != nil && r.uncertain { // whichever record is read next, it must fit: nothing is touched until one is stored
		r.pend(err, o.Todo...)
		o.Todo = nil
	} else {
		err = errors.Join(err, r.drain(ctx))
	}
	r.left = errors.Join(r.left, err)
	return err
}

// reversed are the tasks of an undo in the order in which they are to be done, and the other way round.
func reversed(tasks []Task) []Task {
	tasks = slices.Clone(tasks)
	slices.Reverse(tasks)
	return tasks
}

// drain does what is to be done, in order, with a time of its own for each task: the caller's context may be the very
// thing that ended the operation. It stops at the first task that fails, because the others would free what that one
// still uses (B22). What is left becomes pending.
func (r *run) drain(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	o := r.record.Operation
	var errs []error
	for len(o.Todo) > 0 {
		task := o.Todo[0]
		err := r.try(ctx, task)
		if err != nil && task.Kind != TaskStrays {
			errs = append(errs, err)
			break
		}
		o.Todo = o.Todo[1:]
		if err != nil { // others do not depend on strays
			errs = append(errs, err)
			r.pend(err, task)
		}
		errs = append(errs, r.save(ctx))
	}
	err := errors.Join(errs...)
	r.pend(err, append(o.Todo, o.Undo[r.keep:]...)...)
	o.Todo, o.Undo = nil, o.Undo[:r.keep]
	return err
}

// pend puts tasks on record for later, the first with the reason.
func (r *run) pend(cause error, tasks ...Task) {
	for i, task := range tasks {
		if i == 0 && cause != nil {
			task.Failure = cause.Error()
		}
		r.record.Pending = append(r.record.Pending, task)
	}
}

// try performs one task and tells the observer.
func (r *run) try(ctx context.Context, task Task) error {
	timeout := r.undoTimeout
	if task.Kind == TaskRestoreARQs {
		timeout += r.waiter.Timeout()
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r.step.ID, r.step.Started = task.Step, time.Now()
	err := r.perform(ctx, task)
	r.tell(ctx, err)
	if err != nil {
		return &stepError{step: r.step, err: fmt.Errorf("%s: %w", task, err)}
	}
	return nil
}

// overtakes are the tasks that an operation makes needless, because it starts the guest anew or frees its devices: were
// they to be done first, the operation that could help would fail with them.
var overtakes = map[Op][]TaskKind{
	OpEvacuate:   {TaskRestoreARQs, TaskRestoreGuest, TaskAttach, TaskDetach, TaskPowerResume, TaskPowerSuspend},
	OpMigrate:    {TaskRestoreARQs, TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpResize:     {TaskRestoreARQs, TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpRevert:     {TaskRestoreARQs, TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpHostBoot:   {TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpHardReboot: {TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpStop:       {TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpShelve:     {TaskRestoreGuest, TaskAttach, TaskPowerResume, TaskPowerSuspend},
	OpReconcile:  {TaskRestoreARQs, TaskRestoreGuest, TaskAttach}, // where it binds new ARQs
}

// setAside takes these tasks from what is pending. They count again if the operation fails.
func (r *run) setAside() (aside []Task) {
	op, host := r.step.Op, r.record.Now.Host
	if op == OpReconcile && !r.rebinds {
		return nil
	}
	r.record.Pending = slices.DeleteFunc(r.record.Pending, func(task Task) bool {
		needless := slices.Contains(overtakes[op], task.Kind) || op == OpEvacuate && task.Kind == TaskDestroyGuest && task.Host == host
		if needless {
			aside = append(aside, task)
		}
		return needless
	})
	return aside
}

// settle does what earlier operations left pending. Strays stay: only Reconcile, which knows all records, can tell them
// from the ARQs of others.
func (r *run) settle(ctx context.Context) error {
	var strays, todo []Task
	for _, task := range r.record.Pending {
		if task.Kind == TaskStrays {
			strays = append(strays, task)
		} else {
			todo = append(todo, task)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	r.begin()
	r.record.Operation.Committed, r.record.Operation.Todo, r.record.Pending = true, todo, strays
	err := r.drain(ctx)
	r.record.Operation = nil
	return errors.Join(err, r.save(ctx))
}
