package elasticpool

import (
	"cmp"
	"slices"
	"time"
)

// deciding is one decision in the making.
type deciding struct {
	*Controller
	in      Input
	now     time.Time
	out     Decision
	vms     map[string]*VM
	acting  map[string]bool   // VMs with an action under way, or that were acted on in this decision
	workers map[string]Worker // that have reported lately, by VM

	heard     time.Time                  // when the workers were last heard of, by their own clock
	halted    string                     // why nothing at all is done
	shown     map[string]map[string]bool // by cloud: VMs that it shows a server of
	shaken    []string                   // doubts about all of the pool
	murky     map[string]string          // doubts about one cloud
	vanishing bool                       // much is missing at once, whether it is doubted or not

	queues    []*queueNow           // in the policy's order
	inCloud   map[string]int        // VMs
	listed    map[string]bool       // VMs whose servers are in their cloud's list
	supply    supply                // of VMs that can be had without making one
	own       map[string]Resources  // by cloud: what the pool's VMs take
	capacity  map[string]Resources  // by cloud: what the pool may take in all
	room      map[string]Resources  // by cloud: what can be made there now; nil: nothing
	shortages map[string][]shortage // by cloud: what queues may have and cannot be made, since others hold what it takes
	flying    map[string]int        // VMs by class that are asked for and not there yet
	created   int
}

func newDeciding(c *Controller, in Input) *deciding {
	now := in.Now
	if now.Before(c.state.Last) {
		now = c.state.Last // a clock that was set back must not make states older than their beginning
	}
	d := &deciding{
		Controller: c, in: in, now: now, out: Decision{At: now},
		vms: make(map[string]*VM, len(c.state.VMs)), acting: map[string]bool{},
		murky: map[string]string{}, inCloud: map[string]int{}, listed: map[string]bool{},
		room: map[string]Resources{}, shortages: map[string][]shortage{}, flying: map[string]int{},
	}
	for _, vm := range c.state.VMs {
		d.vms[vm.ID] = vm
	}
	for _, id := range in.Running {
		d.acting[id] = true
	}
	return d
}

// finish completes the decision and the state that goes with it.
func (d *deciding) finish() Decision {
	d.account()
	d.forget()
	d.out.Frozen = d.frozen()
	d.out.Queues = d.queueViews()
	d.out.Classes = d.classViews()
	d.state.Last = d.now
	return d.out
}

// frozen returns every reason why something is not shrunk.
func (d *deciding) frozen() []string {
	reasons := slices.Clone(d.shaken)
	for _, cloud := range d.policy.Clouds {
		if why := d.murky[cloud.Name]; why != "" {
			reasons = append(reasons, "cloud "+cloud.Name+": "+why)
		}
	}
	return reasons
}

// doubtful says whether nothing may be taken from a cloud.
func (d *deciding) doubtful(cloud string) bool {
	return len(d.shaken) > 0 || d.murky[cloud] != ""
}

// act puts an action on the decision. A VM is acted on once in a decision.
func (d *deciding) act(kind ActionKind, vm *VM, reason string) *Action {
	d.acting[vm.ID] = true
	d.out.Actions = append(d.out.Actions, Action{
		Kind: kind, VM: vm.ID, Cloud: vm.Cloud, Class: vm.Class, Queue: vm.Queue, Server: vm.Server, Reason: reason,
	})
	return &d.out.Actions[len(d.out.Actions)-1]
}

// move puts a VM into a state and tells of it.
func (d *deciding) move(vm *VM, to VMState, why string) {
	if vm.State == to {
		vm.Why = why
		return
	}
	d.out.Events = append(d.out.Events, Event{
		VM: vm.ID, Class: vm.Class, Cloud: vm.Cloud, From: vm.State, To: to, After: d.now.Sub(vm.Since).Seconds(), What: why,
	})
	d.passed(vm, to)
	vm.State, vm.Since, vm.Why, vm.Tries, vm.Again, vm.Missing = to, d.now, why, 0, time.Time{}, time.Time{}
	if to != Joined && to != Draining && to != Warm {
		vm.IdleSince = time.Time{}
	}
}

// gone takes a VM out of the pool's books.
func (d *deciding) gone(vm *VM, why string) {
	d.out.Events = append(d.out.Events, Event{
		VM: vm.ID, Class: vm.Class, Cloud: vm.Cloud, From: vm.State, After: d.now.Sub(vm.Since).Seconds(), What: why,
	})
	delete(d.vms, vm.ID)
	at, ok := slices.BinarySearchFunc(d.state.VMs, vm.ID, func(v *VM, id string) int { return compareID(v.ID, id) })
	if ok {
		d.state.VMs = slices.Delete(d.state.VMs, at, at+1)
	}
}

// add puts a VM into the pool's books.
func (d *deciding) add(vm *VM) {
	d.vms[vm.ID] = vm
	at, _ := slices.BinarySearchFunc(d.state.VMs, vm.ID, func(v *VM, id string) int { return compareID(v.ID, id) })
	d.state.VMs = slices.Insert(d.state.VMs, at, vm)
}

func compareID(a, b string) int { return cmp.Compare(a, b) }

// retry sets when a VM may be acted on again, later with each try: 5 s, 10 s, 20 s … 5 min.
func (d *deciding) retry(vm *VM) {
	vm.Again = d.now.Add(min(5*time.Second<<min(vm.Tries, 6), 5*time.Minute))
	vm.Tries++
}

// free says whether a VM may be acted on in this decision.
func (d *deciding) free(vm *VM) bool { return !d.acting[vm.ID] && !d.now.Before(vm.Again) }
