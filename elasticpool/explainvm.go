package elasticpool

import (
	"fmt"
	"strings"
)

// vmCalled explains the only VM whose id is what, or begins so, or returns nil.
func (e explaining) vmCalled(what string) []string {
	var found *VM
	for i := range e.status.VMs {
		vm := &e.status.VMs[i]
		switch {
		case vm.ID == what:
			return e.vm(vm)
		case len(what) < 6 || !strings.HasPrefix(vm.ID, strings.ToUpper(what)):
		case found != nil:
			return []string{fmt.Sprintf("more than one VM begins with %s, such as %s and %s", what, found.ID, vm.ID)}
		default:
			found = vm
		}
	}
	if found == nil {
		return nil
	}
	return e.vm(found)
}

// vm tells why a VM is in its state.
func (e explaining) vm(vm *VM) []string {
	first := fmt.Sprintf("VM %s of class %s in cloud %s is %s for %s", vm.ID, vm.Class, vm.Cloud, vm.State, waited(e.status.Now.Sub(vm.Since)))
	if vm.Why != "" {
		first += ": " + vm.Why
	}
	lines := []string{first}
	switch {
	case vm.Queue != "":
		lines = append(lines, "it is bound to queue "+vm.Queue)
	case vm.State == Warm:
		lines = append(lines, "it waits in the buffer for a queue that needs it")
	}
	if vm.Server != "" {
		lines = append(lines, fmt.Sprintf("its server is %s on host %s", vm.Server, firstNonEmpty(vm.Host, "unknown")))
	}
	lines = append(append(lines, e.outdated(vm)...), e.givenUp(vm)...)
	lines = append(lines, e.work(vm)...)
	lines = append(lines, e.missing(vm)...)
	lines = append(lines, e.worker(vm)...)
	lines = append(lines, e.acted(vm)...)
	lines = append(lines, e.orders(func(c Command) bool { return c.touches(vm) })...)
	return append(lines, e.breaker(vm.Cloud)...)
}

// outdated tells that a VM was made of what its class is no more.
func (e explaining) outdated(vm *VM) []string {
	for i := range e.policy.Classes {
		if class := &e.policy.Classes[i]; class.Name == vm.Class && vm.Made != "" && vm.Made != class.Version() {
			return []string{"it was made of another image, flavor or user data than its class has now: it is the first to leave when something shrinks"}
		}
	}
	return nil
}

// givenUp tells when a VM is given up, if its class has shown how long it may take.
func (e explaining) givenUp(vm *VM) []string {
	for _, view := range e.status.Decision.Classes {
		if limit := view.Limits[vm.State]; view.Name == vm.Class && limit > 0 {
			return []string{fmt.Sprintf("it is given up when it has been %s for %s, as the last VMs of its class have shown", vm.State, seconds(limit))}
		}
	}
	return nil
}

// work tells what a VM runs, or since when it runs nothing.
func (e explaining) work(vm *VM) []string {
	if len(vm.Jobs) > 0 {
		ids := make([]string, len(vm.Jobs))
		for i, job := range vm.Jobs {
			ids[i] = job.ID
		}
		return []string{"it runs jobs " + strings.Join(ids, ", ")}
	}
	if vm.IdleSince.IsZero() || vm.State != Joined {
		return nil
	}
	return []string{fmt.Sprintf("it has been idle for %s; if nobody needs it, it leaves after %s", waited(e.status.Now.Sub(vm.IdleSince)), e.policy.Control.IdleTime)}
}

// missing tells what does not show a VM that should.
func (e explaining) missing(vm *VM) []string {
	var lines []string
	if !vm.Missing.IsZero() {
		lines = append(lines, fmt.Sprintf("its worker has not reported for %s", waited(e.status.Now.Sub(vm.Missing))))
	}
	if !vm.Gone.IsZero() {
		lines = append(lines, fmt.Sprintf("its cloud has not shown its server for %s", waited(e.status.Now.Sub(vm.Gone))))
	}
	return lines
}

// worker tells what the batch system says of a VM.
func (e explaining) worker(vm *VM) []string {
	for i := range e.in.Workers.Value.List {
		if w := &e.in.Workers.Value.List[i]; w.VM == vm.ID {
			return []string{fmt.Sprintf("its worker %s reported %s ago and has %s free of %s", w.Name, waited(e.status.Now.Sub(w.Heard)), amounts(w.Free), amounts(w.Total))}
		}
	}
	return nil
}

// acted tells what is under way with a VM, and when it is tried again.
func (e explaining) acted(vm *VM) []string {
	for _, running := range e.status.Running {
		if running.Action.VM == vm.ID {
			return []string{fmt.Sprintf("%s has been under way for %s", running.Action.Kind, waited(e.status.Now.Sub(running.Since)))}
		}
	}
	if vm.Again.After(e.status.Now) {
		return []string{fmt.Sprintf("nothing is tried with it again before %s have passed; it was tried %d times", waited(vm.Again.Sub(e.status.Now)), vm.Tries)}
	}
	return nil
}
