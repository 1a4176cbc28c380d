package requestspec_test

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// BenchmarkQuery builds a request and its query; ratio is against url.Values encoding the finished parameters.
func BenchmarkQuery(b *testing.B) {
	for _, n := range []int{1, 3, 16} {
		in := requestspec.Input{Flavor: baseFlavor("accel:device_profile", "gpu", "group_policy", "none")}
		for range n {
			in.Profile = append(in.Profile, group("resources:FPGA", "1", "trait:CUSTOM_FPGA_INTEL", "required"))
		}
		b.Run(fmt.Sprint(n, " groups"), func(b *testing.B) {
			request, err := requestspec.Build(in)
			require.NoError(b, err)
			values, err := url.ParseQuery(request.Query())
			require.NoError(b, err)
			floor := floorOf(func() { _ = values.Encode() })
			b.ReportAllocs()
			for b.Loop() {
				request, err := requestspec.Build(in)
				if err != nil {
					b.Fatal(err)
				}
				_ = request.Query()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "ratio")
		})
	}
}

// BenchmarkMatch runs both matchers; ratio is that of the search to the lookup in the mappings with its check.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{3, 8, 16} {
		groups, allocation := manyGroups(n)
		mappings, err := requestspec.Match(b.Context(), groups, allocation, nil)
		require.NoError(b, err)
		b.Run(fmt.Sprint("mappings/", n, " groups"), func(b *testing.B) { benchmarkMatch(b, groups, allocation, mappings) })
		b.Run(fmt.Sprint("search/", n, " groups"), func(b *testing.B) {
			floor := floorOf(func() { _, _ = requestspec.Match(b.Context(), groups, allocation, mappings) })
			benchmarkMatch(b, groups, allocation, nil)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "ratio")
		})
	}
}

func benchmarkMatch(b *testing.B, groups []requestspec.Group, allocation []requestspec.ProviderAllocation, mappings map[string][]string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestspec.Match(b.Context(), groups, allocation, mappings); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMatchImpossible searches among 16 groups of different even amounts for those that make odd ones. There is
// none, which a search that only adds up finds out after billions of steps; ratio is to the lookup of as many groups.
func BenchmarkMatchImpossible(b *testing.B) {
	var groups []requestspec.Group
	var total int64
	mappings := map[string][]string{}
	for i := range 16 {
		n := 2 * int64(1_000_003+7919*i*i+1<<i)
		groups = append(groups, asks(requestspec.RequesterID(i, ""), amounts{"FPGA": n}))
		mappings[groups[i].Suffix] = []string{"rp0"}
		total += n
	}
	odd := total/4 | 1
	var allocation []requestspec.ProviderAllocation
	for i, n := range []int64{odd, odd, odd, total - 3*odd} {
		allocation = append(allocation, gives(fmt.Sprint("rp", i), amounts{"FPGA": n}))
	}
	all := []requestspec.ProviderAllocation{gives("rp0", amounts{"FPGA": total})}
	floor := floorOf(func() { _, _ = requestspec.Match(b.Context(), groups, all, mappings) })
	b.ReportAllocs()
	for b.Loop() {
		if _, err := requestspec.Match(b.Context(), groups, allocation, nil); !errors.Is(err, requestspec.ErrNoMapping) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "ratio")
}

// floorOf returns the nanoseconds of one run of work.
func floorOf(work func()) float64 {
	const runs = 2000
	start := time.Now()
	for range runs {
		work()
	}
	return float64(time.Since(start).Nanoseconds()) / runs
}
