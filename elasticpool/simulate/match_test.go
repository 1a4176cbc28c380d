package simulate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// scripted is a policy that does what a test tells it.
type scripted func(in elasticpool.Input) []elasticpool.Action

func (s scripted) Decide(in elasticpool.Input) elasticpool.Decision {
	return elasticpool.Decision{At: in.Now, Actions: s(in)}
}

// nothing is a policy that does nothing.
func nothing() Policy { return scripted(func(elasticpool.Input) []elasticpool.Action { return nil }) }

// twoQueues is a pool of 4-core VMs for queues a and b.
func twoQueues() *elasticpool.Policy {
	return &elasticpool.Policy{
		Pool:   "test",
		Queues: []elasticpool.Queue{{Name: "a", Weight: 2}, {Name: "b", Weight: 1}},
		Classes: []elasticpool.Class{{
			Name: "worker", Cloud: "cloud",
			Takes: elasticpool.Resources{"cpus": 4, "memory_mb": 8000},
			Slot:  elasticpool.Resources{"cpus": 4, "memory_mb": 8000},
		}},
		Clouds: []elasticpool.Cloud{{Name: "cloud", Max: elasticpool.Resources{"vms": 6}}},
	}
}

// request asks for cores with a memory.
func request(cores, memory int64) elasticpool.Resources {
	return elasticpool.Resources{"cpus": cores, "memory_mb": memory}
}

// TestMatchmakerAgainstBruteForce compares the matchmaker, which keeps cursors over groups and workers, with one that
// looks at every waiting job and every worker.
func TestMatchmakerAgainstBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds := []elasticpool.Resources{request(1, 500), request(1, 4000), request(2, 1000), request(4, 8000), request(8, 100)}
		c := Config{Policy: twoQueues(), Days: 1}
		for i := range rapid.IntRange(1, 25).Draw(t, "jobs") {
			c.Jobs = append(c.Jobs, Job{
				Queue: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "queue"), Runtime: time.Hour,
				Submit:  time.Duration(i/3) * time.Second,
				Request: rapid.SampledFrom(kinds).Draw(t, "request"),
			})
		}
		s := stageOf(t, c)
		w := newWorld(s, nothing())
		for i := range rapid.IntRange(0, 6).Draw(t, "workers") {
			m := w.boot(elasticpool.Action{VM: fmt.Sprint("vm-", i)}, w.classes["worker"])
			switch rapid.IntRange(0, 4).Draw(t, "worker") {
			case 0:
				m.worker = warm
			case 1:
				w.serve(m, w.queueOf["a"])
				m.drains = true
			case 2, 3:
				w.serve(m, w.queueOf["a"])
			default:
				w.serve(m, w.queueOf["b"])
			}
		}
		w.now = time.Minute
		w.submit()
		want := bruteForce(w)
		w.negotiate()
		got := map[int]string{}
		for i := range w.jobs {
			if w.jobs[i].worker != nil {
				got[i] = w.jobs[i].worker.vm
			}
		}
		assert.Equal(t, want, got)
	})
}

func bruteForce(w *world) map[int]string {
	placed := map[int]string{}
	free := map[*machine]elasticpool.Resources{}
	for _, m := range w.machines {
		free[m] = m.class.Slot
	}
	for i := range w.jobs {
		for _, m := range w.machines {
			job := w.stage.trace[i]
			if m.worker == joined && !m.drains && m.queue.name == job.Queue && free[m].Covers(job.Request) {
				free[m] = free[m].Minus(job.Request)
				placed[i] = m.vm
				break
			}
		}
	}
	return placed
}

// TestRebindingKeepsTheRunningJob binds a busy worker to another queue: its job ends in peace, the next is the other
// queue's.
func TestRebindingKeepsTheRunningJob(t *testing.T) {
	t.Parallel()
	job := func(queue string) Job { return Job{Queue: queue, Runtime: time.Hour, Request: request(4, 1000)} }
	s := stageOf(t, Config{Policy: twoQueues(), Days: 1, Jobs: []Job{job("a"), job("a"), job("b")}})
	w := newWorld(s, nothing())
	m := w.boot(elasticpool.Action{VM: "vm"}, w.classes["worker"])
	w.serve(m, w.queueOf["a"])
	w.submit()
	w.negotiate()
	require.NoError(t, w.tellWorker(elasticpool.Action{Kind: elasticpool.ActBind, VM: "vm", Queue: "b"}, m))
	assert.Equal(t, []int{0}, m.jobs)
	w.finish(0, m)
	w.negotiate()
	assert.Equal(t, []int{2}, m.jobs)
	assert.Equal(t, 1, w.meter.binds)
}

func TestAJobThatFitsNowhereHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s := stageOf(t, Config{Policy: twoQueues(), Days: 1, Jobs: []Job{
		{Queue: "a", Runtime: time.Hour, Request: request(8, 1000)},
		{Queue: "a", Runtime: time.Hour, Request: request(1, 1000)},
		{Queue: "nobody's", Runtime: time.Hour, Request: request(1, 1000)},
	}})
	w := newWorld(s, nothing())
	w.serve(w.boot(elasticpool.Action{VM: "vm"}, w.classes["worker"]), w.queueOf["a"])
	w.submit()
	w.negotiate()
	assert.Nil(t, w.jobs[0].worker)
	assert.NotNil(t, w.jobs[1].worker)
	r := w.result()
	assert.Equal(t, 1, r.Jobs)
	assert.Equal(t, 2, r.Unfit)
}
