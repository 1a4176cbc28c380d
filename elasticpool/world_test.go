package elasticpool_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// world is a small pool for tests of the controller: one cloud, and workers that do what they are told at once. Time is
// a number that step moves.
type world struct {
	t       *testing.T
	c       *elasticpool.Controller
	now     time.Time
	jobs    []elasticpool.JobGroup
	jobsErr string
	servers map[string]*elasticpool.Server // by VM
	workers map[string]*elasticpool.Worker
	total   elasticpool.Resources
	short   bool // the cloud's list is not complete
	hide    bool // the cloud shows no server
	mute    bool // the batch system answers with no workers
	young   time.Duration
	fail    map[elasticpool.ActionKind]string // error words by kind of action
	ghosts  bool                              // a failed create makes the server all the same
	slow    bool                              // servers stay building
	pending []elasticpool.Outcome
	history []elasticpool.Action
	last    elasticpool.Decision
	next    elasticpool.Input        // commands and the like for the next step
	bend    func(*elasticpool.Input) // changes what the sensors see
}

const step = 15 * time.Second

var dawn = time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)

// policy is a pool with one cloud, one class of one-CPU VMs, and the queues of the slides.
func policy() elasticpool.Policy {
	return elasticpool.Policy{
		Pool:   "physics",
		Queues: []elasticpool.Queue{{Name: "lhaaso"}, {Name: "juno"}},
		Classes: []elasticpool.Class{{
			Name: "small", Cloud: "main", Takes: elasticpool.Resources{"cpus": 1}, Slot: elasticpool.Resources{"cpus": 1, "memory_mb": 2048},
		}},
		Clouds: []elasticpool.Cloud{{Name: "main"}},
	}
}

func newWorld(t *testing.T, p elasticpool.Policy) *world {
	t.Helper()
	c, err := elasticpool.NewController(p, elasticpool.State{Generation: 1})
	require.NoError(t, err)
	return &world{
		t: t, c: c, now: dawn, servers: map[string]*elasticpool.Server{}, workers: map[string]*elasticpool.Worker{},
		total: elasticpool.Resources{"vms": 10, "cpus": 100}, fail: map[elasticpool.ActionKind]string{}, young: time.Hour,
	}
}

// waiting is a group of idle jobs of one CPU.
func waiting(queue string, n int) elasticpool.JobGroup {
	return elasticpool.JobGroup{Queue: queue, Request: elasticpool.Resources{"cpus": 1, "memory_mb": 1024}, Idle: n, Oldest: dawn.Add(-time.Hour)}
}

// input is what the sensors see now.
func (w *world) input() elasticpool.Input {
	in := w.next
	w.next = elasticpool.Input{}
	in.Now = w.now
	in.Jobs = map[string]elasticpool.Seen[[]elasticpool.JobGroup]{"schedd": {Value: slices.Clone(w.jobs), At: w.now, Tried: w.now, Err: w.jobsErr}}
	view := elasticpool.CloudView{Complete: !w.short, Limits: elasticpool.Limits{Total: w.total.Clone(), Free: w.total.Clone()}}
	for _, vm := range sorted(w.servers) {
		if w.hide {
			break
		}
		server := *w.servers[vm]
		view.Servers = append(view.Servers, server)
		if class := w.class(server.Class); class != nil {
			for resource, amount := range class.Takes {
				if _, limited := view.Limits.Free[resource]; limited {
					view.Limits.Free[resource] -= amount
				}
			}
		}
	}
	in.Clouds = map[string]elasticpool.Seen[elasticpool.CloudView]{"main": {Value: view, At: w.now, Tried: w.now}}
	workers := elasticpool.Workers{Since: w.young, Interval: 10 * time.Second}
	for _, vm := range sorted(w.workers) {
		if !w.mute {
			w.workers[vm].Heard = w.now
			workers.List = append(workers.List, *w.workers[vm])
		}
	}
	in.Workers = elasticpool.Seen[elasticpool.Workers]{Value: workers, At: w.now, Tried: w.now}
	in.Outcomes, w.pending = w.pending, nil
	if w.bend != nil {
		w.bend(&in)
	}
	return in
}

func (w *world) class(name string) *elasticpool.Class {
	for _, class := range w.c.Policy().Classes {
		if class.Name == name {
			return &class
		}
	}
	return nil
}

// step lets the controller decide once and does what it says.
func (w *world) step() elasticpool.Decision {
	w.t.Helper()
	w.now = w.now.Add(step)
	w.live()
	w.last = w.c.Decide(w.input())
	for _, action := range w.last.Actions {
		w.history = append(w.history, action)
		word := w.fail[action.Kind]
		if word == "" {
			word = w.impossible(action)
		}
		outcome := elasticpool.Outcome{Action: action, Error: word, Detail: word}
		if word == "" || w.ghosts {
			outcome.Server = w.do(action)
		}
		w.pending = append(w.pending, outcome)
	}
	return w.last
}

func (w *world) steps(n int) {
	w.t.Helper()
	for range n {
		w.step()
	}
}

// live moves servers and workers on: a server boots within a step.
func (w *world) live() {
	for vm, server := range w.servers {
		switch server.Status {
		case elasticpool.ServerBuilding:
			if !w.slow {
				server.Status = elasticpool.ServerActive
			}
		case elasticpool.ServerActive:
			if w.workers[vm] == nil {
				w.workers[vm] = &elasticpool.Worker{VM: vm, Name: vm + ".test"}
			}
		case elasticpool.ServerDeleting:
			delete(w.servers, vm)
		}
	}
	for vm := range w.workers {
		if s := w.servers[vm]; s == nil || s.Status != elasticpool.ServerActive {
			delete(w.workers, vm)
		}
	}
}

// impossible is why an action cannot be done: what it is about is gone.
func (w *world) impossible(a elasticpool.Action) string {
	switch a.Kind {
	case elasticpool.ActJoin, elasticpool.ActBind, elasticpool.ActDrain, elasticpool.ActCancelDrain:
		if w.workers[a.VM] == nil {
			return "no_worker"
		}
	case elasticpool.ActStop, elasticpool.ActStart:
		if w.servers[a.VM] == nil {
			return "transient"
		}
	}
	return ""
}

// do carries out an action.
func (w *world) do(a elasticpool.Action) string {
	worker := w.workers[a.VM]
	switch a.Kind {
	case elasticpool.ActCreate:
		require.NotContains(w.t, w.servers, a.VM, "a VM is made once")
		w.servers[a.VM] = &elasticpool.Server{ID: "s-" + a.VM, VM: a.VM, Pool: "physics", Class: a.Class, Queue: a.Queue, Generation: 1, Status: elasticpool.ServerBuilding, Created: w.now}
		return "s-" + a.VM
	case elasticpool.ActJoin:
		worker.Joined, worker.Queue = true, a.Queue
		worker.Total = w.class(a.Class).Slot.Clone()
		worker.Free = worker.Total.Clone()
	case elasticpool.ActBind:
		worker.Queue = a.Queue
	case elasticpool.ActDrain:
		worker.Draining = true
		if len(worker.Jobs) == 0 {
			worker.Joined, worker.Draining = false, false
		}
	case elasticpool.ActCancelDrain:
		worker.Draining = false
	case elasticpool.ActDelete:
		if s := w.servers[a.VM]; s != nil {
			s.Status = elasticpool.ServerDeleting
		}
	case elasticpool.ActStop:
		w.servers[a.VM].Status = elasticpool.ServerStopped
	case elasticpool.ActStart:
		w.servers[a.VM].Status = elasticpool.ServerActive
	case elasticpool.ActFree:
		delete(w.workers, a.VM)
	}
	return ""
}

// run starts waiting jobs on free workers of their queue.
func (w *world) run() {
	for i := range w.jobs {
		g := &w.jobs[i]
		for _, vm := range sorted(w.workers) {
			worker := w.workers[vm]
			for g.Idle > 0 && worker.Joined && !worker.Draining && worker.Queue == g.Queue && worker.Free.Covers(g.Request) {
				worker.Free = worker.Free.Minus(g.Request)
				worker.Jobs = append(worker.Jobs, elasticpool.Job{ID: fmt.Sprintf("%d.%d", i, g.Running), Queue: g.Queue, Since: w.now})
				g.Idle--
				g.Running++
			}
		}
	}
}

// finish ends all jobs of a VM.
func (w *world) finish(vm string) {
	worker := w.workers[vm]
	worker.Jobs, worker.Free = nil, worker.Total.Clone()
}

func (w *world) states() map[elasticpool.VMState]int {
	n := map[elasticpool.VMState]int{}
	for _, vm := range w.c.State().VMs {
		n[vm.State]++
	}
	return n
}

// actions counts what was done so far, by kind.
func (w *world) actions(kind elasticpool.ActionKind) int {
	n := 0
	for _, a := range w.history {
		if a.Kind == kind {
			n++
		}
	}
	return n
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
