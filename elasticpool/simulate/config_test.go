package simulate

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestConfigDefaults(t *testing.T) {
	t.Parallel()
	c, err := Config{}.WithDefaults()
	require.NoError(t, err)
	assert.Equal(t, Fair, c.Name)
	assert.Equal(t, 14*24*time.Hour, c.Window())
	assert.Equal(t, 200, c.VMs)
	assert.InDelta(t, 0.8, c.Load, 0)
	assert.Equal(t, Duration(time.Minute), c.Timing.Cycle)
	assert.Len(t, c.Shape.Queues, 3)

	again, err := c.WithDefaults()
	require.NoError(t, err)
	assert.Equal(t, c, again, "defaults are filled in once")
}

func TestConfigKeepsTheLoadOfATrace(t *testing.T) {
	t.Parallel()
	c, err := Config{Trace: "some.swf"}.WithDefaults()
	require.NoError(t, err)
	assert.Zero(t, c.Load)
}

func TestConfigTakesTheCycleOfThePool(t *testing.T) {
	t.Parallel()
	pool := twoQueues()
	pool.Control.Cycle = Duration(15 * time.Second)
	cycle := func(c Config) time.Duration {
		var times []time.Time
		_, err := stageOf(t, c).Run(t.Context(), scripted(func(in elasticpool.Input) []elasticpool.Action {
			times = append(times, in.Now)
			return nil
		}))
		require.NoError(t, err)
		return times[1].Sub(times[0])
	}
	assert.Equal(t, 15*time.Second, cycle(Config{Policy: pool, Days: 0.01}))
	c := Config{Policy: pool, Days: 0.01, Timing: Timing{Cycle: Duration(20 * time.Second)}}
	assert.Equal(t, 20*time.Second, cycle(c))
	assert.Equal(t, Duration(20*time.Second), stageOf(t, c).Facts().Pool.Control.Cycle)
}

func TestConfigIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give Config
		want string
	}{
		{"days", Config{Days: -1}, "days is -1"},
		{"days nan", Config{Days: math.NaN()}, "days is NaN"},
		{"vms", Config{VMs: -3}, "vms is -3"},
		{"load", Config{Load: -0.5}, "load is -0.5"},
		{"tail", Config{Tail: -1}, "tail is -1ns"},
		{"sample", Config{Sample: -1}, "sample is -1ns"},
		{"cycle", Config{Timing: Timing{Cycle: Duration(time.Millisecond)}}, "timing.cycle is 1ms, the least is 1s"},
		{"boot below its spread", Config{Timing: Timing{Boot: Duration(time.Second)}}, "timing.boot is 1s, the least is 30s"},
		{"join", Config{Timing: Timing{JoinMost: Duration(time.Second)}}, "timing.join_most is 1s, the least is 2s"},
		{"shape", Config{Shape: Shape{GapShape: 11}}, "shape.gap_shape is 11, it must be from 0.2 to 10"},
		{"kind", Config{Shape: Shape{Kind: "calm"}}, `shape.kind is "calm"`},
		{"two queues of one name", Config{Shape: Shape{Queues: []QueueShape{{Name: "a", Share: 1}, {Name: "a", Share: 1}}}}, `shape.queues[1].name is "a"`},
		{"queue without work", Config{Shape: Shape{Queues: []QueueShape{{Name: "a"}}}}, "the share must be above 0"},
		{"swf field", Config{SWF: SWF{By: "color"}}, `swf.by is "color"`},
		{"swf memory", Config{SWF: SWF{Memory: "much"}}, `swf.memory is "much"`},
		{"fault share", Config{Faults: Faults{NeverJoins: 2}}, "faults.never_joins is 2"},
		{"crash share", Config{Faults: Faults{Crashes: []Crash{{Share: -1}}}}, "faults.crashes[0].share is -1"},
		{"sensor", Config{Faults: Faults{Blind: []Blind{{Sensor: "nose"}}}}, `faults.blind[0].sensor is "nose"`},
		{"error word", Config{Faults: Faults{CreateError: "sulk"}}, `faults.create_error is "sulk"`},
		{"policy", Config{Name: "wishful"}, `policy "wishful" is unknown`},
		{"trace", Config{Trace: "/no/such/file.swf"}, "trace: open /no/such/file.swf"},
		{"queues of another pool", Config{Policy: &elasticpool.Policy{Queues: []elasticpool.Queue{{Name: "b"}}}, Shape: Shape{Queues: []QueueShape{{Name: "a", Share: 1}}}}, "shape.queues has a"},
		{"no room", Config{Policy: &elasticpool.Policy{Queues: []elasticpool.Queue{{Name: "b"}}}}, "no class has room"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := Run(t.Context(), tt.give)
			require.ErrorIs(t, err, ErrConfig)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestConfigIsWrittenAndReadAsJSON(t *testing.T) {
	t.Parallel()
	c, err := Config{Seed: 7, Faults: Faults{Crashes: []Crash{{At: Duration(time.Hour), Share: 0.5}}}}.WithDefaults()
	require.NoError(t, err)
	text, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"cycle":"1m0s"`)
	var back Config
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, c, back)
}

func TestRoomOfSeveralClasses(t *testing.T) {
	t.Parallel()
	pool := elasticpool.Policy{Classes: []elasticpool.Class{
		{Name: "gpu", Cloud: "a", Takes: elasticpool.Resources{"cpus": 8, "gpus": 1}, Slot: elasticpool.Resources{"cpus": 8, "gpus": 1}},
		{Name: "big", Cloud: "a", Takes: elasticpool.Resources{"cpus": 8}, Slot: elasticpool.Resources{"cpus": 8}, Max: 2},
		{Name: "small", Cloud: "a", Takes: elasticpool.Resources{"cpus": 1}, Slot: elasticpool.Resources{"cpus": 1}},
		{Name: "elsewhere", Cloud: "b", Takes: elasticpool.Resources{"cpus": 4}, Slot: elasticpool.Resources{"cpus": 4}},
		{Name: "nowhere", Cloud: "c", Takes: elasticpool.Resources{"cpus": 4}, Slot: elasticpool.Resources{"cpus": 4}},
	}}
	capacity := map[string]elasticpool.Resources{"a": {"cpus": 50, "gpus": 3}, "b": {"vms": 5}}
	counts := room(pool, capacity)
	assert.Equal(t, []int{3, 2, 10, 5, 0}, counts)
	assert.Equal(t, elasticpool.Resources{"cpus": 24 + 16 + 10 + 20, "gpus": 3}, slots(pool, counts))
}
