package simulate

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// stageOf prepares a configuration that must be right.
func stageOf(t require.TestingT, c Config) *Stage {
	s, err := Prepare(c)
	require.NoError(t, err)
	return s
}

func TestGeneratedLoadIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Seed: rapid.Uint64().Draw(t, "seed"),
			Days: rapid.Float64Range(1, 3).Draw(t, "days"),
			VMs:  rapid.IntRange(5, 20).Draw(t, "vms"),
			Load: rapid.Float64Range(0.1, 2).Draw(t, "load"),
		}
		c.Shape.Multicore = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "multicore")
		c.Shape.GPU = rapid.SampledFrom([]float64{0, 0.2}).Draw(t, "gpu")
		s := stageOf(t, c)
		assert.InEpsilon(t, c.Load, s.load, 1e-3)
		assert.True(t, slices.IsSortedFunc(s.trace, func(a, b Job) int { return int((a.Submit - b.Submit) / time.Second) }))
		for _, j := range s.trace {
			require.Less(t, j.Submit, s.config.Window())
			require.GreaterOrEqual(t, j.Submit, time.Duration(0))
			require.GreaterOrEqual(t, j.Runtime, time.Second)
		}
	})
}

func TestGeneratedShares(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Seed: 1, Days: 28, Load: 0.8})
	work := map[string]float64{}
	for _, j := range s.trace {
		work[j.Queue] += j.Runtime.Hours()
	}
	all := 28 * 24 * 200 * 0.8
	assert.InEpsilon(t, 0.45*all, work["LHAASO"], 0.01)
	assert.InEpsilon(t, 0.35*all, work["JUNO"], 0.01)
	assert.InEpsilon(t, 0.20*all, work["CEPC"], 0.01)
}

// submissions returns, of a trace of which each batch is one job, the times by queue.
func submissions(t *testing.T) map[string][]time.Duration {
	t.Helper()
	s := stageOf(t, Config{Seed: 3, Days: 140, VMs: 10, Shape: Shape{BatchMedian: 1, BatchMost: 1}})
	times := map[string][]time.Duration{}
	for _, j := range s.trace {
		times[j.Queue] = append(times[j.Queue], j.Submit)
	}
	return times
}

func TestGeneratedBatches(t *testing.T) {
	t.Parallel()
	var sizes, runtimes []float64
	for _, b := range (Shape{}).withDefaults().batches(random(1, 1), 1e10) {
		sizes, runtimes = append(sizes, float64(b.jobs)), append(runtimes, b.runtime/60)
	}
	slices.Sort(sizes)
	slices.Sort(runtimes)
	require.Greater(t, len(sizes), 2000)
	quantile := func(of []float64, p float64) float64 { return of[int(p*float64(len(of)))] }
	assert.InEpsilon(t, 400, quantile(sizes, 0.5), 0.08)
	assert.InEpsilon(t, 400*math.Exp(1.0), quantile(sizes, 0.841), 0.08, "one sigma above")
	assert.InEpsilon(t, 45, quantile(runtimes, 0.5), 0.08)
	assert.InEpsilon(t, 45*math.Exp(0.7), quantile(runtimes, 0.841), 0.08)
}

func TestGeneratedTimes(t *testing.T) {
	t.Parallel()
	times := submissions(t)
	for _, q := range theThree() {
		byHour, weekend := make([]float64, 24), 0
		var gaps []float64
		for i, at := range times[q.Name] {
			byHour[int(at.Hours())%24]++
			if int(at.Hours()/24)%7 >= 5 {
				weekend++
			}
			if i > 0 {
				gaps = append(gaps, (at - times[q.Name][i-1]).Hours())
			}
		}
		x, y := 0.0, 0.0
		for h, n := range byHour {
			angle := 2 * math.Pi * (float64(h) + 0.5) / 24
			x, y = x+n*math.Cos(angle), y+n*math.Sin(angle)
		}
		peak := math.Mod(math.Atan2(y, x)/2/math.Pi*24+24, 24)
		assert.InDelta(t, q.Peak, peak, 1, "busiest hour of "+q.Name)
		assert.InDelta(t, 2*0.5/(5+2*0.5), float64(weekend)/float64(len(times[q.Name])), 0.03, "weekends of "+q.Name)
		assert.Greater(t, variation(gaps), 1.2, "gaps of %s vary more than those of a Poisson process", q.Name)
	}
}

// variation returns the coefficient of variation.
func variation(values []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum, squares = sum+v, squares+v*v
	}
	mean := sum / float64(len(values))
	return math.Sqrt(squares/float64(len(values))-mean*mean) / mean
}

func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	wide, gpus := 0.0, 0.0
	batches := (Shape{Multicore: 0.3, GPU: 0.1}).withDefaults().batches(random(1, 1), 1e10)
	require.Greater(t, len(batches), 500)
	for _, b := range batches {
		if b.request[elasticpool.CPUs] == multicore {
			wide++
		}
		gpus += float64(b.request[elasticpool.GPUs])
	}
	assert.InDelta(t, 0.3, wide/float64(len(batches)), 0.03)
	assert.InDelta(t, 0.1, gpus/float64(len(batches)), 0.02)
}

func TestBacklogSaturatesEveryQueue(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Seed: 1, Days: 2, VMs: 20, Load: 1, Shape: Shape{Kind: Backlog}})
	work := map[string]float64{}
	for _, j := range s.trace {
		assert.Zero(t, j.Submit)
		work[j.Queue] += j.Runtime.Hours()
	}
	require.Len(t, work, 3)
	for queue, hours := range work {
		assert.InEpsilon(t, 2*24*20, hours, 0.01, queue)
	}
}

func TestTracesAreStretchedToTheLoad(t *testing.T) {
	t.Parallel()
	jobs := make([]Job, 100)
	for i := range jobs {
		jobs[i] = Job{
			Queue: "a", Submit: time.Duration(i) * time.Hour, Runtime: 30 * time.Minute,
			Request: elasticpool.Resources{elasticpool.CPUs: 1},
		}
	}
	moved := stretch(jobs, 0.25, 4)
	assert.InEpsilon(t, 50.0/0.25/4, moved[99].Submit.Hours(), 0.01)
	assert.Equal(t, 99*time.Hour, jobs[99].Submit, "the given trace stays")
	assert.Len(t, cut(jobs, 10*time.Hour), 10)
	assert.Empty(t, stretch(nil, 1, 1))
}

func TestOnlyTheOffersOfItsOwnQueueChangeWithAShare(t *testing.T) {
	t.Parallel()
	runtimes := func(shape Shape) []time.Duration {
		var list []time.Duration
		for _, j := range stageOf(t, Config{Seed: 5, Days: 7, Shape: shape}).trace {
			if j.Queue == "b" {
				list = append(list, j.Runtime)
			}
		}
		return list
	}
	one := runtimes(Shape{Queues: []QueueShape{{Name: "a", Share: 1, Peak: 3}, {Name: "b", Share: 1}}})
	two := runtimes(Shape{Queues: []QueueShape{{Name: "a", Share: 1, Peak: 9}, {Name: "b", Share: 1}}})
	require.NotEmpty(t, one)
	assert.Equal(t, one, two)
}
