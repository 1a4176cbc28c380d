package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

const goTestOutput = `goos: linux
pkg: example.org/one
BenchmarkQuery/3_groups-2    	     842	    375991 ns/op	         1.874 ratio	   10812 B/op	     208 allocs/op
BenchmarkBind 	 10	 5.5e+03 ns/op	 1.2 ×floor
BenchmarkBroken-2 	 10	 soon ns/op
BenchmarkBusy
--- FAIL: BenchmarkBusy
ok  	example.org/one	10.508s
`

func TestParseBenchmarks(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]measured{
		"Query/3_groups": {"ns/op": 375991, "ratio": 1.874, "B/op": 10812, "allocs/op": 208},
		"Bind":           {"ns/op": 5500, "×floor": 1.2},
	}, parseBenchmarks(goTestOutput))
}

func FuzzParseBenchmarks(f *testing.F) {
	f.Add(goTestOutput)
	f.Fuzz(func(t *testing.T, output string) {
		for name, figures := range parseBenchmarks(output) {
			assert.NotEmpty(t, figures, name)
		}
	})
}

func TestNamesOf(t *testing.T) {
	t.Parallel()
	all := []benchmark{{pkg: "a", name: "Match/search/3_groups"}, {pkg: "b", name: "Other"}, {pkg: "a", name: "Bind"}}
	assert.Equal(t, "^BenchmarkMatch$/^search$/^3_groups$|^BenchmarkBind$", namesOf(all, "a"))
}

// Every row of the packages is a benchmark that is there.
func TestBenchmarksExist(t *testing.T) {
	t.Parallel()
	for _, b := range append(benchmarks(), memoryBenchmarks()...) {
		top, _, _ := strings.Cut(b.name, "/")
		files, err := filepath.Glob("../../" + b.pkg + "/*_test.go")
		require.NoError(t, err)
		var found, reported bool
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found = found || strings.Contains(string(text), "func Benchmark"+top+"(")
			reported = reported || b.metric == "" || strings.Contains(string(text), `"`+b.metric+`"`)
		}
		assert.True(t, found, "%s of %s", b.name, b.pkg)
		assert.True(t, reported, "%s of %s reports %s", b.name, b.pkg, b.metric)
	}
}

// The page in docs is what this program writes, but for the figures.
func TestPageIsGenerated(t *testing.T) {
	t.Parallel()
	page, err := render(newResults(quick))
	require.NoError(t, err)
	require.NoError(t, checkPage("../../docs/performance.md", page))
}

func TestCheckPageFindsWhatWasEdited(t *testing.T) {
	t.Parallel()
	r := newResults(quick)
	page, err := render(r)
	require.NoError(t, err)
	r.Bare[0].Ours, r.Bare[0].Theirs, r.Bare[0].Ratio, r.Cores = "1/s", "2/s", 0.5, 77
	other, err := render(r)
	require.NoError(t, err)
	require.NotEqual(t, page, other)
	path := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(path, []byte(other), 0o600))
	require.NoError(t, checkPage(path, page), "figures may differ")

	for name, edited := range map[string]string{
		"a goal":     strings.Replace(other, "≥ 0.7", "≥ 0.1", 1),
		"a sentence": strings.Replace(other, "Ratios, because", "Numbers, because", 1),
		"a row":      strings.Replace(other, "| fakecyborg: read one ARQ, 1 connection |", "| another |", 1),
	} {
		require.NotEqual(t, other, edited, name)
		require.NoError(t, os.WriteFile(path, []byte(edited), 0o600))
		require.ErrorIs(t, checkPage(path, page), errPage, name)
	}
}

func TestRow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, want string
		row        row
		missed     bool
	}{
		{name: "no goal", row: row{Ratio: 1.234, Relation: "times as long"}, want: "1.2 times as long"},
		{name: "reached", row: row{Ratio: 250.4, Relation: "times as fast", Goal: goal{atLeast: 200}}, want: "250 times as fast"},
		{name: "missed", row: row{Ratio: 12345, Relation: "times as fast", Goal: goal{atLeast: 20000}}, want: "12,000 times as fast, **missed**", missed: true},
		{name: "too much", row: row{Ratio: 1.51, Relation: "times as long", Goal: goal{atMost: 1.5}}, want: "1.5 times as long, **missed**", missed: true},
		{name: "no peer", row: row{Missing: "no cloud", Goal: goal{atLeast: 2}}, want: "not measured: no cloud"},
		{name: "nothing to compare with", row: row{Ours: "1 s"}, want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.row.RatioText())
			r := &results{Cyborg: []*row{&test.row}}
			if err := r.missed(); test.missed {
				assert.ErrorContains(t, err, test.row.Goal.String())
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

func TestSignificant(t *testing.T) {
	t.Parallel()
	for value, want := range map[float64]string{0: "0", 0.0123: "0.012", 0.999: "1.0", 1: "1.0", 9.96: "10", 10: "10", 123: "120", 1234567: "1,200,000"} {
		assert.Equal(t, want, significant(value), value)
	}
	assert.Equal(t, "1.5 ms", duration(1.5e6))
	assert.Equal(t, "800 ns", duration(800))
	assert.Equal(t, "2.0 s", duration(2e9))
	assert.Equal(t, "12 MB", kilobytes(12e6))
}

// Both sides do all of their blocks, by turns, and the best counts.
func TestComparison(t *testing.T) {
	t.Parallel()
	var ours, theirs atomic.Int64
	both := comparison{
		rounds: 3, workers: 4,
		ours:   side{block: 10, blocks: 1, do: func(context.Context) error { ours.Add(1); return nil }},
		theirs: side{block: 2, blocks: 2, do: func(context.Context) error { theirs.Add(1); time.Sleep(2 * time.Millisecond); return nil }},
	}
	our, their, err := both.run(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 30, ours.Load())
	assert.EqualValues(t, 12, theirs.Load())
	assert.Positive(t, our)
	assert.GreaterOrEqual(t, their, time.Millisecond)

	broken := errors.New("broken")
	both.theirs.do = func(context.Context) error { return broken }
	_, _, err = both.run(t.Context())
	require.ErrorIs(t, err, broken)
}

func TestLifeOfAnARQ(t *testing.T) {
	t.Parallel()
	fake, err := fakecyborg.New(fakecyborg.WithSeedYAML("seed.yaml", seedText))
	require.NoError(t, err)
	t.Cleanup(fake.Close)
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	a := newAPI(server.URL, 1)
	t.Cleanup(a.client.CloseIdleConnections)
	require.NoError(t, makeProfiles(t.Context(), a))
	require.NoError(t, life(t.Context(), a))
	assert.Empty(t, fake.State("").ARQs)

	stored, err := store(t.Context(), a, 20)
	require.NoError(t, err)
	assert.Len(t, stored, 32)
	require.ErrorIs(t, readBound(t.Context(), a, stored[0]), errNotBound)
	require.Error(t, a.want(t.Context(), http.MethodGet, "/v2/accelerator_requests/"+stored[0], "", nil, http.StatusNotFound))
	require.NoError(t, (&cyborgSide{base: server.URL, stored: stored}).empty(t.Context()))
	assert.Empty(t, fake.State("").ARQs)
	require.Error(t, makeProfile(t.Context(), a, oneProfile, "1"), "it is there already")
}

func TestParsePss(t *testing.T) {
	t.Parallel()
	size, err := parsePss("55d0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:  2000 kB\nPss:  1000 kB\nPss_Dirty: 12 kB\n")
	require.NoError(t, err)
	assert.EqualValues(t, 1_024_000, size)
	_, err = parsePss("Rss: 1 kB\n")
	require.ErrorIs(t, err, errNoPss)
}

func TestNovaWorkIsWhatNovaAnswers(t *testing.T) {
	t.Parallel()
	work := newNovaWork(2)
	query, err := work.do(t.Context(), "query")
	require.NoError(t, err)
	assert.Contains(t, query, "resourcesdevice_profile_1=FPGA%3A1")
	found, err := work.do(t.Context(), "match")
	require.NoError(t, err)
	assert.Equal(t, "device_profile_0=00000000-0000-4000-8000-000000000001;device_profile_1=00000000-0000-4000-8000-000000000002;", found)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(t.Context(), []string{"surplus"}, nil), "surplus")
}
