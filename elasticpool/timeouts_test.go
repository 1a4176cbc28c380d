package elasticpool_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// built returns a world in which six VMs of a class have taken so long to build and a little more.
func built(t *testing.T, p elasticpool.Policy, took time.Duration) *world {
	t.Helper()
	w := newWorld(t, p)
	w.slow = true
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 6)}
	w.step()
	w.steps(int(took / step))
	w.slow = false
	w.steps(5)
	w.run()
	require.Equal(t, 6, w.states()[elasticpool.Joined])
	w.slow = true
	w.jobs = append(w.jobs, waiting("juno", 1))
	w.step()
	return w
}

// TestLearnedTimeouts: a build has twice the time that the class's own VMs took, within the policy's bounds.
func TestLearnedTimeouts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		took        time.Duration
		least, most float64
		limit       time.Duration
	}{
		"as long as they took twice": {took: 6 * time.Minute, limit: 12 * time.Minute},
		"not too short":              {took: time.Minute, limit: 10*time.Minute + 30*time.Second},
		"as short as the policy has": {took: time.Minute, least: 0.2, limit: 3 * time.Minute},
		"longer than the fixed one":  {took: 12 * time.Minute, limit: 24 * time.Minute},
		"not too long":               {took: 12 * time.Minute, most: 1.2, limit: 18 * time.Minute},
		"nothing is learned":         {took: time.Minute, least: 1, most: 1, limit: 15 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy()
			p.Control.Timeouts.Least, p.Control.Timeouts.Most = test.least, test.most
			w := built(t, p, test.took)
			w.steps(int((test.limit - time.Minute) / step))
			assert.Zero(t, w.actions(elasticpool.ActDelete), "a minute before")
			assert.InDelta(t, test.limit.Seconds(), w.last.Classes[0].Limits[elasticpool.Building], 61)
			w.steps(4 * 3)
			assert.Equal(t, 1, w.actions(elasticpool.ActDelete), "two minutes after")
		})
	}
}

// TestFewVMsTeachNothing: before five VMs are known the policy's time-out holds.
func TestFewVMsTeachNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, policy())
	w.jobs = []elasticpool.JobGroup{waiting("lhaaso", 4)}
	w.steps(5)
	assert.Empty(t, w.last.Classes[0].Limits)
	w.jobs[0].Idle = 5
	w.steps(5)
	assert.Len(t, w.last.Classes[0].Limits, 4, "requested, building, booted, joining")
}

// TestTimeoutsThatAreTooShort: a cloud that has become slow is given more time with each VM that was given up, so that one
// serves in the end.
func TestTimeoutsThatAreTooShort(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.Timeouts.Least = 0.2
	w := built(t, p, time.Minute)
	for range 4 * 90 {
		w.step()
		for _, s := range w.servers {
			if w.now.Sub(s.Created) >= 10*time.Minute && s.Status == elasticpool.ServerBuilding {
				s.Status = elasticpool.ServerActive
			}
		}
	}
	assert.Equal(t, 7, w.states()[elasticpool.Joined])
	assert.Equal(t, 2, w.actions(elasticpool.ActDelete), "after 3 and 6 minutes; then it has 12")
}

// TestLearnedTimeoutsAreExplained, of the class and of a VM.
func TestLearnedTimeoutsAreExplained(t *testing.T) {
	t.Parallel()
	w := built(t, policy(), 6*time.Minute)
	w.step()
	status := elasticpool.Status{Now: w.now, Decision: w.last}
	for _, vm := range w.c.State().VMs {
		status.VMs = append(status.VMs, *vm)
	}
	lines, err := elasticpool.Explain(policy(), w.input(), status, "small")
	require.NoError(t, err)
	assert.Contains(t, lines, "as its last VMs have shown, one that is building for 12m0s is given up")
	lines, err = elasticpool.Explain(policy(), w.input(), status, status.VMs[6].ID)
	require.NoError(t, err)
	assert.Contains(t, lines, "it is given up when it has been building for 12m0s, as the last VMs of its class have shown")
}

// TestBoundsOfTimeouts that make no sense are refused.
func TestBoundsOfTimeouts(t *testing.T) {
	t.Parallel()
	p := policy()
	p.Control.Timeouts.Least, p.Control.Timeouts.Most = 1.5, 0.5
	err := p.Validate()
	require.ErrorContains(t, err, "control.timeouts.least: a learned time-out has a least part between 0 and 1")
	require.ErrorContains(t, err, "control.timeouts.most: a learned time-out is at most 1 to 1000 times the fixed one")
}
