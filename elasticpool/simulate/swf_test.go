package simulate

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const smallLog = `; Version: 2.2
; MaxProcs:  430
;
;    Note: two lines of it

  1  100  5  3600  4 -1 2048  4 7200 1048576 1 11 2 -1 3 1 -1 -1
  2   40 -1    60 -1 -1   -1  2   -1      -1 0 12 2 -1 1 1 -1 -1
  3   50 -1    -1 -1 -1   -1  2   -1      -1 5 12 2 -1 1 1 -1 -1
  4   60 -1   120  1 -1   -1 -1   -1      -1 3 12 2 -1 1 1 -1 -1
  5  160  0   0.4  1 -1   -1 -1  600      -1 1 13 9 -1 3 2  1 60
`

func TestSWFReader(t *testing.T) {
	t.Parallel()
	r := NewSWFReader(strings.NewReader(smallLog), "small.swf")
	first, err := r.Next()
	require.NoError(t, err)
	assert.Equal(t, SWFRecord{
		Number: 1, Submit: 100, Wait: 5, Runtime: 3600, Procs: 4, CPUTime: -1, Memory: 2048, WantedProcs: 4,
		WantedTime: 7200, WantedMemory: 1048576, Status: 1, User: 11, Group: 2, Executable: -1, Queue: 3, Partition: 1,
		PrecedingJob: -1, ThinkTime: -1, lineOfTheFile: 6,
	}, first)
	assert.Equal(t, "430", r.Header("MaxProcs"))
	assert.Equal(t, "two lines of it", r.Header("Note"))
	assert.Empty(t, r.Header("Computer"))
	for range 4 {
		_, err = r.Next()
		require.NoError(t, err)
	}
	_, err = r.Next()
	assert.ErrorIs(t, err, io.EOF)
}

func TestSWFErrorsNameTheirPlace(t *testing.T) {
	t.Parallel()
	good := "1 100 5 3600 4 -1 2048 4 7200 1048576 1 11 2 -1 3 1 -1 -1\n"
	for _, tt := range []struct{ name, line, want string }{
		{"short", "1 2 3", "t.swf:2: 3 fields, a job has 18"},
		{"long", strings.TrimSpace(good) + " 7", "t.swf:2: 19 fields"},
		{"word", strings.Replace(good, "3600", "soon", 1), `t.swf:2: field 4 is "soon"`},
		{"nan", strings.Replace(good, "3600", "NaN", 1), `t.swf:2: field 4 is "NaN"`},
		{"fraction of a processor", strings.Replace(good, " 4 ", " 4.5 ", 1), `t.swf:2: field 5 is "4.5", it must be an integer`},
		{"below -1", strings.Replace(good, "100", "-2", 1), `t.swf:2: field 2 is "-2"`},
		{"huge", strings.Replace(good, "3600", "1e300", 1), `t.swf:2: field 4 is "1e300"`},
		{"no submit time", strings.Replace(good, "100", "-1", 1), "t.swf:2: field 2 (submit time) is unknown"},
		{"many processors", strings.Replace(good, " 4 ", " 1000001 ", 1), "t.swf:2: more than 1000000 processors"},
		{"endless line", strings.Repeat("1 ", longestLine), "t.swf:2: bufio.Scanner: token too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadJobs(strings.NewReader(good+tt.line), "t.swf", SWF{})
			require.ErrorIs(t, err, ErrTrace)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestSWFReadErrorIsNotTheEnd(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	_, err := ReadJobs(io.MultiReader(strings.NewReader("; Version: 2.2\n"), failing{broken}), "t.swf", SWF{})
	assert.ErrorIs(t, err, broken)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestSWFJobs(t *testing.T) {
	t.Parallel()
	one := elasticpool.Resources{"cpus": 1, "memory_mb": 2000}
	for _, tt := range []struct {
		name string
		give SWF
		want []Job
	}{
		{"by queue", SWF{}, []Job{
			{Queue: "queue-1", Runtime: time.Minute, Request: elasticpool.Resources{"cpus": 2, "memory_mb": 4000}},
			{Queue: "queue-3", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: elasticpool.Resources{"cpus": 4, "memory_mb": 4096}},
			{Queue: "queue-3", Submit: 120 * time.Second, Runtime: time.Second, Limit: 10 * time.Minute, Request: one},
		}},
		{"by group, one of them, used memory", SWF{By: "group", Queues: map[string]string{"2": "JUNO"}, Memory: "used"}, []Job{
			{Queue: "JUNO", Runtime: time.Minute, Request: elasticpool.Resources{"cpus": 2, "memory_mb": 4000}},
			{Queue: "JUNO", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: elasticpool.Resources{"cpus": 4, "memory_mb": 8}},
		}},
		{"by user, no memory", SWF{By: "user", Queues: map[string]string{"11": "A"}, Memory: "none"}, []Job{
			{Queue: "A", Runtime: time.Hour, Limit: 2 * time.Hour, Request: elasticpool.Resources{"cpus": 4, "memory_mb": 8000}},
		}},
		{"split", SWF{By: "partition", Queues: map[string]string{"1": "A", "2": "A"}, Memory: "none", Split: true}, []Job{
			{Queue: "A", Runtime: time.Minute, Request: one},
			{Queue: "A", Runtime: time.Minute, Request: one},
			{Queue: "A", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: one},
			{Queue: "A", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: one},
			{Queue: "A", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: one},
			{Queue: "A", Submit: 60 * time.Second, Runtime: time.Hour, Limit: 2 * time.Hour, Request: one},
			{Queue: "A", Submit: 120 * time.Second, Runtime: time.Second, Limit: 10 * time.Minute, Request: one},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			jobs, err := ReadJobs(strings.NewReader(smallLog), "small.swf", tt.give)
			require.NoError(t, err)
			assert.Equal(t, tt.want, jobs)
		})
	}
}

func TestSWFWithoutJobs(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]SWF{"none wanted": {Queues: map[string]string{"77": "A"}}, "bad": {By: "x"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadJobs(strings.NewReader(smallLog), "small.swf", options)
			assert.Error(t, err)
		})
	}
}

func FuzzSWF(f *testing.F) {
	f.Add(smallLog, false)
	f.Add("1 1e12 5 1e12 4 -1 2048 4 7200 1048576 1 11 2 -1 3 1 -1 -1", true)
	f.Add(";;;: \n\n\x00", true)
	f.Fuzz(func(t *testing.T, text string, split bool) {
		jobs, err := ReadJobs(strings.NewReader(text), "fuzz", SWF{Split: split && len(text) < 200})
		if err != nil {
			require.ErrorIs(t, err, ErrTrace)
			return
		}
		require.NotEmpty(t, jobs)
		assert.Zero(t, jobs[0].Submit)
		for i, j := range jobs {
			assert.Positive(t, j.Runtime)
			assert.Positive(t, j.Request[elasticpool.CPUs])
			assert.Positive(t, j.Request[elasticpool.Memory])
			assert.GreaterOrEqual(t, j.Limit, time.Duration(0))
			if i > 0 {
				assert.LessOrEqual(t, jobs[i-1].Submit, j.Submit)
			}
		}
	})
}

func TestSecondsHoldWithinDurations(t *testing.T) {
	t.Parallel()
	assert.Equal(t, 3*time.Second, seconds(2.6))
	assert.Positive(t, seconds(largestField))
	assert.Positive(t, seconds(math.MaxFloat64))
}
