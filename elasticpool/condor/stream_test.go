package condor

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// TestLongQueuesTakeNoMemory reads 100,000 whole ads of jobs, 240 MB, from a tool through a pipe.
func TestLongQueuesTakeNoMemory(t *testing.T) { //nolint:paralleltest // it measures the heap
	const megabyte = 1 << 20
	jobs := 100_000
	if raceDetector {
		jobs = 10_000
	}
	p := newFake(t, rule{With: []string{"-group-by"}, Jobs: jobs}).pool(t, func(c *Config) { c.Timeout = elasticpool.Duration(5 * time.Minute) })
	var most uint64
	sampled := p.newTally("s")
	bytesRead := int64(0)
	err := p.run(t.Context(), call{op: "jobs", tool: "condor_q", args: []string{"-group-by"}, read: func(output io.Reader) error {
		n := 0
		counted := &counting{from: output}
		defer func() { bytesRead = counted.n }()
		return eachAd(counted, func(a ad) error {
			r, _, err := p.rowOf(a)
			sampled.add(r)
			if n++; n%5000 == 0 {
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			return err
		})
	}})
	require.NoError(t, err)
	assert.Greater(t, bytesRead, int64(jobs)*2350)
	assert.Less(t, most, uint64(32*megabyte))
	total := 0
	for _, group := range sampled.list() {
		total += group.Idle + group.Running
	}
	assert.Equal(t, jobs, total)
}

type counting struct {
	from io.Reader
	n    int64
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.n += int64(n)
	return n, err
}

// FuzzEachAd: no answer makes it panic, and one that is accepted is a list that encoding/json accepts too.
func FuzzEachAd(f *testing.F) {
	for _, name := range []string{"condor_q_groupby.json", "condor_status.json", "condor_status_collector.json"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(f, err)
		f.Add(text)
	}
	for _, text := range []string{"", " ", "[]", "[{}", `[{"JobStatus": 1, "RequestCpus": 1e400}]`, `[{"JobStatus": 1, "RequestCpus": "\/Expr(1/0)\/"}]`, "[null]", "{}", "[] []"} {
		f.Add([]byte(text))
	}
	p, err := New(Config{Schedds: []string{"s"}, Runtime: "MaxWallTimeMins"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		found, count := p.newTally("s"), 0
		workers := newRoster(p, time.Unix(1796024270, 0))
		err := eachAd(bytes.NewReader(text), func(a ad) error {
			count++
			if r, _, err := p.rowOf(a); err == nil {
				found.add(r)
			}
			workers.add(a)
			return nil
		})
		for _, group := range found.list() {
			for name, amount := range group.Request {
				assert.Positive(t, amount, name)
			}
		}
		_ = workers.list()
		if err != nil || len(bytes.TrimSpace(text)) == 0 {
			return
		}
		var floor []map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&floor))
		assert.Len(t, floor, count)
	})
}

// FuzzLines: no line makes it panic, and what it reads has amounts that are none or not negative.
func FuzzLines(f *testing.F) {
	f.Add(`1, 1796025600, 28, 0, 5, 1, 2, 4096, 45, undefined, undefined, 7, "group_juno", "", "Capability >= 7"`)
	f.Add(`1, 2, 3, 4, undefined, undefined, 1.5, error, 1e30, -4, true, undefined, "a, \"b\"", "x\", "y"`)
	f.Add(`1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "unended\", "\", ""`)
	p, err := New(Config{Schedds: []string{"s"}, Runtime: "MaxWallTimeMins"})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		err := p.eachLine(strings.NewReader(text), func(r row, _ [2]int64) error {
			for _, amount := range r.amounts {
				assert.GreaterOrEqual(t, amount, int64(-1))
			}
			assert.GreaterOrEqual(t, r.runtime, int64(0))
			return nil
		})
		if err == nil && strings.TrimSpace(text) != "" && !strings.ContainsAny(text, ",") {
			t.Errorf("%q has too few columns", text)
		}
	})
}

// TestLines: texts are whatever users write.
func TestLines(t *testing.T) {
	t.Parallel()
	p, err := New(Config{Schedds: []string{"s"}})
	require.NoError(t, err)
	const numbers = `1, 1796025600, 28, 3, 5, 1, 2, 4096, 45, undefined, 1, `
	for _, test := range []struct {
		name, line string
		queue      string
		requires   []string // of FPGAs, GPUs
		wrong      string
	}{
		{name: "plain", line: numbers + `"group_juno", "", "Capability >= 7"`, queue: "group_juno", requires: []string{"", "Capability >= 7"}},
		{name: "quotation marks", line: numbers + `"a \"b\", c", "", "DeviceName != \"a, \\"b\\"\""`, queue: `a "b", c`, requires: []string{"", `DeviceName != "a, \"b\""`}},
		{name: "undefined", line: numbers + `undefined, undefined, "x"`, requires: []string{"", "x"}},
		{name: "an error", line: numbers + `error, error, error`, requires: []string{"", ""}},
		{name: "backslashes", line: numbers + `"a\b", "", ""`, queue: `a\b`, requires: []string{"", ""}},
		{name: "backslash at the end", line: numbers + `"a\", "", "x"`, wrong: "texts are missing"},
		{name: "too few texts", line: numbers + `"a", ""`, wrong: "texts are missing"},
		{name: "too few numbers", line: `1, 2, 3`, wrong: "is no number"},
		{name: "usage", line: "Usage: condor_q", wrong: "is no number"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []row
			err := p.eachLine(strings.NewReader(test.line+"\n"), func(r row, special [2]int64) error {
				assert.Equal(t, [2]int64{1, 1796025600}, special)
				r.requires = append([]string(nil), r.requires...)
				got = append(got, r)
				return nil
			})
			if test.wrong != "" {
				require.ErrorContains(t, err, test.wrong)
				require.ErrorContains(t, err, "line 1")
				return
			}
			require.NoError(t, err)
			require.Len(t, got, 1)
			assert.Equal(t, test.queue, got[0].queue)
			assert.Equal(t, test.requires, got[0].requires[3:])
			assert.Equal(t, "28.3", got[0].id)
		})
	}
}

// BenchmarkJobs reads 100,000 jobs: one by one as ads and as lines, and as the one group that they are. The ratio is to
// what encoding/json takes to read the ads and no more.
func BenchmarkJobs(b *testing.B) {
	const jobs = 100_000
	p, err := New(Config{Schedds: []string{"s"}})
	require.NoError(b, err)
	var ads, lines strings.Builder
	separator := "["
	for i := range jobs {
		text, err := json.Marshal(map[string]any{
			"AcctGroup": "group_juno", "JobStatus": 1 + i%2, "JobUniverse": 5, "MinHosts": 1, "RequestCpus": 1 + i%4, "RequestMemory": 2048, "RequestDisk": 1024, "ClusterId": i,
		})
		require.NoError(b, err)
		ads.WriteString(separator + string(text))
		lines.WriteString(`1, 1796025600, 28, 0, 5, 1, 2, 4096, 45, undefined, undefined, "group_juno", "", ""` + "\n")
		separator = "\n,\n"
	}
	ads.WriteString("]")
	begin := time.Now()
	decoder := json.NewDecoder(strings.NewReader(ads.String()))
	_, err = decoder.Token()
	require.NoError(b, err)
	for decoder.More() {
		var a map[string]any
		require.NoError(b, decoder.Decode(&a))
	}
	floor := time.Since(begin)

	for _, bench := range []struct {
		name string
		read func(found *tally) error
	}{
		{name: "ads", read: func(found *tally) error {
			return eachAd(strings.NewReader(ads.String()), func(a ad) error {
				r, _, err := p.rowOf(a)
				found.add(r)
				return err
			})
		}},
		{name: "lines", read: func(found *tally) error {
			return p.eachLine(strings.NewReader(lines.String()), func(r row, special [2]int64) error {
				r.status, r.queued, r.count = special[0], special[1], 1
				found.add(r)
				return nil
			})
		}},
		{name: "group", read: func(found *tally) error {
			return eachAd(strings.NewReader(`[{"AcctGroup": "group_juno", "JobCount": 100000, "JobStatus": 1, "RequestCpus": 1}]`), func(a ad) error {
				r, _, err := p.rowOf(a)
				found.add(r)
				return err
			})
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				found := p.newTally("s")
				require.NoError(b, bench.read(found))
				total := 0
				for _, group := range found.list() {
					total += group.Idle + group.Running
				}
				require.Equal(b, jobs, total)
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "x-json")
		})
	}
}
