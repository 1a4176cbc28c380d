package elasticpool

import (
	"fmt"
	"time"
)

// queue tells why a queue has the VMs that it has.
func (e explaining) queue(view QueueView) []string {
	upper := "no upper threshold"
	if view.Upper >= 0 {
		upper = fmt.Sprintf("upper threshold %d", view.Upper)
	}
	lines := []string{
		fmt.Sprintf("queue %s: %d jobs wait, %d run, %d are held", view.Name, view.Waiting, view.Running, view.Held),
		fmt.Sprintf("its jobs need %d VMs; its share of that is %d (weight %g, lower threshold %d, %s)", view.Wanted, view.Target, view.Weight, view.Lower, upper),
		fmt.Sprintf("it has %d VMs that serve, %d of them with jobs, and %d on their way", view.Serving, view.Busy, view.Coming),
	}
	if view.Waiting > 0 && view.Oldest > 0 {
		lines = append(lines, "its oldest job has waited for "+seconds(view.Oldest))
	}
	if view.Urgency != "" {
		lines = append(lines, view.Urgency)
	}
	if view.Why != "" {
		lines = append(lines, view.Why)
	}
	lines = append(lines, e.onTheWay(view.Name)...)
	lines = append(lines, e.leases(view.Name)...)
	lines = append(lines, e.orders(func(c Command) bool { return c.Queue == view.Name })...)
	lines = append(lines, e.unmet(view.Name)...)
	return append(lines, e.resting(view.Name)...)
}

// strangeQueue tells of a queue that has jobs and is not in the policy, or returns nil.
func (e explaining) strangeQueue(name string) []string {
	var waiting, running, held int
	known := false
	for _, source := range sortedKeys(e.in.Jobs) {
		for _, g := range e.in.Jobs[source].Value {
			if g.Queue == name {
				known, waiting, running, held = true, waiting+g.Waiting(), running+g.Running, held+g.Held
			}
		}
	}
	if !known {
		return nil
	}
	return []string{
		fmt.Sprintf("queue %s: %d jobs wait, %d run, %d are held", name, waiting, running, held),
		fmt.Sprintf("the policy has no queue %s: nothing is done for it", name),
	}
}

// onTheWay tells which VMs are coming to a queue.
func (e explaining) onTheWay(queue string) []string {
	states, since := map[VMState]int{}, e.status.Now
	for i := range e.status.VMs {
		vm := &e.status.VMs[i]
		if vm.Queue == queue && counts(vm) && vm.State != Joined {
			states[vm.State]++
			if vm.Created.Before(since) {
				since = vm.Created
			}
		}
	}
	if len(states) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("on their way are %s; the first was planned %s ago", stateCounts(states), waited(e.status.Now.Sub(since)))}
}

// leases tells what the quota service has promised to a queue.
func (e explaining) leases(queue string) []string {
	units := 0
	var first time.Time
	for _, lease := range e.status.Leases {
		if lease.Queue == queue && lease.Units > 0 {
			units += lease.Units
			if first.IsZero() || lease.Expires.Before(first) {
				first = lease.Expires
			}
		}
	}
	if units == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d VMs are leased to it and have not appeared; the first lease lapses at %s", units, first.UTC().Format(time.RFC3339))}
}

// orders tells what operators have ordered.
func (e explaining) orders(meant func(Command) bool) []string {
	var lines []string
	for _, order := range e.status.Orders {
		if meant(order) {
			lines = append(lines, "in force: "+order.String())
		}
	}
	return lines
}

// unmet tells which of a queue's jobs can run nowhere.
func (e explaining) unmet(queue string) []string {
	var lines []string
	for _, u := range e.status.Decision.Unmet {
		if u.Queue == queue {
			lines = append(lines, fmt.Sprintf("%d of its jobs can run nowhere: %s", u.Jobs, u.Reason))
		}
	}
	return lines
}

// resting tells of which of a queue's classes nothing is made now.
func (e explaining) resting(queue string) []string {
	q := e.policyQueue(queue)
	var lines []string
	for _, view := range e.status.Decision.Classes {
		if q != nil && serves(&Class{Name: view.Name}, q) {
			lines = append(append(lines, e.rest(view)...), e.breaker(view.Cloud)...)
		}
	}
	return lines
}

func (e explaining) policyQueue(name string) *Queue {
	for i := range e.policy.Queues {
		if e.policy.Queues[i].Name == name {
			return &e.policy.Queues[i]
		}
	}
	return nil
}
