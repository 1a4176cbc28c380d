package elasticpool

import (
	"fmt"
	"slices"
	"time"
)

// jobCalled explains the job of an id, whether it runs or waits, or returns nil.
func (e explaining) jobCalled(id string) []string {
	for i := range e.status.VMs {
		vm := &e.status.VMs[i]
		if slices.ContainsFunc(vm.Jobs, func(job Job) bool { return job.ID == id }) {
			return append([]string{fmt.Sprintf("job %s runs on VM %s", id, vm.ID)}, e.vm(vm)...)
		}
	}
	for _, source := range sortedKeys(e.in.Jobs) {
		for i := range e.in.Jobs[source].Value {
			if g := &e.in.Jobs[source].Value[i]; slices.Contains(g.Jobs, id) {
				return e.job(g, id)
			}
		}
	}
	return nil
}

// job tells why a job of a group does not run.
func (e explaining) job(g *JobGroup, id string) []string {
	lines := []string{fmt.Sprintf("job %s of queue %s asks for %s; of such jobs %d wait, %d run, %d are held", id, g.Queue, amounts(g.Request), g.Waiting(), g.Running, g.Held)}
	for _, resource := range sortedKeys(g.Require) {
		lines = append(lines, fmt.Sprintf("its %s must meet %s", resource, g.Require[resource]))
	}
	if g.Runtime > 0 {
		lines = append(lines, "it may run for "+g.Runtime.String())
	}
	if !g.Oldest.IsZero() && g.Waiting() > 0 {
		lines = append(lines, "the oldest of them has waited for "+waited(max(e.status.Now.Sub(g.Oldest), time.Duration(0))))
	}
	switch {
	case g.Waiting() == 0 && g.Held > 0 && g.Running == 0:
		return append(lines, "it is held: nothing is done for it until it is released")
	case g.Held > 0:
		lines = append(lines, "for those that are held nothing is done until they are released")
	}
	q := e.policyQueue(g.Queue)
	if q == nil {
		return append(lines, fmt.Sprintf("the policy has no queue %s: nothing is done for it", g.Queue))
	}
	lines = append(lines, e.chances(q, g)...)
	for _, view := range e.status.Decision.Queues {
		if view.Name == g.Queue {
			lines = append(lines, e.queue(view)...)
		}
	}
	return lines
}

// chances tells of each class whether it can run a job of a group.
func (e explaining) chances(q *Queue, g *JobGroup) []string {
	judge := &Controller{policy: e.policy, conditions: map[string]string{}}
	var lines []string
	for i := range e.policy.Classes {
		class := &e.policy.Classes[i]
		switch why := judge.unfit(class, g); {
		case !serves(class, q):
			lines = append(lines, fmt.Sprintf("class %s does not serve the queue", class.Name))
		case why != "":
			lines = append(lines, why)
		case spared(class, g) != "":
			lines = append(lines, "class "+spared(class, g))
		default:
			lines = append(lines, fmt.Sprintf("class %s can run %d such jobs on a VM", class.Name, fits(class.Slot, g.Request)))
		}
	}
	return lines
}
