package quota_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// world is a pool with honest clients: they launch VMs only of leases they were told of, and in their time.
type world struct {
	ledger   *quota.Ledger
	queues   []quota.LedgerQueue
	now      time.Time
	capacity int
	running  map[string]int
	appeared map[string]map[string]int // since the last observation, by queue and class
	exact    bool                      // the controller tells which VMs appeared
	promised map[string]*quota.Lease   // what clients still believe in
	told     []string                  // its keys in the order of the grants; names of leases are random

	journal  []quota.Event
	broken   int // 1: the next record fails, 2: it fails and is written all the same
	diverged bool
}

var errBroken = errors.New("the journal is broken")

func (w *world) persist(e quota.Event) error {
	broken := w.broken
	w.broken = 0
	if broken != 1 {
		w.journal = append(w.journal, e)
	}
	if broken != 0 {
		w.diverged = w.diverged || broken == 2
		return errBroken
	}
	return nil
}

func newWorld(t *rapid.T) *world {
	w := &world{
		queues: []quota.LedgerQueue{
			{Name: "a", Max: quota.NoMax, Reserve: time.Minute}, {Name: "b", Max: 12, Reserve: 5 * time.Minute}, {Name: "c", Max: 3, Reserve: 0},
		},
		now: start, capacity: evenly(t, "capacity", 5, 25), exact: rapid.Bool().Draw(t, "exact"),
		running: map[string]int{}, appeared: map[string]map[string]int{}, promised: map[string]*quota.Lease{},
	}
	w.restart(t)
	return w
}

// evenly draws without rapid's liking for small numbers, with which hardly anything would ever happen in a pool.
func evenly(t *rapid.T, label string, least, most int) int {
	numbers := make([]int, 0, most-least+1)
	for n := least; n <= most; n++ {
		numbers = append(numbers, n)
	}
	return rapid.SampledFrom(numbers).Draw(t, label)
}

// restart is a crash at any point between two calls.
func (w *world) restart(t *rapid.T) {
	l, err := quota.NewLedger(w.queues, w.persist)
	require.NoError(t, err)
	for _, e := range w.journal {
		require.NoError(t, l.Replay(e))
	}
	if w.ledger != nil && !w.diverged {
		require.Empty(t, cmp.Diff(w.ledger.Snapshot(), l.Snapshot(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(quota.Snapshot{}, "Seq")))
	}
	w.ledger, w.diverged, w.appeared = l, false, map[string]map[string]int{}
}

// draw draws a queue.
func (w *world) draw(t *rapid.T) quota.LedgerQueue {
	return rapid.SampledFrom(w.queues).Draw(t, "queue")
}

func (w *world) ask(t *rapid.T) {
	q, class := w.draw(t), rapid.SampledFrom([]string{"", "cpu", "gpu"}).Draw(t, "class")
	want, ttl := evenly(t, "want", -1, 15), time.Duration(evenly(t, "ttl", 0, 400))*time.Second
	lease, a, err := w.ledger.Ask(w.now, q.Name, class, want, ttl)
	require.True(t, err == nil || errors.Is(err, errBroken), "%v", err)
	require.Equal(t, lease.Units, a.Available)
	require.LessOrEqual(t, lease.Units, max(0, want))
	if err == nil && lease.ID != "" && evenly(t, "answer lost", 0, 9) > 0 {
		w.promised[lease.ID] = &lease
		w.told = append(w.told, lease.ID)
	}
}

// lease draws one that a client believes in.
func (w *world) lease(t *rapid.T) *quota.Lease {
	w.told = slices.DeleteFunc(w.told, func(id string) bool { return w.promised[id] == nil })
	if len(w.told) == 0 {
		t.Skip("nobody has a lease")
	}
	return w.promised[w.told[evenly(t, "lease", 0, len(w.told)-1)]]
}

func (w *world) launch(t *rapid.T) {
	lease := w.lease(t)
	if !w.now.Before(lease.Expires) {
		delete(w.promised, lease.ID)
		return
	}
	n := evenly(t, "n", 1, lease.Units)
	w.running[lease.Queue] += n
	if w.appeared[lease.Queue] == nil {
		w.appeared[lease.Queue] = map[string]int{}
	}
	w.appeared[lease.Queue][lease.Class] += n
	if lease.Units -= n; lease.Units == 0 {
		delete(w.promised, lease.ID)
	}
}

func (w *world) release(t *rapid.T) {
	lease := w.lease(t)
	delete(w.promised, lease.ID) // whatever the answer is, it is not used any more
	_, err := w.ledger.Release(w.now, lease.Queue, lease.ID)
	require.True(t, err == nil || errors.Is(err, errBroken) || errors.Is(err, quota.ErrUnknownLease), "%v", err)
}

// releaseSome gives back VMs of one queue that were not launched. The client thinks of any of its leases.
func (w *world) releaseSome(t *rapid.T) {
	q := w.draw(t)
	n := evenly(t, "n", 0, 5)
	given := 0
	for _, id := range w.told {
		lease := w.promised[id]
		if lease == nil || lease.Queue != q.Name || !w.now.Before(lease.Expires) {
			continue
		}
		units := min(evenly(t, "units", 0, lease.Units), n-given)
		given += units
		if lease.Units -= units; lease.Units == 0 {
			delete(w.promised, id)
		}
	}
	_, err := w.ledger.ReleaseUnits(w.now, q.Name, given)
	require.True(t, err == nil || errors.Is(err, errBroken), "%v", err)
}

func (w *world) vanish(t *rapid.T) {
	q := w.draw(t)
	w.running[q.Name] = max(0, w.running[q.Name]-evenly(t, "n", 1, 5))
}

func (w *world) observe(t *rapid.T) {
	usage := map[string]quota.Usage{}
	for _, q := range w.queues {
		u := quota.Usage{Running: w.running[q.Name], Fair: evenly(t, "fair", 0, 25)}
		if w.exact {
			u.Appeared = map[string]int{}
			maps.Copy(u.Appeared, w.appeared[q.Name])
		}
		usage[q.Name] = u
	}
	err := w.ledger.Observe(w.now, w.capacity, usage)
	require.True(t, err == nil || errors.Is(err, errBroken), "%v", err)
	w.appeared = map[string]map[string]int{}
}

// check is that nobody was promised what is not there.
func (w *world) check(t *rapid.T) {
	sum := 0
	for _, q := range w.queues {
		own := w.running[q.Name]
		for _, lease := range w.promised {
			if lease.Queue == q.Name && w.now.Before(lease.Expires) {
				own += lease.Units
			}
		}
		require.True(t, q.Max == quota.NoMax || own <= q.Max, "queue %s has or may launch %d VMs", q.Name, own)
		sum += own
	}
	require.LessOrEqual(t, sum, w.capacity, "VMs and promises are more than the capacity")
}

func TestLedgerPromisesOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"ask": w.ask, "ask again": w.ask, "launch": w.launch, "launch again": w.launch, "look again": w.observe, "release": w.release, "release some": w.releaseSome, "vanish": w.vanish, "observe": w.observe,
			"crash": func(t *rapid.T) { w.restart(t); w.observe(t) },
			"break": func(t *rapid.T) { w.broken = rapid.IntRange(1, 2).Draw(t, "how") },
			"advance": func(t *rapid.T) {
				w.now = w.now.Add(time.Duration(evenly(t, "seconds", 1, 200)) * time.Second)
			},
			"": w.check,
		})
		// When all leases have run out, the ledger knows what is free to the last VM.
		w.broken, w.now = 0, w.now.Add(time.Hour)
		usage := map[string]quota.Usage{"a": {Running: w.running["a"], Fair: 99}, "b": {Running: w.running["b"]}, "c": {Running: w.running["c"]}}
		require.NoError(rt, w.ledger.Observe(w.now, w.capacity, usage))
		require.Empty(rt, w.ledger.Leases())
		a, err := w.ledger.Query("a")
		require.NoError(rt, err)
		require.Equal(rt, w.capacity-w.running["a"]-w.running["b"]-w.running["c"], a.Available)
	})
}
