package elasticpool

import (
	"math"
	"time"
)

// account adds what each queue uses to what it has used, which is halved each Control.AccountAge.
func (d *deciding) account() {
	passed := d.now.Sub(d.state.Last)
	if d.state.Last.IsZero() {
		passed = 0
	}
	decay := math.Exp2(-passed.Hours() / max(d.policy.Control.AccountAge.D().Hours(), 1e-9))
	total := d.total()
	for _, q := range d.queues {
		q.view.Share = d.dominant(q, total)
		s := d.state.Queues[q.Name]
		s.Use = s.Use*decay + q.view.Share*passed.Hours()
	}
}

// total returns the capacity of all clouds together; a resource that one of them does not limit is not limited.
func (d *deciding) total() Resources {
	total, unlimited := Resources{}, map[string]bool{}
	for i := range d.policy.Classes {
		for resource := range d.policy.Classes[i].Takes {
			for _, limits := range d.capacity {
				if _, limited := limits[resource]; !limited {
					unlimited[resource] = true
				}
			}
		}
	}
	for _, limits := range d.capacity {
		total = total.Plus(limits)
	}
	for resource := range unlimited {
		delete(total, resource)
	}
	return total
}

// dominant returns the largest part that a queue's VMs take of any resource.
func (d *deciding) dominant(q *queueNow, total Resources) float64 {
	use := Resources{}
	for name, n := range perClass(q.vms) {
		if class := d.classes[name]; class != nil {
			use = use.Plus(class.Takes.Times(n))
		}
	}
	return part(use, total)
}

// part returns the largest part that a use takes of any resource.
func part(use, total Resources) float64 {
	share := 0.0
	for resource, amount := range use {
		if of := total[resource]; of > 0 {
			share = max(share, float64(amount)/float64(of))
		}
	}
	return share
}

func (d *deciding) queueViews() []QueueView {
	views := make([]QueueView, len(d.queues))
	for i, q := range d.queues {
		v := q.view
		v.Name, v.Lower, v.Upper, v.Weight = q.Name, q.Lower, q.Upper, q.Weight
		if q.Upper == 0 {
			v.Upper = -1
		}
		v.Busy = len(q.busy)
		for _, vm := range d.state.VMs {
			switch {
			case vm.Queue != q.Name:
			case vm.State == Joined || vm.State == Draining:
				v.Serving++
			case counts(vm):
				v.Coming++
			}
		}
		if v.Why == "" {
			v.Why = d.why(q, v)
		}
		views[i] = v
	}
	return views
}

// why says in a few words how a queue stands.
func (d *deciding) why(q *queueNow, v QueueView) string {
	switch {
	case d.halted != "":
		return "nothing is done: " + d.halted
	case v.Serving+v.Coming < v.Target && len(d.out.Blind) > 0:
		return "nothing is grown: " + d.out.Blind[0]
	case v.Target < v.Wanted && q.Upper > 0 && int64(v.Target) >= q.Upper:
		return "its upper threshold is reached"
	case v.Target < v.Wanted:
		return "it has its fair share; others need the rest"
	case v.Coming > 0:
		return "VMs are on their way"
	case v.Waiting > 0 && len(q.lacks) == 0:
		return "its jobs find room on the VMs that it has"
	case v.Wanted == 0:
		return "it needs nothing"
	}
	return "it has what it needs"
}

func (d *deciding) classViews() []ClassView {
	views := make([]ClassView, len(d.policy.Classes))
	at := map[string]int{}
	for i := range d.policy.Classes {
		class := &d.policy.Classes[i]
		s := d.state.Classes[class.Name]
		at[class.Name] = i
		views[i] = ClassView{
			Name: class.Name, Cloud: class.Cloud, States: map[VMState]int{}, Off: d.resting(class),
			InFlight: d.flying[class.Name], Ramp: s.Ramp, Buffer: d.bufferTarget(class), Limits: d.limitsOf(class.Name),
		}
		if d.now.Before(s.Until) {
			views[i].Until = s.Until
		}
	}
	for _, vm := range d.state.VMs {
		if i, known := at[vm.Class]; known && views[i].Cloud == vm.Cloud {
			views[i].States[vm.State]++
		}
	}
	return views
}

// idleSince returns since when a VM does nothing.
func idleSince(vm *VM) time.Time {
	if (vm.State == Joined || vm.State == Warm) && !vm.IdleSince.IsZero() {
		return vm.IdleSince
	}
	return vm.Since
}

// perClass counts VMs by class.
func perClass(vms []*VM) map[string]int64 {
	n := map[string]int64{}
	for _, vm := range vms {
		n[vm.Class]++
	}
	return n
}
