package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// troubled is a day of a small pool whose jobs all come in the first six hours.
func troubled(faults Faults) Config {
	return Config{
		Name: Fair, Days: 1, VMs: 20, Faults: faults, Jobs: firstHours(), Seed: 5,
		Timing: Timing{Cycle: Duration(30 * time.Second)},
	}
}

func firstHours() []Job {
	var jobs []Job
	for i := range 12 {
		for range 15 {
			jobs = append(jobs, Job{
				Queue: []string{"a", "b", "c"}[i%3], Submit: time.Duration(i) * 30 * time.Minute,
				Runtime: time.Duration(10+5*i) * time.Minute, Request: request(1, 1000),
			})
		}
	}
	return jobs
}

// TestTheControllerInTrouble runs the pool's own controller in worlds with each fault: all jobs end, no job is killed by
// it, and in the end no VM is left.
func TestTheControllerInTrouble(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		faults Faults
	}{
		{"none", Faults{}},
		{"no capacity", Faults{CreateFails: 0.3}},
		{"quota", Faults{CreateFails: 0.3, CreateError: "quota"}},
		{"lost replies", Faults{CreateFails: 0.3, CreateError: "unknown_outcome"}},
		{"cloud failures", Faults{CreateFails: 0.3, CreateError: "transient"}},
		{"servers in error", Faults{ErrorServer: 0.2}},
		{"boots that never join", Faults{NeverJoins: 0.2}},
		{"shortage for an hour", Faults{Shortage: &Shortage{To: Duration(time.Hour)}}},
		{"schedd away", Faults{Blind: []Blind{{Sensor: SensorJobs, From: Duration(2 * time.Hour), To: Duration(3 * time.Hour)}}}},
		{"collector away", Faults{Blind: []Blind{{Sensor: SensorWorkers, From: Duration(2 * time.Hour), To: Duration(3 * time.Hour)}}}},
		{"collector restarted", Faults{Blind: []Blind{{Sensor: SensorWorkers, From: Duration(2 * time.Hour), To: Duration(150 * time.Minute), Empty: true}}}},
		{"cloud API away", Faults{Blind: []Blind{{Sensor: SensorClouds, From: Duration(2 * time.Hour), To: Duration(3 * time.Hour)}}}},
		{"cloud list cut short", Faults{Blind: []Blind{{Sensor: SensorClouds, From: Duration(2 * time.Hour), To: Duration(150 * time.Minute), Empty: true}}}},
		{"VMs vanish", Faults{Crashes: []Crash{{At: Duration(135 * time.Minute), Share: 0.3}}}},
		{"workers die", Faults{Crashes: []Crash{{At: Duration(135 * time.Minute), Share: 0.3, KeepServer: true}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := stageOf(t, troubled(tt.faults))
			policy, err := NewPolicy(Fair, s.Facts())
			require.NoError(t, err)
			w := newWorld(s, policy)
			require.NoError(t, w.run(t.Context()))
			r := w.result()
			assert.Zero(t, r.JobsKilled)
			assert.Zero(t, r.Unserved)
			assert.LessOrEqual(t, r.Makespan, 20.0)
			assert.Zero(t, w.meter.alive, "no VM is left when nothing has been there to do for hours")
			assert.Zero(t, w.meter.stopped)
		})
	}
}

// TestFaultsShow checks that the faults do happen.
func TestFaultsShow(t *testing.T) {
	t.Parallel()
	run := func(faults Faults) Result {
		r, err := Run(t.Context(), troubled(faults))
		require.NoError(t, err)
		return r
	}
	well := run(Faults{})
	assert.Zero(t, well.Failures)
	assert.Zero(t, well.JobsLost)
	assert.Positive(t, run(Faults{CreateFails: 0.5}).Failures)
	assert.Greater(t, run(Faults{ErrorServer: 0.5}).Boots, well.Boots)
	assert.Greater(t, run(Faults{NeverJoins: 0.5}).MeanWait, well.MeanWait)
	lost := run(Faults{Crashes: []Crash{{At: Duration(135 * time.Minute), Share: 1}}})
	assert.Positive(t, lost.JobsLost)
	assert.Positive(t, lost.LostHours)
	assert.Greater(t, run(Faults{Shortage: &Shortage{To: Duration(2 * time.Hour)}}).MeanWait, well.MeanWait+20)
}

// TestBlindSensors: one that fails keeps what it saw and says since when; one that is empty says that it is young, or
// not complete.
func TestBlindSensors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		blind Blind
		check func(t *testing.T, in elasticpool.Input)
	}{
		{"jobs fail", Blind{Sensor: SensorJobs}, func(t *testing.T, in elasticpool.Input) {
			t.Helper()
			assert.NotEmpty(t, in.Jobs[source].Err)
			assert.NotEmpty(t, in.Jobs[source].Value)
			assert.Equal(t, 31*time.Minute, in.Jobs[source].Age(in.Now))
		}},
		{"workers empty", Blind{Sensor: SensorWorkers, Empty: true}, func(t *testing.T, in elasticpool.Input) {
			t.Helper()
			assert.Empty(t, in.Workers.Err)
			assert.Empty(t, in.Workers.Value.List)
			assert.Equal(t, 30*time.Minute, in.Workers.Value.Since)
		}},
		{"clouds empty", Blind{Sensor: SensorClouds, Empty: true}, func(t *testing.T, in elasticpool.Input) {
			t.Helper()
			assert.False(t, in.Clouds[cloudName].Value.Complete)
			assert.Empty(t, in.Clouds[cloudName].Value.Servers)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.blind.From, tt.blind.To = Duration(time.Hour), Duration(2*time.Hour)
			c := troubled(Faults{Blind: []Blind{tt.blind}})
			c.Timing.Cycle = Duration(time.Minute)
			looked := false
			_, err := stageOf(t, c).Run(t.Context(), scripted(func(in elasticpool.Input) []elasticpool.Action {
				if in.Now.Sub(epoch) == 90*time.Minute {
					looked = true
					tt.check(t, in)
				}
				return nil
			}))
			require.NoError(t, err)
			assert.True(t, looked)
		})
	}
}
