package classad

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkEval compares the evaluation of a job's requirements with a Go function that looks the same attributes up in
// maps and compares them.
func BenchmarkEval(b *testing.B) {
	const requirements = `(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX") && (TARGET.Disk >= RequestDisk) && ` +
		`(TARGET.Memory >= RequestMemory) && (TARGET.FileSystemDomain == MY.FileSystemDomain)`
	e, err := Parse(requirements)
	require.NoError(b, err)
	job := readAd(b, "testdata/bench/job.ad")
	slot := readAd(b, "testdata/bench/slot.ad")

	texts, numbers := map[string]string{}, map[string]int64{}
	for _, name := range slot.Names() {
		v := slot.Eval(name, Ad{})
		if text, ok := v.Text(); ok {
			texts[fold(name)] = text
		} else {
			numbers[fold(name)], _ = v.Int()
		}
	}
	closure := func() bool {
		return equalFolded(texts["arch"], "X86_64") && equalFolded(texts["opsys"], "LINUX") &&
			numbers["disk"] >= 1024 && numbers["memory"] >= 512 && equalFolded(texts["filesystemdomain"], "realstack")
	}
	require.True(b, e.Eval(job, slot).IsTrue())
	require.True(b, closure())

	floor := timed(func() { closure() })
	for b.Loop() {
		e.Eval(job, slot)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "x-closure")
}

// BenchmarkParse reports how much slower parsing is than evaluating the same expression once.
func BenchmarkParse(b *testing.B) {
	const text = `countMatches(MY.RequireGPUs,TARGET.AvailableGPUs) >= RequestGPUs && (2048 * (1 + (2 % 3))) <= TARGET.Memory`
	e, err := Parse(text)
	require.NoError(b, err)
	floor := timed(func() { e.Eval(Ad{}, Ad{}) })
	for b.Loop() {
		_, err = Parse(text)
	}
	require.NoError(b, err)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "x-eval")
}

// timed returns the nanoseconds that f takes, at best.
func timed(f func()) float64 {
	const rounds, tries = 10_000, 10
	best := time.Duration(math.MaxInt64)
	for range tries {
		begin := time.Now()
		for range rounds {
			f()
		}
		best = min(best, time.Since(begin))
	}
	return float64(best.Nanoseconds()) / rounds
}
