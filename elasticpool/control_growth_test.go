package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestFailuresHalveTheRamp: after failures a class begins again with fewer VMs at once, and never with none.
func TestFailuresHalveTheRamp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ failures, ramp int }{{0, 8}, {1, 4}, {2, 2}, {3, 1}, {8, 1}} {
		w := newWorld(t, policy())
		w.total = elasticpool.Resources{"vms": 1000}
		w.slow = true
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", test.failures)}
		w.step()
		w.step()
		for _, s := range w.servers {
			s.Status = elasticpool.ServerError
		}
		w.jobs = nil
		w.steps(10)
		require.Empty(t, w.servers)
		require.Equal(t, test.ramp, w.last.Classes[0].Ramp)
		w.now = w.now.Add(time.Hour) // the class has rested
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1000)}
		before := w.actions(elasticpool.ActCreate)
		w.step()
		assert.Equal(t, test.ramp, w.actions(elasticpool.ActCreate)-before, "after %d failures", test.failures)
	}
}

// TestQuarantine: what comes up on a host where one VM after the other has failed is not counted on, and another is made
// beside it; one that comes to life there ends that.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.Ramp = 64
	p.Control.Backoff = elasticpool.Backoff{First: elasticpool.Duration(time.Second), Most: elasticpool.Duration(time.Second)}
	w := newWorld(t, p)
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	for failures := range 3 {
		s := w.nextServer()
		require.Equal(t, failures+1, w.actions(elasticpool.ActCreate))
		s.Host, s.Status = "bad", elasticpool.ServerError
	}
	fourth := w.nextServer()
	w.steps(4)
	require.Equal(t, 4, w.actions(elasticpool.ActCreate), "nobody knows where it comes up")
	fourth.Host = "bad"
	fifth := w.nextServer()
	fifth.Host = "good"
	w.steps(8)
	assert.Equal(t, 5, w.actions(elasticpool.ActCreate), "one on another host is counted on")

	fourth.Status, w.jobs[0].Idle = elasticpool.ServerActive, 3
	w.steps(3)
	sixth := w.nextServer()
	sixth.Host = "bad"
	w.steps(8)
	assert.Equal(t, 6, w.actions(elasticpool.ActCreate), "a VM came to life there: the host is good again")
}

// nextServer takes steps until there is a server that nobody has put on a host.
func (w *world) nextServer() *elasticpool.Server {
	w.t.Helper()
	for range 20 {
		w.step()
		for _, vm := range sorted(w.servers) {
			if s := w.servers[vm]; s.Host == "" {
				return s
			}
		}
	}
	require.Fail(w.t, "no server was made")
	return nil
}

// TestQuarantineIsOfOneHost: failures on different hosts quarantine none.
func TestQuarantineIsOfOneHost(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.Ramp = 64
	p.Control.Backoff = elasticpool.Backoff{First: elasticpool.Duration(time.Second), Most: elasticpool.Duration(time.Second)}
	w := newWorld(t, p)
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 1)}
	for _, host := range []string{"a", "b", "c"} {
		s := w.nextServer()
		s.Host, s.Status = host, elasticpool.ServerError
	}
	w.nextServer().Host = "a"
	w.steps(8)
	assert.Equal(t, 4, w.actions(elasticpool.ActCreate))
}

// TestMaxCreates: in one decision so many VMs are made in all, whatever the queues, classes and ramps.
func TestMaxCreates(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.MaxCreates = 3
	other := p.Classes[0]
	other.Name, other.Buffer = "other", elasticpool.Buffer{Min: 2, Max: 2}
	p.Classes = append(p.Classes, other)
	p.Queues[0].Classes, p.Queues[1].Classes = []string{"small"}, []string{"other"}
	w := newWorld(t, p)
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 4), waiting("juno", 4)}
	for _, made := range []int{3, 6, 9, 10, 10} {
		w.step()
		assert.Equal(t, made, w.actions(elasticpool.ActCreate))
	}
	assert.Equal(t, "VMs are on their way", queue(w.last, "juno").Why)
}

// TestEqualCloudsAreSpreadOver: of two clouds with the same priority and price the one with fewer VMs is used.
func TestEqualCloudsAreSpreadOver(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Clouds = append(p.Clouds, elasticpool.Cloud{Name: "second"})
	second := p.Classes[0]
	second.Name, second.Cloud = "small2", "second"
	p.Classes = append(p.Classes, second)
	w := newWorld(t, p)
	w.bend = w.twoClouds
	made := map[string]int{}
	for jobs := range 6 {
		w.jobs = []elasticpool.JobGroup{waiting("lhaaso", jobs+1)}
		w.step()
		for _, a := range w.last.Actions {
			if a.Kind == elasticpool.ActCreate {
				made[a.Cloud]++
			}
		}
	}
	assert.Equal(t, map[string]int{"main": 3, "second": 3}, made)
}

// twoClouds shows the servers of classes of cloud second there.
func (w *world) twoClouds(in *elasticpool.Input) {
	view := in.Clouds["main"]
	parts := map[string][]elasticpool.Server{}
	for _, s := range view.Value.Servers {
		cloud := w.class(s.Class).Cloud
		parts[cloud] = append(parts[cloud], s)
	}
	for _, cloud := range []string{"main", "second"} {
		seen := view
		seen.Value.Servers = parts[cloud]
		in.Clouds[cloud] = seen
	}
}

// TestYoungDemand: for jobs that have just come no VM is made before they have waited for a cycle, since those that are
// there may have run them in a moment; a warm one joins at once.
func TestYoungDemand(t *testing.T) {
	t.Parallel()
	for _, warm := range []int{0, 2} {
		p := policy()
		p.Classes[0].Buffer = elasticpool.Buffer{Min: warm, Max: warm}
		w := newWorld(t, p)
		w.steps(4)
		require.Equal(t, warm, w.states()[elasticpool.Warm])
		young := waiting("lhaaso", 3)
		young.Oldest = w.now.Add(step / 2)
		w.jobs = []elasticpool.JobGroup{young}
		w.step()
		assert.Equal(t, warm, w.actions(elasticpool.ActJoin))
		assert.Zero(t, w.made("lhaaso"))
		assert.Equal(t, "its jobs wait for less than a cycle", queue(w.last, "lhaaso").Why)
		w.step()
		now := queue(w.last, "lhaaso")
		assert.Equal(t, 3, now.Coming+now.Serving, "they still wait")
	}
}

// made counts the VMs that were made for a queue.
func (w *world) made(name string) int {
	n := 0
	for _, a := range w.history {
		if a.Kind == elasticpool.ActCreate && a.Queue == name {
			n++
		}
	}
	return n
}
