package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestJain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		x    []float64
		want float64
	}{
		{"equal", []float64{0.3, 0.3, 0.3}, 1},
		{"all for one", []float64{0, 0.7, 0, 0}, 0.25},
		{"one to two", []float64{1, 2}, 0.9},
		{"nobody has anything", []float64{0, 0}, 1},
		{"alone", []float64{5}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDelta(t, tt.want, jain(tt.x), 1e-12)
		})
	}
}

func TestJainIsBetweenOneNthAndOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 8).Draw(t, "x")
		assert.GreaterOrEqual(t, jain(x), 1/float64(len(x))-1e-9)
		assert.LessOrEqual(t, jain(x), 1+1e-9)
	})
}

// TestJainOfABacklog: two workers of a pool of six serve a, none serves b; both have more jobs than they could ever run.
// By weight a is due two thirds.
func TestJainOfABacklog(t *testing.T) {
	t.Parallel()
	c := Config{Policy: twoQueues(), Days: 1}
	for _, queue := range []string{"a", "b"} {
		for range 30 {
			c.Jobs = append(c.Jobs, Job{Queue: queue, Runtime: 48 * time.Hour, Request: request(4, 1000)})
		}
	}
	for _, tt := range []struct {
		name  string
		binds []string
		want  float64
	}{
		{"one has all", []string{"a", "a"}, 0.5},
		{"by weight", []string{"a", "a", "b"}, 1},
		{"half and half", []string{"a", "b"}, (0.5 + 1) * (0.5 + 1) / (2 * (0.25 + 1))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(stageOf(t, c), nothing())
			for i, queue := range tt.binds {
				w.serve(w.boot(elasticpool.Action{VM: string(rune('A' + i))}, w.classes["worker"]), w.queueOf[queue])
			}
			w.submit()
			w.pass(time.Second) // the backlog begins before any job runs
			w.negotiate()
			w.pass(10*time.Hour + time.Second)
			r := w.result()
			assert.InDelta(t, 10+1.0/3600, r.Backlogged, 1e-6)
			assert.InDelta(t, tt.want, r.Jain, 1e-5)
			assert.InDelta(t, tt.want, r.JainPlain, 1e-5)
		})
	}
}

// TestJobsThatRanBeforeMayEnd: a holds all workers when b's jobs come. Two thirds are due to a; until its jobs end b is
// due nothing, and of the worker that comes free b is due all.
func TestJobsThatRanBeforeMayEnd(t *testing.T) {
	t.Parallel()
	c := Config{Policy: twoQueues(), Days: 1}
	add := func(queue string, n int, at, runtime time.Duration) {
		for range n {
			c.Jobs = append(c.Jobs, Job{Queue: queue, Submit: at, Runtime: runtime, Request: request(4, 1000)})
		}
	}
	add("a", 1, 0, 5*time.Hour)
	add("a", 40, 0, 90*time.Hour)
	add("b", 40, time.Hour, 90*time.Hour)
	for _, tt := range []struct {
		name  string
		binds bool
		want  float64
	}{
		{"b gets it", true, 1},
		{"a takes it", false, jain([]float64{1 + 5.0/27*1.5, 1 - 5.0/27*3})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(stageOf(t, c), nothing())
			var workers []*machine
			for _, vm := range []string{"A", "B", "C"} {
				workers = append(workers, w.boot(elasticpool.Action{VM: vm}, w.classes["worker"]))
				w.serve(workers[len(workers)-1], w.queueOf["a"])
			}
			w.submit()
			w.negotiate()
			w.pass(time.Hour)
			w.submit()
			w.pass(5 * time.Hour)
			w.finish(0, workers[0])
			if tt.binds {
				workers[0].queue = w.queueOf["b"]
			}
			w.negotiate()
			w.pass(10 * time.Hour)
			r := w.result()
			assert.InDelta(t, 9, r.Backlogged, 1e-6)
			assert.InDelta(t, tt.want, r.Jain, 1e-4)
			assert.Less(t, r.JainPlain, 0.9)
		})
	}
}

func TestShareKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	due := make([]float64, 3)
	share(due, 1, []float64{0.45, 0.35, 0.2}, []float64{0, 0, 0})
	assert.InDeltaSlice(t, []float64{0.45, 0.35, 0.2}, due, 1e-12)
	share(due, 1, []float64{0.45, 0.35, 0.2}, []float64{0.8, 0, 0})
	assert.InDeltaSlice(t, []float64{0.8, 0.2 * 0.35 / 0.55, 0.2 * 0.2 / 0.55}, due, 1e-12)
	share(due, 1, []float64{0.45, 0.35, 0.2}, []float64{0.6, 0.3, 0.1})
	assert.InDeltaSlice(t, []float64{0.6, 0.3, 0.1}, due, 1e-12, "all are held")
}

// TestAQueueWithLittleIsNotBacklogged: less demand than its part is no ground for a complaint.
func TestAQueueWithLittleIsNotBacklogged(t *testing.T) {
	t.Parallel()
	c := Config{Policy: twoQueues(), Days: 1, Jobs: []Job{{Queue: "b", Runtime: time.Hour, Request: request(4, 1000)}}}
	for range 30 {
		c.Jobs = append(c.Jobs, Job{Queue: "a", Runtime: 48 * time.Hour, Request: request(4, 1000)})
	}
	r, err := stageOf(t, c).Run(t.Context(), nothing())
	require.NoError(t, err)
	assert.Zero(t, r.Backlogged)
	assert.InDelta(t, 1, r.Jain, 0)
}

func TestSummary(t *testing.T) {
	t.Parallel()
	values := make([]float64, 0, 100)
	for i := range 100 {
		values = append(values, float64(100-i))
	}
	mean, median, p95, largest := summary(values)
	assert.Equal(t, []float64{50.5, 50, 95, 100}, []float64{mean, median, p95, largest})
	mean, _, _, _ = summary(nil)
	assert.Zero(t, mean)
}

func TestVectorParts(t *testing.T) {
	t.Parallel()
	whole := vector{4, 8000, 0}
	assert.Equal(t, int64(500_000), vector{1, 4000, 0}.part(whole))
	assert.Equal(t, int64(333_334), vector{0, 1, 0}.part(vector{0, 3, 0}), "rounded up")
	assert.Zero(t, vector{0, 0, 0}.part(whole))
}
