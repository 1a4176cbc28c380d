package elasticpool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ErrNothingCalled says that there is no queue, class, VM or job of a name.
var ErrNothingCalled = errors.New("there is no such queue, class, VM or job")

// Explain tells in sentences why a queue has the VMs that it has, why a class is or is not made, why a VM is in its
// state, or why a job does not run. what is the name of a queue or class, the id of a VM or its first six characters or
// more, or the id of a job. It reads the status of a pool of that policy and the input that its last decision was made
// on, and decides nothing. The error wraps ErrNothingCalled.
func Explain(policy Policy, in Input, status Status, what string) ([]string, error) {
	e := explaining{policy: policy.withDefaults(), in: in, status: status}
	found := e.named(what)
	if found == nil {
		found = e.vmCalled(what)
	}
	if found == nil {
		found = e.jobCalled(what)
	}
	if found == nil {
		return nil, fmt.Errorf("%w: %s; of jobs that wait only some of each group are known by id", ErrNothingCalled, what)
	}
	return append(found, e.doubts()...), nil
}

// explaining is what an explanation is made of.
type explaining struct {
	policy Policy
	in     Input
	status Status
}

// named explains the queue and the class of a name, or returns nil. A queue that has jobs and is not in the policy has a
// name too.
func (e explaining) named(name string) []string {
	var lines []string
	for _, view := range e.status.Decision.Queues {
		if view.Name == name {
			lines = e.queue(view)
		}
	}
	if lines == nil {
		lines = e.strangeQueue(name)
	}
	for _, view := range e.status.Decision.Classes {
		if view.Name == name {
			lines = append(lines, e.class(view)...)
		}
	}
	return lines
}

// class tells whether VMs of a class are made.
func (e explaining) class(view ClassView) []string {
	lines := []string{
		fmt.Sprintf("class %s of cloud %s has %s", view.Name, view.Cloud, firstNonEmpty(stateCounts(view.States), "no VMs")),
		fmt.Sprintf("%d of at most %d VMs of it are on their way", view.InFlight, view.Ramp),
	}
	if view.Buffer > 0 {
		lines = append(lines, fmt.Sprintf("its buffer is to have %d VMs", view.Buffer))
	}
	for _, state := range slices.Sorted(maps.Keys(view.Limits)) {
		lines = append(lines, fmt.Sprintf("as its last VMs have shown, one that is %s for %s is given up", state, seconds(view.Limits[state])))
	}
	if view.Off == "" {
		lines = append(lines, "it can be made")
	}
	return append(append(lines, e.rest(view)...), e.breaker(view.Cloud)...)
}

// rest tells why nothing is made of a class, and until when, or nothing.
func (e explaining) rest(view ClassView) []string {
	switch {
	case view.Off == "":
		return nil
	case view.Until.IsZero():
		return []string{fmt.Sprintf("nothing is made of class %s: %s", view.Name, view.Off)}
	}
	return []string{fmt.Sprintf("nothing is made of class %s until %s, in %s: %s", view.Name, view.Until.UTC().Format(time.RFC3339),
		waited(max(view.Until.Sub(e.status.Now), 0)), view.Off)}
}

// breaker tells whether a cloud is asked, if it is not.
func (e explaining) breaker(cloud string) []string {
	for _, b := range e.status.Breakers {
		if b.Cloud == cloud && b.State != BreakerClosed {
			return []string{fmt.Sprintf("the circuit breaker of cloud %s is %s after %d failures in a row: %s", cloud, b.State, b.Failures, b.Reason)}
		}
	}
	return nil
}

// doubts tells why the pool does not move.
func (e explaining) doubts() []string {
	var lines []string
	if d := e.status.Decision; len(d.Frozen) > 0 {
		lines = append(lines, "nothing is shrunk: "+strings.Join(d.Frozen, "; "))
	}
	if d := e.status.Decision; len(d.Blind) > 0 {
		lines = append(lines, "nothing is grown: "+strings.Join(d.Blind, "; "))
	}
	if e.status.Error != "" {
		lines = append(lines, "the last cycle failed: "+e.status.Error)
	}
	return lines
}

// stateCounts writes how many VMs are in each state, in the order of a VM's life.
func stateCounts(states map[VMState]int) string {
	var words []string
	for _, state := range []VMState{
		Planned, Requested, Building, Booted, Starting, Warm, Joining, Joined, Draining, Stopping, Stopped, Deleting, Failed, Lost, Orphaned, Stranded, Degraded,
	} {
		if n := states[state]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(words, ", ")
}

func seconds(s float64) string { return waited(time.Duration(s * float64(time.Second))) }

func amounts(r Resources) string {
	parts := make([]string, 0, len(r))
	for _, name := range sortedKeys(r) {
		parts = append(parts, fmt.Sprintf("%d %s", r[name], name))
	}
	return firstNonEmpty(strings.Join(parts, ", "), "nothing")
}

func firstNonEmpty(texts ...string) string {
	at := slices.IndexFunc(texts, func(text string) bool { return text != "" })
	if at < 0 {
		return ""
	}
	return texts[at]
}
