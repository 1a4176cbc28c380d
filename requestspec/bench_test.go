package requestspec_test

import (
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

// BenchmarkMatch runs both matchers; ratio is that of the search to the lookup in the mappings.
func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{3, 8, 16} {
		groups, allocation := manyGroups(n)
		mappings, err := requestspec.Match(groups, allocation, nil)
		require.NoError(b, err)
		match := func(mappings map[string][]string) func(*testing.B) {
			return func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := requestspec.Match(groups, allocation, mappings); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
		b.Run(fmt.Sprint("mappings/", n, " groups"), match(mappings))
		b.Run(fmt.Sprint("search/", n, " groups"), func(b *testing.B) {
			floor := floorOf(func() { _, _ = requestspec.Match(groups, allocation, mappings) })
			match(nil)(b)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/floor, "ratio")
		})
	}
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
