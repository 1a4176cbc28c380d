package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// benchmark is a row that a benchmark of a package fills.
type benchmark struct {
	pkg, name string // folder, and the benchmark with its sub-benchmark as go test prints it
	what      string
	floor     string // what the metric compares with
	metric    string // unit that b.ReportMetric gave the ratio; none without a floor
	relation  string
	goal      goal
	per       string // unit of what is shown as our figure; without it ns/op
}

// benchmarks are the rows of the packages' own benchmarks. Their floors are measured in the same benchmark.
func benchmarks() []benchmark {
	const as = "times as long"
	const one, thousand = "the same exchanges by a bare http.Client", "the same exchanges by a bare http.Client"
	return []benchmark{
		{pkg: "lifecycle", name: "CreateDelete/one", what: "create and delete an instance, one after the other", floor: one, metric: "x-bare", relation: as, goal: goal{atMost: 1.5}, per: "ns/instance"},
		{pkg: "lifecycle", name: "CreateDelete/thousand", what: "create and delete a thousand instances by 64 workers", floor: thousand, metric: "x-bare", relation: as, goal: goal{atMost: 1.5}, per: "ns/instance"},
		{pkg: "cyborgclient", name: "ARQsByInstance/1_ARQs", what: "list the ARQs of an instance that has 1", floor: "a bare http.Client that decodes the answer", metric: "×floor", relation: as},
		{pkg: "cyborgclient", name: "ARQsByInstance/100_ARQs", what: "list the ARQs of an instance that has 100", floor: "the same", metric: "×floor", relation: as},
		{pkg: "cyborgclient", name: "Bind", what: "bind an ARQ, one PATCH", floor: "a bare http.Client that sends the same bytes", metric: "×floor", relation: as},
		{pkg: "placement", name: "Candidates", what: "read 1,000 candidates", floor: "one json.Unmarshal of the same bytes", metric: "x-floor", relation: as},
		{pkg: "placement", name: "Claims", what: "claim and release one card's host by 16 writers", floor: "the same requests without the client, one after the other", metric: "x-floor", relation: as},
		{pkg: "placement/placementtest", name: "Candidates/hosts=100", what: "candidates among 100 hosts, in memory", floor: "a bare handler that writes as many bytes", metric: "x/floor", relation: as},
		{pkg: "placement/placementtest", name: "Candidates/hosts=1000", what: "candidates among 1,000 hosts, in memory", floor: "the same", metric: "x/floor", relation: as},
		{pkg: "placement/placementtest", name: "Candidates/hosts=10000", what: "candidates among 10,000 hosts, in memory", floor: "the same", metric: "x/floor", relation: as},
		{pkg: "placement/placementtest", name: "Claims", what: "sixteen writers claim and free an accelerator each", floor: "the same requests to a handler that only reads them", metric: "x/floor", relation: as},
		{pkg: "requestspec", name: "Query/3_groups", what: "build a query of 3 groups", floor: "url.Values that encodes the finished parameters", metric: "ratio", relation: as},
		{pkg: "requestspec", name: "Match/search/3_groups", what: "match 3 groups by search", floor: "the same by mappings, checked", metric: "ratio", relation: as},
		{pkg: "requestspec", name: "Match/search/16_groups", what: "match 16 groups by search", floor: "the same", metric: "ratio", relation: as},
		{pkg: "virtdriver", name: "Compose", what: "compose 16 devices into a domain of 200 lines", floor: "etree reads and writes the same document", metric: "etree-ratio", relation: as, per: "ns/compose"},
		{pkg: "virtdriver", name: "Topology", what: "compose 500 devices with companions, topology of 4,000 functions", floor: "each device of an eighth of both", metric: "growth", relation: as, per: "ns/4000-functions"},
		{pkg: "fakecyborg", name: "ManyARQs/life_with_100000_stored", what: "create, bind, list, delete with 100,000 ARQs stored, in memory"},
		{pkg: "fakecyborg", name: "Stored", what: "list by instance with 100,000 ARQs stored, in memory", floor: "the same with 100 stored", metric: "list-x-of-100", relation: as},
		{pkg: "fakecyborg", name: "ShowARQInMemory", what: "answer one ARQ, in memory"},
		{pkg: "elasticpool", name: "DecideBig", what: "one decision of the pool over 1,000,000 jobs, 10,000 VMs, 50 queues, 9 classes"},
		{pkg: "elasticpool/quota", name: "Share", what: "shares of 10,000 VMs among 50 queues", floor: "a sort of 10,000 numbers", metric: "times-sort", relation: as},
	}
}

// memoryBenchmarks are those whose figure is memory.
func memoryBenchmarks() []benchmark {
	return []benchmark{{pkg: "fakecyborg", name: "Memory", what: "memory of one stored ARQ, without the journal", per: "B/ARQ"}}
}

func packageRows(all []benchmark) []*row {
	var rows []*row
	for _, b := range all {
		top, _, _ := strings.Cut(b.name, "/")
		rows = append(rows, &row{
			What: fmt.Sprintf("%s (`%s` `Benchmark%s`)", b.what, b.pkg, top), Peer: b.floor, Relation: b.relation, Goal: b.goal,
		})
	}
	return rows
}

// measurePackages runs go test once for each package.
func measurePackages(ctx context.Context, r *results) error {
	all, rows := append(benchmarks(), memoryBenchmarks()...), append(slices.Clone(r.Packages), r.Memory[len(memoryRows()):]...)
	found := make(map[string]map[string]measured)
	var errs []error
	for i, b := range all {
		if found[b.pkg] == nil {
			output, err := goTest(ctx, b.pkg, namesOf(all, b.pkg), r.amount.benchtime)
			errs = append(errs, err)
			found[b.pkg] = parseBenchmarks(output)
		}
		one, ok := found[b.pkg][b.name]
		if !ok {
			errs = append(errs, fmt.Errorf("%w: %s of %s", errNoBenchmark, b.name, b.pkg))
			rows[i].Missing = "the benchmark printed nothing"
			continue
		}
		rows[i].Ours, rows[i].Ratio = one.text(b.per), one[b.metric]
		if b.metric != "" && rows[i].Ratio == 0 {
			errs = append(errs, fmt.Errorf("%w: %s of %s has no %s", errNoBenchmark, b.name, b.pkg, b.metric))
		}
	}
	return errors.Join(errs...)
}

// errNoBenchmark is a row whose benchmark does not report what it should.
var errNoBenchmark = errors.New("benchmark not found")

// namesOf is the pattern for the benchmarks of a package.
func namesOf(all []benchmark, pkg string) string {
	var patterns []string
	for _, b := range all {
		if b.pkg == pkg {
			patterns = append(patterns, "^Benchmark"+strings.ReplaceAll(b.name, "/", "$/^")+"$")
		}
	}
	return strings.Join(patterns, "|")
}

func goTest(ctx context.Context, pkg, pattern, benchtime string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "./"+pkg, "-run", "^$", "-bench", pattern, "-benchtime", benchtime, "-benchmem") //nolint:gosec // all of it is written above
	output, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go test ./%s: %w: %s", pkg, err, output)
	}
	return string(output), nil
}

// text is our figure of a row: what one operation takes, and its memory.
func (m measured) text(per string) string {
	var parts []string
	switch unit := cmp.Or(per, "ns/op"); unit {
	case "B/ARQ":
		return significant(m[unit]) + " bytes"
	default:
		parts = append(parts, duration(m[unit]))
	}
	if per == "" && m["allocs/op"] > 0 {
		parts = append(parts, significant(m["allocs/op"])+" allocations", kilobytes(m["B/op"]))
	}
	return strings.Join(parts, ", ")
}

// duration writes nanoseconds in the unit that suits them.
func duration(ns float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.size {
			return significant(ns/unit.size) + " " + unit.name
		}
	}
	return significant(ns) + " ns"
}

func kilobytes(bytes float64) string {
	if bytes >= 1e6 {
		return significant(bytes/1e6) + " MB"
	}
	return significant(bytes/1e3) + " KB"
}
