package elasticpool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// since is a group of jobs that have waited for so long.
func since(queue string, n int, age time.Duration) elasticpool.JobGroup {
	g := waiting(queue, n)
	g.Oldest = dawn.Add(-age)
	return g
}

// targets returns what each queue may have of a pool of so many VMs at its first decision.
func targets(t *testing.T, p elasticpool.Policy, vms int64, jobs ...elasticpool.JobGroup) elasticpool.Decision {
	t.Helper()
	p.Control.MaxInFlight = 1000
	w := newWorld(t, p)
	w.total = elasticpool.Resources{"vms": vms, "cpus": vms}
	w.jobs = jobs
	return w.step()
}

// TestAgeCountsWhileAllLack: the queue whose jobs have waited longest counts up to the bound times its weight, and no more.
func TestAgeCountsWhileAllLack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		bound float64
		old   time.Duration
		want  []int // lhaaso's, juno's
	}{
		{"equal ages", 0, time.Hour, []int{50, 50}},
		{"old jobs", 0, 20 * time.Hour, []int{60, 40}}, // 1.5 : 1
		{"very old jobs", 0, 2000 * time.Hour, []int{60, 40}},
		{"another bound", 3, 2000 * time.Hour, []int{75, 25}},
		{"weights alone", 1, 2000 * time.Hour, []int{50, 50}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := policy()
			p.Control.AgeBound = tt.bound
			d := targets(t, p, 100, since("lhaaso", 500, tt.old), since("juno", 500, time.Hour))
			assert.Equal(t, tt.want, []int{queue(d, "lhaaso").Target, queue(d, "juno").Target})
			assert.Equal(t, tt.bound == 1, queue(d, "lhaaso").Urgency == "")
		})
	}
}

// threeQueues is a pool of which the third queue leaves its part to the others.
func threeQueues() elasticpool.Policy {
	p := policy()
	p.Queues = append(p.Queues, elasticpool.Queue{Name: "cepc"})
	return p
}

// TestLentPartsGoToTheMostUrgent: what one queue leaves goes to the queue whose jobs have waited longest; the other one
// keeps its share of its own part.
func TestLentPartsGoToTheMostUrgent(t *testing.T) {
	t.Parallel()
	p := threeQueues()
	p.Control.KeepPart = 0.6
	d := targets(t, p, 90, since("lhaaso", 500, 20*time.Hour), since("juno", 500, time.Hour))
	assert.Equal(t, 19, queue(d, "juno").Target, "0.6 of a third of 90, and one begun")
	assert.Equal(t, 71, queue(d, "lhaaso").Target)
	p.Control.AgeBound = 1
	d = targets(t, p, 90, since("lhaaso", 500, 20*time.Hour), since("juno", 500, time.Hour))
	assert.Equal(t, 45, queue(d, "juno").Target, "weights alone")
}

// TestQueuesThatLackNothingKeepTheirs: a queue whose jobs all run is not asked to give back for the age of others'.
func TestQueuesThatLackNothingKeepTheirs(t *testing.T) {
	t.Parallel()
	p := threeQueues()
	w := newWorld(t, p)
	w.total = elasticpool.Resources{"vms": 12, "cpus": 12}
	w.jobs = []elasticpool.JobGroup{since("cepc", 4, time.Hour)}
	w.steps(6)
	w.run()
	w.jobs = append(w.jobs, since("lhaaso", 100, 50*time.Hour), since("juno", 100, time.Hour))
	w.step()
	assert.Equal(t, 4, queue(w.last, "cepc").Busy)
	assert.Equal(t, 4, queue(w.last, "cepc").Target)
}

// TestHopelessJobsMakeNobodyUrgent: jobs that no class can serve do not count, however old they are.
func TestHopelessJobsMakeNobodyUrgent(t *testing.T) {
	t.Parallel()
	hopeless := since("juno", 5, 9000*time.Hour)
	hopeless.Request = elasticpool.Resources{"cpus": 64}
	d := targets(t, policy(), 100, since("lhaaso", 500, time.Hour), since("juno", 500, time.Hour), hopeless)
	assert.Equal(t, 50, queue(d, "juno").Target)
}

// TestUrgencyIsExplained: explain says by how much a share departs from its weight, and why.
func TestUrgencyIsExplained(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		p    elasticpool.Policy
		want string
	}{
		{"all lack", policy(), "all queues lack VMs: by the age of its jobs it counts 1.50 times its weight, at most 1.5 times"},
		{"some leave", threeQueues(), "it keeps 0.2 of its part of the pool; of what is beyond the kept parts it counts 1e+03 times its weight"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := targets(t, tt.p, 90, since("lhaaso", 500, 20*time.Hour), since("juno", 500, time.Hour))
			lines, err := elasticpool.Explain(tt.p, elasticpool.Input{Now: dawn}, elasticpool.Status{Now: dawn, Decision: d}, "lhaaso")
			require.NoError(t, err)
			assert.Contains(t, strings.Join(lines, "\n"), tt.want)
		})
	}
}

// TestUrgencyStaysWithinBounds: whatever the ages, floors are kept, ceilings hold, nothing is wasted, no queue that lacks has
// less than it keeps, and while all lack none departs from its weighted part by more than the bound.
func TestUrgencyStaysWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := policy()
		p.Queues = nil
		const vms, bound = 200, 1.5
		var jobs []elasticpool.JobGroup
		weights, wanted, capped, all := 0.0, 0, false, true
		for i := range rapid.IntRange(2, 5).Draw(rt, "queues") {
			q := elasticpool.Queue{Name: fmt.Sprint("q", i), Weight: float64(rapid.IntRange(1, 4).Draw(rt, "weight"))}
			q.Lower = int64(rapid.SampledFrom([]int{0, 0, 20}).Draw(rt, "lower"))
			q.Upper = int64(rapid.SampledFrom([]int{0, 0, 60}).Draw(rt, "upper"))
			n := rapid.SampledFrom([]int{0, 7, 500, 500}).Draw(rt, "jobs")
			p.Queues, weights = append(p.Queues, q), weights+q.Weight
			most := n
			if q.Upper > 0 {
				capped, most = true, min(n, int(q.Upper))
			}
			wanted += most
			all = all && n == 500
			if n > 0 {
				jobs = append(jobs, since(q.Name, n, time.Duration(rapid.IntRange(0, 300).Draw(rt, "age"))*time.Hour))
			}
		}
		d := targets(t, p, vms, jobs...)
		sum := 0
		for _, q := range p.Queues {
			view := queue(d, q.Name)
			sum += view.Target
			part := vms * q.Weight / weights
			floor := min(float64(q.Lower), float64(view.Wanted))
			require.GreaterOrEqual(rt, float64(view.Target), floor, "floor of %s", q.Name)
			if q.Upper > 0 {
				require.LessOrEqual(rt, view.Target, int(q.Upper), "ceiling of %s", q.Name)
				continue
			}
			kept := min(0.2*(part-100), float64(view.Wanted)) // floors of others may take 100 VMs
			require.GreaterOrEqual(rt, float64(view.Target), kept-1, "what %s keeps", q.Name)
			if all && !capped && !hasFloors(p) {
				slack := 1 + bound*q.Weight*float64(len(p.Queues))
				require.GreaterOrEqual(rt, float64(view.Target), part/bound-slack, "%s has too little", q.Name)
				require.LessOrEqual(rt, float64(view.Target), part*bound+slack, "%s has too much", q.Name)
			}
		}
		require.Equal(rt, min(vms, wanted), sum, "nothing is wasted, nothing given twice")
	})
}

func hasFloors(p elasticpool.Policy) bool {
	for _, q := range p.Queues {
		if q.Lower > 0 {
			return true
		}
	}
	return false
}
