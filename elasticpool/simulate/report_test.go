package simulate

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

func TestReport(t *testing.T) {
	t.Parallel()
	c := small("")
	c.Sample = Duration(10 * time.Minute)
	table, err := Compare(t.Context(), c, []string{Static, VCondor}, []float64{0.5, 0.8}, []uint64{1, 2})
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, WriteReport(&page, table))
	text := page.String()
	assert.Equal(t, 4, strings.Count(text, "<title>The pool over time"), "a drawing for each policy and load")
	assert.Equal(t, 2*2*2, strings.Count(text, "<tr><td>"), "a line for each run")
	assert.Contains(t, text, "2 seeds: 1, 2.")
	assert.NotRegexp(t, `(?i)(src|href)=|url\(|@import`, text, "nothing is loaded from elsewhere")
	assert.NotContains(t, text, "ZgotmplZ", "the template took nothing for dangerous")
	assert.NotContains(t, text, "NaN")
}

func TestReportOfNothing(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	require.NoError(t, WriteReport(&page, Comparison{}))
	assert.Contains(t, page.String(), "0 runs")
	assert.Nil(t, Comparison{}.Of(Fair, 0.8))
}

func TestReportEscapes(t *testing.T) {
	t.Parallel()
	s := &Series{
		Queues: []string{`<b>"&'`}, States: []string{"busy"},
		Points: []Point{{Hours: 0, Queues: make([]QueuePoint, 1), VMs: []int{1}}},
	}
	var svg bytes.Buffer
	require.NoError(t, s.WriteSVG(&svg))
	assert.NotContains(t, svg.String(), "<b>")
}

func TestSVGIsWellFormed(t *testing.T) {
	t.Parallel()
	c := small(VCondor)
	c.Sample = Duration(time.Minute)
	r, err := Run(t.Context(), c)
	require.NoError(t, err)
	require.Greater(t, len(r.Series.Points), 2*plotColumns)
	for name, s := range map[string]*Series{"a run": r.Series, "empty": {Queues: []string{"a"}, States: []string{"busy"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var svg bytes.Buffer
			require.NoError(t, s.WriteSVG(&svg))
			assert.Less(t, svg.Len(), 400_000, "points are thinned out")
			assert.NotContains(t, svg.String(), "NaN")
			decoder := xml.NewDecoder(&svg)
			elements := map[string]int{}
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				if start, ok := token.(xml.StartElement); ok {
					elements[start.Name.Local]++
				}
			}
			assert.Equal(t, 1, elements["svg"])
			assert.Equal(t, 3, elements["g"])
			assert.Equal(t, len(s.States)+3*len(s.Queues), elements["path"])
		})
	}
}

func TestCSV(t *testing.T) {
	t.Parallel()
	s := &Series{
		Queues: []string{"a", "b"}, States: stateNames(),
		Points: []Point{{Hours: 1.5, Queues: []QueuePoint{{1, 2, 3, 4}, {5, 6, 7, 8}}, VMs: []int{1, 2, 3, 4, 5, 6, 7, 8}}},
	}
	var text bytes.Buffer
	require.NoError(t, s.WriteCSV(&text))
	rows, err := csv.NewReader(&text).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Equal(t, "hours,a_waiting,a_running,a_vms,a_target,b_waiting,b_running,b_vms,b_target,vms_busy,vms_idle,"+
		"vms_draining,vms_warm,vms_booting,vms_broken,vms_deleting,vms_stopped", strings.Join(rows[0], ","))
	assert.Equal(t, "1.5,1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8", strings.Join(rows[1], ","))
	assert.ErrorIs(t, s.WriteCSV(full{}), errFull)
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestSeriesAddsUp: the VMs of all states are those that are there, and states that have names come up.
func TestSeriesAddsUp(t *testing.T) {
	t.Parallel()
	c := small(Fair)
	c.Sample = Duration(time.Minute)
	c.Faults = Faults{ErrorServer: 0.1}
	r, err := Run(t.Context(), c)
	require.NoError(t, err)
	seen := make([]int, stateCount)
	targets := 0
	for _, p := range r.Series.Points {
		sum := 0
		for i, n := range p.VMs {
			sum += n
			seen[i] += n
		}
		assert.LessOrEqual(t, sum, 30)
		for _, q := range p.Queues {
			targets += q.Target
		}
	}
	for _, state := range []int{stateBusy, stateIdle, stateBooting, stateWarm, stateBroken} {
		assert.Positive(t, seen[state], stateNames()[state])
	}
	assert.Positive(t, targets)
	assert.InEpsilon(t, r.BusyHours, float64(seen[stateBusy])/60, 0.02)
}

func TestTicks(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []float64{0, 50, 100, 150, 200}, ticks(200))
	assert.Equal(t, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, ticks(1))
	assert.Equal(t, []float64{0, 5, 10}, ticks(14))
	assert.Equal(t, []float64{0}, ticks(0))
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cycles := 0
	_, err := stageOf(t, small("")).Run(ctx, scripted(func(elasticpool.Input) []elasticpool.Action {
		if cycles++; cycles == 3 {
			cancel()
		}
		return nil
	}))
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 3, cycles)
	_, err = Compare(ctx, small(""), []string{Static}, nil, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTable(t *testing.T) {
	t.Parallel()
	c := Comparison{
		Policies: []string{Static, Fair}, Loads: []float64{0.5}, Seeds: []uint64{1, 2},
		Results: []Result{{MeanWait: 10, BusyRatio: 0.5}, {MeanWait: 20, BusyRatio: 0.7}, {}, {}},
	}
	var text bytes.Buffer
	require.NoError(t, WriteTable(&text, c))
	lines := strings.Split(text.String(), "\n")
	require.Len(t, lines, 5)
	assert.Contains(t, lines[0], "| load | policy | mean wait, min |")
	assert.Equal(t, "| 0.5 | static | 15 | 0 | 0.0 | 0 | 0 | 0.600 | 0 | 0.000 | 0 | 0 | 0.000 |", lines[2])
	assert.ErrorIs(t, WriteTable(full{}, c), errFull)
}
