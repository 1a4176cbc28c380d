package condor

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// roster puts workers together out of the ads of their slots and masters.
type roster struct {
	pool      *Pool
	now       time.Time
	workers   map[string]*elasticpool.Worker // by VM
	busy      map[string]bool                // a slot is claimed, or is about to be
	unbound   map[string]bool                // it has the binding's attribute, and no queue in it
	collector bool                           // its ad was there
	since     time.Duration
}

func newRoster(p *Pool, now time.Time) *roster {
	return &roster{
		pool: p, now: now, workers: map[string]*elasticpool.Worker{}, busy: map[string]bool{}, unbound: map[string]bool{},
	}
}

// add takes one ad.
func (r *roster) add(a ad) {
	switch a.text("MyType") {
	case "Collector":
		r.collector = true
		r.since = r.collectorAge(a)
	case "DaemonMaster":
		if w := r.worker(a); !w.Joined {
			w.Name, w.Heard = a.text("Name"), at(a, "LastHeardFrom")
		}
	case "Machine":
		r.slot(r.worker(a), a)
	}
}

// collectorAge returns how long the collector has been up. It writes that into its own ad now and then: the ad's
// time is counted too. It is never 0, which means unknown.
func (r *roster) collectorAge(a ad) time.Duration {
	lifetime, ok := a.number("StatsLifetime")
	if !ok {
		return 0
	}
	age := time.Duration(lifetime) * time.Second
	if written := at(a, "StatsLastUpdateTime"); !written.IsZero() {
		age += max(0, r.now.Sub(written))
	}
	return max(age, 1)
}

func (r *roster) worker(a ad) *elasticpool.Worker {
	vm := a.text("ElasticVM")
	w, ok := r.workers[vm]
	if !ok {
		w = &elasticpool.Worker{VM: vm}
		r.workers[vm] = w
	}
	return w
}

// slot adds a slot to its worker.
func (r *roster) slot(w *elasticpool.Worker, a ad) {
	if !w.Joined {
		*w = elasticpool.Worker{VM: w.VM, Joined: true, Total: elasticpool.Resources{}, Free: elasticpool.Resources{}}
	}
	_, w.Name, _ = strings.Cut(a.text("Name"), "@")
	if heard := at(a, "LastHeardFrom"); heard.After(w.Heard) {
		w.Heard = heard
	}
	if queue, ok := a.get("ElasticQueue").(string); ok {
		w.Queue = r.pool.queueOf(queue)
		r.unbound[w.VM] = queue == ""
	}
	w.Draining = w.Draining || a.truth("Draining")
	dynamic := a.text("SlotType") == "Dynamic"
	if !dynamic {
		r.capacity(w, a)
	}
	if state := a.text("State"); state == "Claimed" || state == "Preempting" || state == "Matched" {
		r.busy[w.VM] = true
		if job, ok := r.job(w, a); ok {
			w.Jobs = append(w.Jobs, job)
		}
	}
	for _, name := range []string{"DaemonStartTime", "NumDynamicSlotsTime", "EnteredCurrentActivity"} {
		if when := at(a, name); when.After(w.IdleSince) {
			w.IdleSince = when
		}
	}
}

// capacity adds what a slot has and what of it is left. A partitionable slot's own attributes are what is left of it;
// the slots cut from it are not added. A static slot is free as a whole or not at all.
func (r *roster) capacity(w *elasticpool.Worker, a ad) {
	partitionable := a.text("SlotType") == "Partitionable" || a.truth("PartitionableSlot")
	taken := !partitionable && a.text("State") != "Unclaimed" && a.text("State") != "Owner"
	for _, ask := range r.pool.requests {
		left := a.integer(ask.slot)
		total, ok := a.number("TotalSlot" + ask.slot)
		if !ok {
			total = left
		}
		if devices, ok := a.get("Available" + ask.slot).([]any); ok {
			left = min(left, int64(len(devices))) // those that have failed are not available
		}
		if taken {
			left = 0
		}
		set(w.Total, ask, total)
		set(w.Free, ask, left)
	}
}

// set adds an amount in HTCondor's units, rounded down.
func set(resources elasticpool.Resources, ask request, amount int64) {
	if amount /= ask.unit; amount > 0 {
		resources[ask.resource] += amount
	}
}

// job returns the job on a claimed slot, if there is one.
func (r *roster) job(w *elasticpool.Worker, a ad) (elasticpool.Job, bool) {
	id := a.text("JobId")
	if id == "" {
		return elasticpool.Job{}, false
	}
	source, _, _ := strings.Cut(a.text("GlobalJobId"), "#")
	runtime, _ := a.number(r.pool.config.Runtime)
	since := at(a, "JobStart")
	if since.IsZero() {
		since = at(a, "EnteredCurrentActivity")
	}
	return elasticpool.Job{
		ID: id, Source: source, Since: since, Queue: cmp.Or(r.pool.jobQueue(a), w.Queue), Runtime: times(r.pool.config.RuntimeUnit.D(), runtime),
	}, true
}

// jobQueue returns the queue of the job on a slot: the slot has the job's attribute if STARTD_JOB_ATTRS names it,
// otherwise its owner or accounting group tell.
func (p *Pool) jobQueue(a ad) string {
	value := a.text(p.config.Queue)
	if value == "" {
		switch strings.ToLower(p.config.Queue) {
		case "acctgroup": // group_juno.alice@example.org
			value = a.text("AccountingGroup")
			value = value[:max(0, strings.LastIndexByte(value[:max(0, strings.LastIndexByte(value, '@'))], '.'))]
		case "owner":
			value, _, _ = strings.Cut(a.text("RemoteOwner"), "@")
		}
	}
	return p.queueOf(value)
}

// at returns a time of an ad; zero if it is not there.
func at(a ad, name string) time.Time {
	seconds, ok := a.number(name)
	if !ok || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// list returns the workers by VM.
func (r *roster) list() []elasticpool.Worker {
	list := make([]elasticpool.Worker, 0, len(r.workers))
	for _, vm := range slices.Sorted(maps.Keys(r.workers)) {
		w := r.workers[vm]
		if r.unbound[vm] && !r.busy[vm] && !w.Draining {
			*w = elasticpool.Worker{VM: vm, Name: w.Name, Heard: w.Heard} // it serves nobody: it is warm
		}
		if w.Joined && w.IdleSince.IsZero() {
			w.IdleSince = w.Heard
		}
		if r.busy[vm] {
			w.IdleSince = time.Time{}
		}
		if stale := r.now.Sub(w.Heard) > 2*r.pool.config.Interval.D(); stale || w.Draining {
			w.Free = nil // it gives nothing any more
		}
		slices.SortFunc(w.Jobs, func(a, b elasticpool.Job) int {
			return cmp.Or(cmp.Compare(a.Source, b.Source), compareIDs(a.ID, b.ID))
		})
		list = append(list, *w)
	}
	return list
}
