package elasticpool

import "time"

// settle takes in how earlier actions have ended.
func (d *deciding) settle() {
	for _, outcome := range d.in.Outcomes {
		vm := d.vms[outcome.Action.VM]
		if vm == nil {
			continue
		}
		why := outcome.Detail
		if why == "" {
			why = outcome.Error
		}
		switch outcome.Action.Kind {
		case ActCreate:
			d.madeServer(vm, outcome, why)
		case ActJoin, ActStart, ActStop, ActFree, ActDelete:
			d.ended(vm, outcome.Error, why)
		case ActBind:
			if outcome.Error != "" {
				vm.Queue, vm.Why = vm.Was, "it could not be given to another queue: "+why
				d.retry(vm)
			}
			vm.Was = ""
		case ActDrain:
			d.drained(vm, outcome.Error, why)
		case ActCancelDrain:
			if outcome.Error != "" {
				d.move(vm, Draining, "its drain could not be cancelled: "+why)
				d.retry(vm)
			}
		}
	}
}

// madeServer takes in how the making of a server ended.
func (d *deciding) madeServer(vm *VM, outcome Outcome, why string) {
	switch outcome.Error {
	case "":
		vm.Server = outcome.Server
		d.move(vm, Building, "the cloud makes it")
	case "unknown_outcome":
		d.move(vm, Requested, "nobody knows whether it was made: "+why)
	default:
		d.rest(vm, outcome.Error, why)
		d.gone(vm, "it could not be made: "+why)
	}
}

// ended takes in an action whose success shows in what the sensors see.
func (d *deciding) ended(vm *VM, word, why string) {
	if word == "" {
		switch vm.State {
		case Lost:
			d.afterFree(vm, "lost; its jobs are back in their queues")
		case Deleting:
			d.retry(vm) // DELETE is repeated until the server is gone, but not in each cycle
		}
		return
	}
	vm.Why = why
	switch vm.State {
	case Joining:
		d.joinFailed(vm, why)
		return
	case Starting:
		d.back(vm, Stopped, why)
	case Stopping:
		d.back(vm, Warm, why)
	case Lost:
		if vm.Tries >= freeTries {
			d.afterFree(vm, "lost; its jobs could not be given back: "+why)
			return
		}
	}
	d.retry(vm)
}

// freeTries is how often it is tried to give back the jobs of a lost VM before its server is deleted all the same.
const freeTries = 5

// back returns a VM to an earlier state without forgetting how often it was tried.
func (d *deciding) back(vm *VM, to VMState, why string) {
	tries := vm.Tries
	d.move(vm, to, why)
	vm.Tries = tries
}

// afterFree goes on with a lost VM whose jobs are back in their queues.
func (d *deciding) afterFree(vm *VM, why string) {
	if vm.Server == "" {
		d.gone(vm, why)
		return
	}
	d.move(vm, Deleting, why)
}

func (d *deciding) drained(vm *VM, word, why string) {
	switch word {
	case "":
	case "busy":
		d.move(vm, Joined, "a job came before it was drained")
	case "no_worker":
		vm.Why = "the batch system does not know it"
	default:
		d.move(vm, Joined, "it could not be drained: "+why)
		d.retry(vm)
	}
}

// rest lets a class rest after a failure, longer with each in a row, and halves its ramp.
func (d *deciding) rest(vm *VM, word, why string) {
	s := d.state.Classes[vm.Class]
	if s == nil {
		return
	}
	s.Off = why
	s.Ramp = max(s.Ramp/2, 1)
	if word == "invalid" {
		s.Invalid = true
		return
	}
	back := d.policy.Control.Backoff
	pause := min(back.First.D()<<min(s.Failures, 20), back.Most.D())
	if pause <= 0 {
		pause = back.Most.D()
	}
	if word == "quota" {
		pause = back.First.D() // what is free is asked in each cycle; a long rest would only miss it
	}
	s.Failures++
	s.Until = d.now.Add(pause)
	d.out.Events = append(d.out.Events, Event{Class: vm.Class, Cloud: vm.Cloud, What: "nothing is made of it for " + pause.String() + ": " + why})
}

// succeeded lets a class grow faster after a VM came to life.
func (d *deciding) succeeded(vm *VM) {
	delete(d.state.Hosts, vm.Cloud+"/"+vm.Host)
	s := d.state.Classes[vm.Class]
	if s == nil {
		return
	}
	s.Ramp = min(s.Ramp+1, d.policy.Control.MaxInFlight)
	s.Failures, s.Until, s.Off = 0, time.Time{}, ""
	if s.Boots = append(s.Boots, d.now.Sub(vm.Created)); len(s.Boots) > bootsKept {
		s.Boots = s.Boots[1:]
	}
}

// bootsKept is of how many boots the time is remembered.
const bootsKept = 20

// failed takes in that a VM did not come to life.
func (d *deciding) failed(vm *VM, word, why string) {
	if vm.Host != "" {
		d.state.Hosts[vm.Cloud+"/"+vm.Host]++
	}
	d.rest(vm, word, why)
	d.move(vm, Failed, why)
}

// quarantined says whether VMs on a host have failed so often that new ones there are not counted on.
func (d *deciding) quarantined(vm *VM) bool {
	return vm.Host != "" && d.state.Hosts[vm.Cloud+"/"+vm.Host] >= d.policy.Control.Quarantine
}
