package condor

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Values of JobStatus and JobUniverse: condor_includes/proc.h and condor_universe.h of HTCondor.
const (
	statusIdle, statusRunning, statusRemoved, statusCompleted = 1, 2, 3, 4
	statusHeld, statusTransferring, statusSuspended           = 5, 6, 7
	universeScheduler, universeGrid, universeParallel         = 7, 9, 11
	universeLocal                                             = 12
)

// row is a number of equal jobs as a tool printed them.
type row struct {
	queue    string
	status   int64
	universe int64
	hosts    int64    // that each job takes, in the parallel universe
	amounts  []int64  // by request, in HTCondor's units; -1: not there
	requires []string // by request
	runtime  int64    // in units of Config.RuntimeUnit; 0: unknown
	count    int
	hidden   bool   // not yet materialised
	never    bool   // its requests have no value, so that no slot will ever match
	id       string // of one of them, the first if it can be told
	queued   int64  // when that one was submitted; 0: unknown
}

// tally sums rows up to groups of jobs that ask for the same in the same queue.
type tally struct {
	pool   *Pool
	source string
	groups map[string]*elasticpool.JobGroup
	first  map[string]string // id of an idle job of a group whose age is not known
	key    []byte
}

func (p *Pool) newTally(source string) *tally {
	return &tally{pool: p, source: source, groups: map[string]*elasticpool.JobGroup{}, first: map[string]string{}}
}

// add counts a row. Jobs that never take a slot of a worker, and those that are leaving the queue, count nothing.
func (t *tally) add(r row) {
	const most = 1 << 31 // users write such numbers into their jobs
	r.count = min(r.count, most)
	switch r.universe {
	case universeScheduler, universeGrid, universeLocal:
		return
	case universeParallel:
		r.count *= int(min(max(1, r.hosts), most))
	}
	if r.status == statusRemoved || r.status == statusCompleted || r.count <= 0 {
		return
	}
	key := t.keyOf(r)
	group, ok := t.groups[string(key)]
	if !ok {
		group = t.pool.groupOf(r, t.source)
		t.groups[string(key)] = group
	}
	t.count(group, r, string(key))
}

func (t *tally) count(group *elasticpool.JobGroup, r row, key string) {
	const shown = 3
	if len(group.Jobs) < shown && r.id != "" {
		group.Jobs = append(group.Jobs, r.id)
	}
	switch {
	case r.never || r.status == statusHeld:
		group.Held += r.count
	case r.hidden:
		group.Hidden += r.count
	case slices.Contains([]int64{statusRunning, statusTransferring, statusSuspended}, r.status):
		group.Running += r.count
	case r.status == statusIdle:
		group.Idle += r.count
		t.noteFirst(key, r)
		t.aged(group, r.queued)
	}
}

// noteFirst remembers the first of a group's jobs if it is not known since when it waits.
func (t *tally) noteFirst(key string, r row) {
	if first := t.first[key]; r.queued == 0 && r.id != "" && (first == "" || compareIDs(r.id, first) < 0) {
		t.first[key] = r.id
	}
}

// aged keeps the time of the oldest idle job.
func (*tally) aged(group *elasticpool.JobGroup, queued int64) {
	if at := time.Unix(queued, 0); queued > 0 && (group.Oldest.IsZero() || at.Before(group.Oldest)) {
		group.Oldest = at
	}
}

// keyOf tells apart what groups tell apart. The result is good until the next call.
func (t *tally) keyOf(r row) []byte {
	key := append(t.key[:0], r.queue...)
	key = append(key, 0)
	for _, amount := range r.amounts {
		key = binary.AppendVarint(key, amount)
	}
	for _, require := range r.requires {
		key = append(append(key, require...), 0)
	}
	t.key = binary.AppendVarint(key, r.runtime)
	return t.key
}

// groupOf returns the empty group that the row's jobs belong to.
func (p *Pool) groupOf(r row, source string) *elasticpool.JobGroup {
	group := &elasticpool.JobGroup{
		Queue: p.queueOf(r.queue), Source: source, Request: elasticpool.Resources{},
		Runtime: times(p.config.RuntimeUnit.D(), r.runtime),
	}
	for i, ask := range p.requests {
		amount := r.amounts[i]
		if amount < 0 {
			amount = ask.least * ask.unit
		}
		amount = amount/ask.unit + min(1, amount%ask.unit)
		if amount > 0 {
			group.Request[ask.resource] = amount
		}
		if amount > 0 && r.requires[i] != "" {
			if group.Require == nil {
				group.Require = map[string]string{}
			}
			group.Require[ask.resource] = r.requires[i]
		}
	}
	return group
}

// times returns n units, within what a duration holds; unknown stays unknown.
func times(unit time.Duration, n int64) time.Duration {
	const most = 1<<63 - 1
	if n <= 0 || unit <= 0 {
		return 0
	}
	if n > most/int64(unit) {
		return most
	}
	return time.Duration(n) * unit
}

// list returns the groups, ordered by queue and request so that equal queues give equal lists.
func (t *tally) list() []elasticpool.JobGroup {
	groups := make([]elasticpool.JobGroup, 0, len(t.groups))
	for _, key := range slices.Sorted(maps.Keys(t.groups)) {
		groups = append(groups, *t.groups[key])
	}
	return groups
}
