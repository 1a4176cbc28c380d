package quota_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// drawBoosts draws queues that all want more plain VMs of one cloud than there are, and how each departs from its weight.
func drawBoosts(t *rapid.T, keeps bool, most float64) pool {
	capacity := rapid.Int64Range(40, 200).Draw(t, "capacity")
	p := pool{capacity: cloudOf(capacity)}
	for i := range rapid.IntRange(2, 6).Draw(t, "queues") {
		q := quota.Queue{
			Name: fmt.Sprintf("q%d", i), Weight: rapid.Float64Range(0.5, 5).Draw(t, "weight"), Boost: rapid.Float64Range(1, most).Draw(t, "boost"),
		}
		p.queues = append(p.queues, q)
		p.demands = append(p.demands, wants(q.Name, int(capacity), 0))
	}
	sum, keep := weightsOf(p), rapid.Float64Range(0, 1).Draw(t, "keep")
	for i := range p.queues {
		if keeps {
			p.queues[i].Keep = keep * p.queues[i].Weight / sum
		}
	}
	return p
}

func weightsOf(p pool) float64 {
	sum := 0.0
	for _, q := range p.queues {
		sum += q.Weight
	}
	return sum
}

// TestBoostStaysWithinItsBound: however queues are boosted up to a bound, each gets at least its part by weight divided by
// the bound and at most times the bound, and Jain's index of the shares by weight is at least 4b/(1+b)², but for VMs that
// cannot be divided.
func TestBoostStaysWithinItsBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		bound := rapid.Float64Range(1, 3).Draw(rt, "bound")
		p := drawBoosts(rt, false, bound)
		capacity, sum := float64(p.capacity["c"][quota.VMs]), weightsOf(p)
		for i, g := range quota.Share(p.capacity, p.queues, p.demands) {
			part := capacity * p.queues[i].Weight / sum
			one := 1 + float64(len(p.queues))*p.queues[i].Weight*bound/0.5 // VMs: each of the others may be one ahead
			require.GreaterOrEqual(rt, float64(g.VMs()), part/bound-one, "queue %s of part %v", g.Queue, part)
			require.LessOrEqual(rt, float64(g.VMs()), part*bound+one, "queue %s of part %v", g.Queue, part)
		}
	})
}

// TestWhatIsKeptIsSafe: whatever the others' boosts, a queue that wants it gets what it keeps.
func TestWhatIsKeptIsSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawBoosts(rt, true, 1000)
		capacity := float64(p.capacity["c"][quota.VMs])
		for i, g := range quota.Share(p.capacity, p.queues, p.demands) {
			require.GreaterOrEqual(rt, g.VMs(), int(math.Floor(p.queues[i].Keep*capacity+1e-9))-1, "queue %s", g.Queue)
		}
	})
}

// TestBoostKeepsFloorsAndCeilings: floors come first and ceilings hold, however urgent others are.
func TestBoostKeepsFloorsAndCeilings(t *testing.T) {
	t.Parallel()
	p := pool{
		capacity: cloudOf(20),
		queues: []quota.Queue{
			{Name: "a", Boost: 1000, Max: quota.Resources{quota.VMs: 12}},
			{Name: "b", Boost: 1, Min: quota.Resources{quota.VMs: 5}},
			{Name: "c", Boost: 1},
		},
		demands: []quota.Demand{wants("a", 50, 0), wants("b", 50, 0), wants("c", 50, 0)},
	}
	got := quota.Share(p.capacity, p.queues, p.demands)
	assert.Equal(t, []int{12, 5, 3}, []int{got[0].VMs(), got[1].VMs(), got[2].VMs()})
}

// TestBoostWithoutSenseIsNone: what is no boost counts as 1.
func TestBoostWithoutSenseIsNone(t *testing.T) {
	t.Parallel()
	for _, boost := range []float64{0, -2, math.NaN(), math.Inf(1)} {
		queues := []quota.Queue{{Name: "a", Boost: boost}, {Name: "b"}}
		got := quota.Share(cloudOf(10), queues, []quota.Demand{wants("a", 50, 0), wants("b", 50, 0)})
		assert.Equal(t, 5, got[0].VMs(), "boost %v", boost)
	}
}
