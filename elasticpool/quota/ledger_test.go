package quota_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// start is the time at which tests without a clock of their own begin.
var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// slides are the queues of VCondor's slides.
func slides() []quota.LedgerQueue {
	return []quota.LedgerQueue{
		{Name: "LHAASO", Min: 100, Max: 400, Reserve: 600 * time.Second},
		{Name: "juno", Min: 100, Max: 400, Reserve: 300 * time.Second},
	}
}

// newLedger returns a ledger over the slides' queues that has seen the pool once.
func newLedger(t *testing.T, capacity int, usage map[string]quota.Usage) *quota.Ledger {
	t.Helper()
	l, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	require.NoError(t, l.Observe(start, capacity, usage))
	return l
}

// due is a usage where both queues are due everything.
func due(lhaaso, juno int) map[string]quota.Usage {
	return map[string]quota.Usage{"LHAASO": {Running: lhaaso, Fair: 1000}, "juno": {Running: juno, Fair: 1000}}
}

// ask leases and returns what was leased.
func ask(t *testing.T, l *quota.Ledger, at time.Time, queue string, want int) quota.Lease {
	t.Helper()
	lease, a, err := l.Ask(at, queue, "", want, 0)
	require.NoError(t, err)
	assert.Equal(t, lease.Units, a.Available)
	return lease
}

// available returns what the queue could lease now.
func available(t *testing.T, l *quota.Ledger, queue string) int {
	t.Helper()
	a, err := l.Query(queue)
	require.NoError(t, err)
	return a.Available
}

func TestNewLedgerRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		queues []quota.LedgerQueue
		want   string
	}{
		{"a queue without a name", []quota.LedgerQueue{{Name: " "}}, "a queue has no name"},
		{"a queue that is there twice", []quota.LedgerQueue{{Name: "a"}, {Name: "a"}}, `queue "a" is there twice`},
		{"a floor below zero", []quota.LedgerQueue{{Name: "a", Min: -1}}, "min -1 is negative"},
		{"a ceiling below zero", []quota.LedgerQueue{{Name: "a", Max: -2}}, "max -2 is negative"},
		{"a ceiling below the floor", []quota.LedgerQueue{{Name: "a", Min: 3, Max: 2}}, "max 2 is below min 3"},
		{"a reservation time below zero", []quota.LedgerQueue{{Name: "a", Reserve: -1}}, "reservation time -1ns is negative"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := quota.NewLedger(tt.queues, nil)
			require.ErrorIs(t, err, quota.ErrConfig)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestLedgerQueueOf(t *testing.T) {
	t.Parallel()
	open := quota.LedgerQueueOf(quota.Queue{Name: "a", Min: quota.Resources{quota.VMs: 2}}, time.Minute)
	assert.Equal(t, quota.LedgerQueue{Name: "a", Min: 2, Max: quota.NoMax, Reserve: time.Minute}, open)
	closed := quota.LedgerQueueOf(quota.Queue{Name: "a", Max: quota.Resources{quota.VMs: 0, quota.CPUs: 4}}, 0)
	assert.Equal(t, quota.LedgerQueue{Name: "a"}, closed)
}

func TestAskIsLimited(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		capacity int
		usage    map[string]quota.Usage
		earlier  int // leased by juno before
		want, n  int
	}{
		{"by the need", 1000, due(0, 0), 0, 7, 7},
		{"by the ceiling", 1000, due(390, 0), 0, 50, 10},
		{"by the fair target", 1000, map[string]quota.Usage{"LHAASO": {Running: 20, Fair: 25}}, 0, 50, 5},
		{"by the capacity", 100, due(60, 30), 0, 50, 10},
		{"by the leases of others", 100, due(60, 30), 4, 50, 6},
		{"to nothing without a need", 1000, due(0, 0), 0, 0, 0},
		{"to nothing with a senseless need", 1000, due(0, 0), 0, -3, 0},
		{"to nothing above the fair target", 1000, map[string]quota.Usage{"LHAASO": {Running: 20, Fair: 5}}, 0, 50, 0},
		{"to nothing in a pool that shrank", 10, due(60, 30), 0, 50, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, tt.capacity, tt.usage)
			if tt.earlier > 0 {
				require.Equal(t, tt.earlier, ask(t, l, start, "juno", tt.earlier).Units)
			}
			lease := ask(t, l, start, "LHAASO", tt.want)
			assert.Equal(t, tt.n, lease.Units)
			assert.Equal(t, tt.n > 0, lease.ID != "", "only a lease of something has a name")
		})
	}
}

func TestLeaseTimes(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 100, due(0, 0))
	for _, tt := range []struct{ ttl, want time.Duration }{
		{0, 300 * time.Second}, {time.Minute, time.Minute}, {time.Hour, 300 * time.Second}, {-1, 300 * time.Second},
	} {
		lease, _, err := l.Ask(start, "juno", "", 1, tt.ttl)
		require.NoError(t, err)
		assert.Equal(t, start.Add(tt.want), lease.Expires)
	}
}

func TestLedgerNeverSawThePool(t *testing.T) {
	t.Parallel()
	l, err := quota.NewLedger(slides(), nil)
	require.NoError(t, err)
	assert.Empty(t, ask(t, l, start, "juno", 5).ID, "nothing is known, so nothing is promised")
}

func TestQueueNames(t *testing.T) {
	t.Parallel()
	l, err := quota.NewLedger([]quota.LedgerQueue{{Name: "juno", Max: 1}, {Name: "CEPC", Max: 2}, {Name: "cepc", Max: 3}}, nil)
	require.NoError(t, err)
	tests := []struct {
		asked, found string
		err          error
	}{
		{"juno", "juno", nil},
		{"JUNO", "juno", nil},
		{"cepc", "cepc", nil},
		{"CEPC", "CEPC", nil},
		{"Cepc", "Cepc", quota.ErrAmbiguousQueue},
		{"jun", "jun", quota.ErrUnknownQueue}, // VCondor matches groups by substring
		{"junorun", "junorun", quota.ErrUnknownQueue},
		{"", "", quota.ErrUnknownQueue},
	}
	for _, tt := range tests {
		t.Run(tt.asked, func(t *testing.T) {
			t.Parallel()
			a, err := l.Query(tt.asked)
			require.ErrorIs(t, err, tt.err)
			assert.Equal(t, tt.found, a.Queue)
			lease, a, err := l.Ask(start, tt.asked, "", 1, 0)
			require.ErrorIs(t, err, tt.err)
			assert.Empty(t, lease.ID)
			if tt.err != nil {
				assert.Equal(t, quota.Answer{Queue: tt.asked}, a)
				_, err = l.ReleaseUnits(start, tt.asked, 1)
				require.ErrorIs(t, err, tt.err)
			}
		})
	}
}

func TestVMsUseUpLeases(t *testing.T) {
	t.Parallel()
	gpu := func(running int, appeared map[string]int) map[string]quota.Usage {
		return map[string]quota.Usage{"juno": {Running: running, Fair: 1000, Appeared: appeared}}
	}
	tests := []struct {
		name  string
		usage map[string]quota.Usage
		left  []int // of the leases gpu 3, any 2, cpu 4
	}{
		{"in the order of the grants when nothing is known", gpu(4, nil), []int{0, 1, 4}},
		{"their own class and any", gpu(6, map[string]int{"cpu": 6}), []int{3, 0, 0}},
		{"not those of another class", gpu(9, map[string]int{"cpu": 9}), []int{3, 0, 0}},
		{"unknown ones take what known ones leave", gpu(7, map[string]int{"": 3, "gpu": 4}), []int{0, 0, 2}},
		{"more VMs than leases", gpu(50, nil), []int{0, 0, 0}},
		{"not VMs that came without a lease", gpu(5, map[string]int{}), []int{3, 2, 4}},
		{"not when VMs went", gpu(0, nil), []int{3, 2, 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t, 100, due(0, 0))
			var ids []string
			for _, want := range []struct {
				class string
				n     int
			}{{"gpu", 3}, {"", 2}, {"cpu", 4}} {
				lease, _, err := l.Ask(start, "juno", want.class, want.n, 0)
				require.NoError(t, err)
				ids = append(ids, lease.ID)
			}
			require.NoError(t, l.Observe(start, 100, tt.usage))
			left := map[string]int{}
			for _, le := range l.Leases() {
				left[le.ID] = le.Units
			}
			got := []int{left[ids[0]], left[ids[1]], left[ids[2]]}
			assert.Equal(t, tt.left, got)
		})
	}
}

// Two leases, one VM: were the long lease used up for a VM of the short one, nothing would cover what the long one
// still allows once the short one has lapsed.
func TestVMsUseUpWhatLapsesFirst(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 2, due(0, 0))
	long := ask(t, l, start, "juno", 1)
	_, _, err := l.Ask(start, "juno", "", 1, time.Second)
	require.NoError(t, err)
	require.NoError(t, l.Observe(start.Add(time.Second), 2, due(0, 1)))
	assert.Equal(t, []quota.Lease{long}, l.Leases())
	assert.Zero(t, available(t, l, "LHAASO"))
}

func TestRelease(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 20, due(0, 0))
	first := ask(t, l, start, "juno", 8)
	second := ask(t, l, start.Add(time.Second), "juno", 8)
	other := ask(t, l, start, "LHAASO", 4)
	require.Zero(t, available(t, l, "juno"))

	_, err := l.Release(start, "juno", other.ID)
	require.ErrorIs(t, err, quota.ErrUnknownLease, "a queue cannot give back what another has")
	n, err := l.ReleaseUnits(start, "JUNO", 10)
	require.NoError(t, err)
	assert.Equal(t, 10, n)
	assert.Equal(t, 10, available(t, l, "juno"))
	assert.Equal(t, []string{other.ID, second.ID}, []string{l.Leases()[1].ID, l.Leases()[0].ID}, "what lapses first goes first")
	_, err = l.Release(start, "juno", first.ID)
	require.ErrorIs(t, err, quota.ErrUnknownLease, "it is used up")
	n, err = l.Release(start, "juno", second.ID)
	require.NoError(t, err)
	assert.Equal(t, 6, n)
	_, err = l.Release(start, "juno", second.ID)
	require.ErrorIs(t, err, quota.ErrUnknownLease, "it is over")
	n, err = l.ReleaseUnits(start, "juno", 99)
	require.NoError(t, err)
	assert.Zero(t, n)
}

// Who ends a lease may have launched some of its VMs a moment ago.
func TestReleasedLeaseIsFreeWhenSomebodyHasLooked(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 10, due(0, 0))
	lease := ask(t, l, start, "juno", 10)
	at := start.Add(time.Minute)
	_, err := l.Release(at, "juno", lease.ID)
	require.NoError(t, err)
	require.NoError(t, l.Observe(at.Add(-time.Second), 10, due(0, 0)), "what was seen before says nothing")
	assert.Zero(t, available(t, l, "LHAASO"))
	require.NoError(t, l.Observe(at, 10, due(0, 3)))
	assert.Equal(t, 7, available(t, l, "LHAASO"))
}

func TestSetQueues(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 20, due(0, 0))
	ask(t, l, start, "juno", 8)
	require.Error(t, l.SetQueues([]quota.LedgerQueue{{}}))
	require.Len(t, l.Queues(), 2, "a refused change changes nothing")
	require.NoError(t, l.SetQueues([]quota.LedgerQueue{{Name: "LHAASO", Max: quota.NoMax}}))
	a, err := l.Query("LHAASO")
	require.NoError(t, err)
	assert.Equal(t, quota.Answer{Queue: "LHAASO", Max: 20, Available: 12, Fair: 1000}, a, "the leases of a queue that went still count")
	_, err = l.Query("juno")
	assert.ErrorIs(t, err, quota.ErrUnknownQueue)
}

func TestUnmet(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 10, due(0, 0))
	ask(t, l, start, "juno", 25)
	assert.Equal(t, map[string]int{"juno": 15}, l.Unmet(start))
	assert.Empty(t, l.Unmet(start.Add(5*time.Minute)), "nobody asked again")
	ask(t, l, start, "juno", 0)
	assert.Empty(t, l.Unmet(start))
}

func TestVCondorBothQueuesGetTheLastVMs(t *testing.T) {
	t.Parallel()
	for range 50 {
		l := newLedger(t, 10, due(5, 4))
		got := make([]int, 16)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				lease, _, err := l.Ask(start, []string{"LHAASO", "juno"}[i%2], "", 1, 0)
				if assert.NoError(t, err) {
					got[i] = lease.Units
				}
			})
		}
		wg.Wait()
		sum := 0
		for _, n := range got {
			sum += n
		}
		require.Equal(t, 1, sum, "there was one VM left")
	}
}

func TestVCondorReservesWithoutNeed(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 400, due(0, 0))
	for range 3 {
		assert.Equal(t, 400, available(t, l, "LHAASO"))
	}
	assert.Equal(t, 400, available(t, l, "juno"), "the polls of a queue without jobs keep nobody out")
	ask(t, l, start, "LHAASO", 30)
	assert.Equal(t, 370, available(t, l, "juno"), "a need keeps out as much as it is")
}

func TestVCondorReservationNeverLapses(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 400, due(0, 0))
	ask(t, l, start, "LHAASO", 400)
	for at := start; at.Before(start.Add(600 * time.Second)); at = at.Add(100 * time.Second) {
		require.NoError(t, l.Observe(at, 400, due(0, 0)))
		require.Zero(t, available(t, l, "juno"))
		_, err := l.Query("LHAASO") // the poll that prolonged it
		require.NoError(t, err)
	}
	require.NoError(t, l.Observe(start.Add(600*time.Second), 400, due(0, 0)))
	assert.Equal(t, 400, available(t, l, "juno"))
}

// A VM launched in the last moment of a lease may be seen only after it. Until somebody has looked, its place is taken.
func TestLeaseLapsesWhenSomebodyHasLooked(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 10, due(0, 0))
	lease := ask(t, l, start, "juno", 10)
	late := lease.Expires.Add(time.Second)
	assert.Zero(t, ask(t, l, late, "LHAASO", 10).Units)
	require.NoError(t, l.Observe(late, 10, due(0, 7)))
	assert.Equal(t, 3, ask(t, l, late, "LHAASO", 10).Units)
}

func TestVCondorCountedTwice(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 100, due(0, 0))
	ask(t, l, start, "LHAASO", 40)
	require.Equal(t, 60, available(t, l, "juno"))
	for _, running := range []int{1, 25, 40} {
		require.NoError(t, l.Observe(start.Add(time.Minute), 100, due(running, 0)))
		require.Equal(t, 60, available(t, l, "juno"), "reserved or started, a VM takes one place")
	}
	a, err := l.Query("LHAASO")
	require.NoError(t, err)
	assert.Equal(t, 0, a.Leased)
	assert.Equal(t, 40, a.Used)
}

func TestVCondorLaunchesAboveTheCeiling(t *testing.T) {
	t.Parallel()
	l := newLedger(t, 1000, due(0, 0))
	assert.Equal(t, 400, ask(t, l, start, "juno", 999).Units)
	assert.Zero(t, ask(t, l, start, "juno", 999).Units, "what is leased counts against the ceiling")
	require.NoError(t, l.SetQueues([]quota.LedgerQueue{{Name: "juno", Max: 0}}))
	assert.Zero(t, available(t, l, "juno"))
}
