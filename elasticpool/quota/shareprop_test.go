package quota_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool/quota"
)

// pool is one input of Share.
type pool struct {
	capacity map[string]quota.Resources
	queues   []quota.Queue
	demands  []quota.Demand
}

// names of the resources that pools are drawn with.
var resourceNames = []string{quota.VMs, quota.CPUs, quota.GPUs}

// drawAmounts draws amounts of some of the resources.
func drawAmounts(t *rapid.T, label string, least, most int64) quota.Resources {
	r := quota.Resources{}
	for _, name := range resourceNames {
		if rapid.Bool().Draw(t, label+" names "+name) {
			r[name] = rapid.Int64Range(least, most).Draw(t, label+" "+name)
		}
	}
	return r
}

// drawPool draws clouds, queues and demands without any order in them.
func drawPool(t *rapid.T) pool {
	p := pool{capacity: map[string]quota.Resources{}}
	for _, cloud := range []string{"c", "d"} {
		p.capacity[cloud] = drawAmounts(t, cloud, 0, 40)
	}
	for i := range rapid.IntRange(1, 5).Draw(t, "queues") {
		name := fmt.Sprintf("q%d", i)
		p.queues = append(p.queues, quota.Queue{
			Name: name, Weight: float64(rapid.IntRange(1, 5).Draw(t, "weight")), Credit: float64(rapid.IntRange(0, 2).Draw(t, "credit")),
			Min: drawAmounts(t, "min", 0, 10), Max: drawAmounts(t, "max", 0, 30),
			Keep: rapid.Float64Range(0, 0.5).Draw(t, "keep"), Boost: rapid.SampledFrom([]float64{0, 1, 1.5, 1000}).Draw(t, "boost"),
		})
		for range rapid.IntRange(0, 3).Draw(t, "demands") {
			p.demands = append(p.demands, drawDemand(t, name))
		}
	}
	return p
}

func drawDemand(t *rapid.T, queue string) quota.Demand {
	d := quota.Demand{Queue: queue, Want: rapid.IntRange(0, 30).Draw(t, "want")}
	for range rapid.IntRange(0, 3).Draw(t, "options") {
		unit := drawAmounts(t, "unit", 1, 6)
		unit[quota.VMs] = 1
		d.Options = append(d.Options, quota.Option{
			Cloud: rapid.SampledFrom([]string{"c", "d", "unknown"}).Draw(t, "cloud"), Unit: unit, Have: rapid.IntRange(0, 9).Draw(t, "have"),
		})
	}
	return d
}

// book adds up what grants take of the clouds and what the queues use.
func (p pool) book(grants []quota.Grant) (taken, used map[string]quota.Resources) {
	taken, used = map[string]quota.Resources{}, map[string]quota.Resources{}
	for i, g := range grants {
		for j, n := range g.PerOption {
			o := p.demands[i].Options[j]
			taken[o.Cloud] = taken[o.Cloud].Plus(o.Unit.Times(int64(n)))
			used[g.Queue] = used[g.Queue].Plus(o.Unit.Times(int64(n)))
		}
	}
	return taken, used
}

// below tells whether amounts keep to limits, where an absent limit is none.
func below(amounts, limits quota.Resources) bool {
	for name, limit := range limits {
		if amounts[name] > limit {
			return false
		}
	}
	return true
}

// fits tells whether one more unit of o has room.
func (p pool) fits(o quota.Option, queue string, taken, used map[string]quota.Resources) bool {
	limits, known := p.capacity[o.Cloud]
	return known && below(taken[o.Cloud].Plus(o.Unit), limits) && below(used[queue].Plus(o.Unit), p.queue(queue).Max)
}

func (p pool) queue(name string) quota.Queue {
	return p.queues[slices.IndexFunc(p.queues, func(q quota.Queue) bool { return q.Name == name })]
}

func TestShareNeverExceedsAndNeverWastes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPool(rt)
		grants := quota.Share(p.capacity, p.queues, p.demands)
		taken, used := p.book(grants)
		for cloud, amounts := range taken {
			if _, known := p.capacity[cloud]; !known {
				require.Zero(rt, amounts[quota.VMs], "VMs of a cloud without capacity")
			}
			require.True(rt, below(amounts, p.capacity[cloud]), "cloud %s: %v of %v", cloud, amounts, p.capacity[cloud])
		}
		for name, amounts := range used {
			require.True(rt, below(amounts, p.queue(name).Max), "queue %s: %v of %v", name, amounts, p.queue(name).Max)
		}
		for i, g := range grants {
			d := p.demands[i]
			require.LessOrEqual(rt, g.VMs(), d.Want)
			if g.VMs() == d.Want {
				continue
			}
			for _, o := range d.Options {
				require.False(rt, p.fits(o, g.Queue, taken, used), "a unit of %v still fits for demand %d", o, i)
			}
		}
	})
}

func TestShareTakesWhatExistsFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPool(rt)
		for i := range p.queues {
			p.queues[i].Min = nil // a floor may need a new VM of one class before an old one of another
		}
		grants := quota.Share(p.capacity, p.queues, p.demands)
		taken, used := p.book(grants)
		for i, g := range grants {
			d, fresh := p.demands[i], false
			for j, n := range g.PerOption {
				fresh = fresh || n > max(0, d.Options[j].Have)
			}
			for j, o := range d.Options {
				spared := fresh && g.PerOption[j] < o.Have && p.fits(o, g.Queue, taken, used)
				require.False(rt, spared, "demand %d takes new VMs although there is one of option %d", i, j)
			}
		}
	})
}

func TestShareDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPool(rt)
		// Demands are shuffled between queues; those of one queue keep their order, which is the queue's own wish.
		shuffled := pool{capacity: p.capacity, queues: slices.Clone(p.queues)}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		r.Shuffle(len(shuffled.queues), func(i, j int) {
			shuffled.queues[i], shuffled.queues[j] = shuffled.queues[j], shuffled.queues[i]
		})
		for _, q := range shuffled.queues {
			for _, d := range p.demands {
				if d.Queue == q.Name {
					shuffled.demands = append(shuffled.demands, d)
				}
			}
		}
		byQueue := func(p pool) map[string][][]int {
			got := map[string][][]int{}
			for _, g := range quota.Share(p.capacity, p.queues, p.demands) {
				got[g.Queue] = append(got[g.Queue], g.PerOption)
			}
			return got
		}
		require.Equal(rt, byQueue(p), byQueue(shuffled))
	})
}

func TestShareHonoursFloorsThatFitTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var p pool
		room, floors := drawAmounts(rt, "spare", 0, 20), map[string]int{}
		for i := range rapid.IntRange(1, 5).Draw(rt, "queues") {
			name, unit := fmt.Sprintf("q%d", i), drawAmounts(rt, "unit", 1, 6)
			unit[quota.VMs] = 1
			n := rapid.IntRange(0, 6).Draw(rt, "floor")
			floors[name] = n
			room = room.Plus(unit.Times(int64(n)))
			p.queues = append(p.queues, quota.Queue{Name: name, Weight: rapid.Float64Range(0.1, 9).Draw(rt, "weight"), Min: unit.Times(int64(n))})
			p.demands = append(p.demands, quota.Demand{
				Queue: name, Want: rapid.IntRange(0, 20).Draw(rt, "want"), Options: []quota.Option{{Cloud: "c", Unit: unit, Have: rapid.IntRange(0, 20).Draw(rt, "have")}},
			})
		}
		p.capacity = map[string]quota.Resources{"c": room}
		for i, g := range quota.Share(p.capacity, p.queues, p.demands) {
			require.GreaterOrEqual(rt, g.VMs(), min(floors[g.Queue], p.demands[i].Want), "queue %s", g.Queue)
		}
	})
}

// drawEqualUnits draws queues that all want plain VMs of one cloud, and what each gets there.
func drawEqualUnits(t *rapid.T) pool {
	p := pool{capacity: cloudOf(rapid.Int64Range(0, 60).Draw(t, "capacity"))}
	for i := range rapid.IntRange(2, 6).Draw(t, "queues") {
		q := quota.Queue{Name: fmt.Sprintf("q%d", i), Weight: rapid.Float64Range(0.1, 9).Draw(t, "weight"), Credit: float64(i % 2)}
		if rapid.Bool().Draw(t, "has floor") {
			q.Min = quota.Resources{quota.VMs: rapid.Int64Range(0, 9).Draw(t, "floor")}
		}
		p.queues = append(p.queues, q)
		p.demands = append(p.demands, wants(q.Name, rapid.IntRange(0, 40).Draw(t, "want"), 0))
	}
	return p
}

func TestShareMoreWeightIsNeverLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawEqualUnits(rt)
		before := quota.Share(p.capacity, p.queues, p.demands)
		i := rapid.IntRange(0, len(p.queues)-1).Draw(rt, "who")
		p.queues[i].Weight *= rapid.Float64Range(1, 10).Draw(rt, "times")
		after := quota.Share(p.capacity, p.queues, p.demands)
		require.GreaterOrEqual(rt, after[i].VMs(), before[i].VMs())
	})
}

// With units of different sizes in one queue, more weight may mean fewer VMs: larger ones, and more in all.
func TestShareMoreWeightMayMeanFewerButLargerVMs(t *testing.T) {
	t.Parallel()
	p := pool{
		capacity: map[string]quota.Resources{"c": {quota.CPUs: 10}},
		demands: []quota.Demand{
			{Queue: "a", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 4}}, {Cloud: "c", Unit: quota.Resources{quota.CPUs: 1}}}},
			{Queue: "b", Want: 9, Options: []quota.Option{{Cloud: "c", Unit: quota.Resources{quota.CPUs: 2}}}},
		},
	}
	got := map[float64][]int{}
	for _, weight := range []float64{3, 6} {
		p.queues = []quota.Queue{{Name: "a", Weight: weight}, {Name: "b", Weight: 2}}
		got[weight] = quota.Share(p.capacity, p.queues, p.demands)[0].PerOption
	}
	assert.Equal(t, map[float64][]int{3: {1, 2}, 6: {2, 0}}, got)
}

// A queue that wants VMs of one kind never loses by more weight, whatever the others want and have.
func TestShareMoreWeightIsNeverLessForOneKindOfVM(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPool(rt)
		p.queues = append(p.queues, quota.Queue{
			Name: rapid.SampledFrom([]string{"a", "z"}).Draw(rt, "name"), Weight: rapid.Float64Range(0.1, 5).Draw(rt, "weight"), Min: drawAmounts(rt, "min", 0, 10),
		})
		me := &p.queues[len(p.queues)-1]
		d := drawDemand(rt, me.Name)
		d.Options = d.Options[:min(1, len(d.Options))]
		p.demands = append(p.demands, d)
		before := quota.Share(p.capacity, p.queues, p.demands)
		me.Weight *= rapid.Float64Range(1, 9).Draw(rt, "times")
		after := quota.Share(p.capacity, p.queues, p.demands)
		require.GreaterOrEqual(rt, after[len(after)-1].VMs(), before[len(before)-1].VMs())
	})
}

func TestShareWithoutEnvy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawEqualUnits(rt)
		for i := range p.queues {
			p.queues[i].Weight, p.queues[i].Min = 1, nil
		}
		grants := quota.Share(p.capacity, p.queues, p.demands)
		for i, a := range grants {
			for _, b := range grants {
				satisfied := a.VMs() == p.demands[i].Want
				require.True(rt, satisfied || b.VMs() <= a.VMs()+1, "%s has %d and wants more, %s has %d", a.Queue, a.VMs(), b.Queue, b.VMs())
			}
		}
	})
}

func TestShareStarvesNobody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := drawEqualUnits(rt)
		floors := int64(0)
		for _, q := range p.queues {
			floors += q.Min[quota.VMs]
		}
		// Room for every floor and one VM for everybody: then no weight keeps anybody out.
		p.capacity = cloudOf(floors + int64(len(p.queues)))
		for i, g := range quota.Share(p.capacity, p.queues, p.demands) {
			require.GreaterOrEqual(rt, g.VMs(), min(1, p.demands[i].Want), "queue %s", g.Queue)
		}
	})
}
