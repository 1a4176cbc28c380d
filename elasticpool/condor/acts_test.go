package condor

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

var vm1 = elasticpool.Worker{VM: "vm1", Name: "vm1.realstack"}

// TestJoin starts the startd, waits for its slot, and binds it; the daemon ad of the startd, which comes later (trap 8),
// is not needed.
func TestJoin(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{Tool: "condor_status", Out: `[{"ElasticVM": "other"}]`, Once: true},
		rule{Tool: "condor_status", Out: `[{"ElasticVM": "other"}, {"ElasticVM": "vm1"}]`})
	require.NoError(t, f.pool(t, nil).Join(t.Context(), vm1, "juno"))
	var lines []string
	for _, c := range f.calls(t) {
		lines = append(lines, strings.Join(c.Args, " "))
	}
	look := `condor_status -json -attributes ElasticVM -constraint ElasticVM =!= undefined`
	assert.Equal(t, []string{
		`condor_config_val -master -name vm1.realstack -rset START_DAEMONS = True`,
		`condor_on -startd -name vm1.realstack`,
		look, look,
		`condor_config_val -startd -name vm1.realstack -rset ElasticQueue = "group_juno"`,
		`condor_reconfig -name vm1.realstack`,
	}, lines)
}

// TestManyJoinsShareTheirLooks: VCondor asked the collector every 2 s for each VM that started.
func TestManyJoinsShareTheirLooks(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{Tool: "condor_status", Out: `[{"ElasticVM": "vm1"}]`})
	p := f.pool(t, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { assert.NoError(t, p.awaitSlots(t.Context(), vm1)) })
	}
	wg.Wait()
	assert.Less(t, len(f.calls(t)), 8)
}

// TestJoinFails in every way that it can.
func TestJoinFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		rules  []rule
		worker elasticpool.Worker
		queue  string
		want   error
	}{
		{name: "no master", rules: []rule{{Tool: "condor_on", Err: "Can't find address for master vm1.realstack\n", Exit: 1}}, worker: vm1, queue: "q", want: elasticpool.ErrNoWorker},
		{name: "not allowed", rules: []rule{{Tool: "condor_config_val", Err: `Attempt to set configuration "…" on master failed.`, Exit: 1}}, worker: vm1, queue: "q", want: ErrFailed},
		{name: "no slot", worker: vm1, queue: "q", want: ErrTimeout},
		{name: "no collector", rules: []rule{{Tool: "condor_status", Err: "Error: communication error", Exit: 1}}, worker: vm1, queue: "q", want: ErrFailed},
		{name: "option for a name", worker: elasticpool.Worker{Name: "-all"}, queue: "q", want: ErrName},
		{name: "no name", worker: elasticpool.Worker{}, queue: "q", want: ErrName},
		{name: "no queue", worker: vm1, want: ErrName},
		{name: "macro for a queue", worker: vm1, queue: "$(PASSWORD)", want: ErrName},
		{name: "lines for a queue", worker: vm1, queue: "a\nSTART = True", want: ErrName},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newFake(t, test.rules...).pool(t, func(c *Config) {
				c.Timeout = elasticpool.Duration(time.Minute) // a busy machine may be slow to run a tool
				if errors.Is(test.want, ErrTimeout) {
					c.Timeout = elasticpool.Duration(5 * time.Second)
				}
			})
			require.ErrorIs(t, p.Join(t.Context(), test.worker, test.queue), test.want)
			if errors.Is(test.want, ErrName) {
				require.ErrorIs(t, p.Bind(t.Context(), test.worker, test.queue), ErrName)
			}
		})
	}
}

// TestDrain with the words of the real tools.
func TestDrain(t *testing.T) {
	t.Parallel()
	said := errorTexts(t)
	busy := said["condor_drain -graceful -check false slot1@vm1.realstack"]
	again := said["condor_drain -graceful slot1@vm1.realstack again"]
	unknown := said["condor_drain -graceful slot1@nosuch.realstack"]
	const keeps = `"Unclaimed", 31536000, 0` + "\n" + `"Claimed", 31536000, 31530000` + "\n"
	for _, test := range []struct {
		name     string
		onlyIdle bool
		slots    string
		err      string
		evict    bool
		want     error
		text     string
		tools    []string
	}{
		{name: "idle", onlyIdle: true, tools: []string{"condor_drain"}},
		{name: "busy", onlyIdle: true, err: busy, want: elasticpool.ErrBusy, tools: []string{"condor_drain"}},
		{name: "drains already", slots: keeps, err: again, tools: []string{"condor_status", "condor_drain"}},
		{name: "unknown", onlyIdle: true, err: unknown, want: elasticpool.ErrNoWorker, tools: []string{"condor_drain"}},
		{name: "jobs may end", slots: keeps, tools: []string{"condor_status", "condor_drain"}},
		{name: "jobs would be ended", slots: `"Claimed", 0, 0` + "\n", want: ErrEvicts, text: "MAXJOBRETIREMENTTIME", tools: []string{"condor_status"}},
		{name: "an old job would be ended", slots: `"Claimed", 604800, 60` + "\n", want: ErrEvicts, text: "1m0s", tools: []string{"condor_status"}},
		{name: "unknown retirement", slots: `"Claimed", undefined, undefined` + "\n", want: ErrEvicts, tools: []string{"condor_status"}},
		{name: "not understood", slots: "WARNING\n", want: ErrEvicts, tools: []string{"condor_status"}},
		{name: "no slots", want: elasticpool.ErrNoWorker, tools: []string{"condor_status"}},
		{name: "ended on purpose", evict: true, tools: []string{"condor_drain"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			drain := rule{Tool: "condor_drain", Err: test.err, Exit: min(1, len(test.err))}
			f := newFake(t, rule{Tool: "condor_status", Out: test.slots}, drain)
			err := f.pool(t, func(c *Config) { c.Evict = test.evict }).Drain(t.Context(), vm1, test.onlyIdle)
			require.ErrorIs(t, err, test.want)
			if test.text != "" {
				require.ErrorContains(t, err, test.text)
			}
			assert.Equal(t, test.tools, f.tools(t))
			for _, c := range f.calls(t) {
				if c.Args[0] == "condor_drain" {
					assert.Equal(t, "slot1@vm1.realstack", c.Args[len(c.Args)-1])
					assert.Equal(t, test.onlyIdle, strings.Contains(strings.Join(c.Args, " "), "-check "+idle))
				}
			}
		})
	}
}

// TestCancelDrain may be repeated; a worker that has gone cannot come back by it.
func TestCancelDrain(t *testing.T) {
	t.Parallel()
	f := newFake(t, rule{Once: true}, rule{Err: "ERROR: Can't find address for startd slot1@vm1.realstack\n", Exit: 1})
	p := f.pool(t, nil)
	require.NoError(t, p.CancelDrain(t.Context(), vm1))
	require.ErrorIs(t, p.CancelDrain(t.Context(), vm1), elasticpool.ErrNoWorker)
	assert.Equal(t, []string{"condor_drain", "-cancel", "slot1@vm1.realstack"}, f.calls(t)[0].Args)
	require.ErrorIs(t, p.CancelDrain(t.Context(), elasticpool.Worker{Name: "a b"}), ErrName)
	require.ErrorIs(t, p.Drain(t.Context(), elasticpool.Worker{Name: "a b"}, true), ErrName)
	require.ErrorIs(t, p.Free(t.Context(), elasticpool.Worker{Name: "a b"}), ErrName)
}

// TestFree vacates at every schedd what runs there on the worker, and nothing else. Nothing is held and released: a job
// that is released while its last shadow is still there stays idle when that has ended.
func TestFree(t *testing.T) {
	t.Parallel()
	f := newFake(t,
		rule{Tool: "condor_q", With: []string{"-name b "}}, // none runs
		rule{Tool: "condor_q", Out: `[{"ClusterId": 1}]`})
	p := f.pool(t, func(c *Config) { c.Schedds = []string{"a", "b"} })
	require.NoError(t, p.Free(t.Context(), vm1))
	assert.Equal(t, []string{"condor_q", "condor_vacate_job", "condor_q", "condor_advertise", "condor_advertise"}, f.tools(t))
	var commands []string
	for _, c := range f.calls(t) {
		switch c.Args[0] {
		case "condor_vacate_job":
			assert.Equal(t, `condor_vacate_job -name a -fast -constraint (JobStatus == 2 || JobStatus == 6 || JobStatus == 7)`+
				` && regexp("(^|@)vm1[.]realstack$", RemoteHost)`, strings.Join(c.Args, " "))
		case "condor_advertise":
			commands = append(commands, c.Args[1])
			assert.Contains(t, c.Stdin, `Requirements = ElasticVM =?= "vm1"`)
			assert.Contains(t, c.Stdin, `MyType = "Query"`)
		}
	}
	assert.ElementsMatch(t, []string{"INVALIDATE_STARTD_ADS", "INVALIDATE_MASTER_ADS"}, commands)
}

// TestFreeFails: what is not known is not taken for done, and jobs that move on meanwhile are no error.
func TestFreeFails(t *testing.T) {
	t.Parallel()
	running := rule{Tool: "condor_q", Out: `[{"ClusterId": 1}]`}
	none := rule{Tool: "condor_vacate_job", Err: "\nCouldn't find/fast-vacate all jobs matching constraint (…)\n", Exit: 1}
	for _, test := range []struct {
		name  string
		rules []rule
		want  error
	}{
		{name: "schedd off", rules: []rule{{Tool: "condor_q", Err: "Error: no", Exit: 1}}, want: ErrFailed},
		{name: "vacate fails", rules: []rule{running, {Tool: "condor_vacate_job", Err: "Error: no", Exit: 1}}, want: ErrFailed},
		{name: "vacate is not allowed", rules: []rule{running, none}, want: ErrFailed},
		{name: "jobs have ended", rules: []rule{{Tool: "condor_q", Out: running.Out, Once: true}, none}},
		{name: "schedd goes away meanwhile", rules: []rule{
			{Tool: "condor_q", Out: running.Out, Once: true}, {Tool: "condor_q", Err: "Error: no", Exit: 1}, none,
		}, want: ErrFailed},
		{name: "collector off", rules: []rule{{Tool: "condor_advertise", Err: "failed to send classad", Exit: 1}}, want: ErrFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorIs(t, newFake(t, test.rules...).pool(t, nil).Free(t.Context(), vm1), test.want)
		})
	}
}
