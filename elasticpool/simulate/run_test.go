package simulate

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestRunOfATrace runs a log of which each value of the queue field is a queue, stretched to a load.
func TestRunOfATrace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "small.swf")
	require.NoError(t, os.WriteFile(path, []byte(smallLog), 0o600))
	c := Config{Name: Fair, Trace: path, SWF: SWF{Split: true}, Days: 1, VMs: 4}
	r, err := Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, []int{7, 7, 0}, []int{r.Jobs, r.Finished, r.Unserved})
	require.Len(t, r.Queues, 2)
	assert.Equal(t, "queue-1", r.Queues[0].Name)
	assert.InEpsilon(t, (2*60+4*3600+1)/(24*3600*4.0), r.Load, 1e-3)

	c.Load = 0.5
	s := stageOf(t, c)
	require.Len(t, s.Trace(), 7)
	assert.InEpsilon(t, (2*60+4*3600+1)/0.5/4, s.Trace()[6].Submit.Seconds(), 1e-3)
}

// TestRunOfAPoolWithSeveralClasses runs jobs of one and of eight cores, and some with a GPU, on a pool of two classes:
// GPU jobs only get where GPUs are.
func TestRunOfAPoolWithSeveralClasses(t *testing.T) {
	t.Parallel()
	c := Config{Name: Fair, Seed: 2, Days: 2, VMs: 20, Load: 0.4, Shape: Shape{BatchMedian: 10, Multicore: 0.2, GPU: 0.1}}
	s := stageOf(t, c)
	assert.InEpsilon(t, 0.4, s.load, 1e-3)
	policy, err := NewPolicy(Fair, s.Facts())
	require.NoError(t, err)
	w := newWorld(s, policy)
	w.schedule()
	for e, ok := w.next(); ok; e, ok = w.next() {
		w.pass(e.at)
		e.do()
		for _, m := range w.machines {
			for _, i := range m.jobs {
				if s.trace[i].Request[elasticpool.GPUs] > 0 {
					require.Equal(t, gpuClass, m.class.Name)
				}
			}
		}
	}
	r := w.result()
	assert.Zero(t, r.Unfit)
	assert.Zero(t, r.Unserved)
	assert.Zero(t, r.JobsKilled)
}

// TestRunOfAConfiguration runs the pool of a user, of whose second queue no class may serve the jobs.
func TestRunOfAConfiguration(t *testing.T) {
	t.Parallel()
	pool := twoQueues()
	pool.Queues[1].Classes = []string{"other"}
	pool.Classes = append(pool.Classes, elasticpool.Class{
		Name: "other", Cloud: "cloud", Max: 1, Takes: request(1, 1000), Slot: request(1, 1000),
	})
	c := Config{Name: Fair, Policy: pool, Days: 0.5, Jobs: []Job{
		{Queue: "a", Runtime: time.Hour, Request: request(4, 100)},
		{Queue: "b", Runtime: time.Hour, Request: request(4, 100)},
		{Queue: "b", Runtime: time.Hour, Request: request(1, 100)},
	}}
	r, err := Run(t.Context(), c)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2, 1}, []int{r.Jobs, r.Finished, r.Unfit})
	assert.Equal(t, 2, r.Boots, "a job that no class can run boots nothing")

	pool.Queues = append(pool.Queues, elasticpool.Queue{Name: "a"})
	_, err = Run(t.Context(), c)
	assert.Error(t, err, "the controller refuses two queues of one name")
}
