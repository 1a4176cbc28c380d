package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
	"github.com/novacyborg/novacyborg/elasticpool/simulate"
)

// simulationFlags are what simulate can be told.
type simulationFlags struct {
	simulate.Config
	config, csv, svg, report, policies, loads string
	seeds                                     int
	json                                      bool
}

func (s *simulationFlags) define(flags *flag.FlagSet) {
	flags.StringVar(&s.Name, "policy", simulate.Fair, "`policy`: "+strings.Join(simulate.PolicyNames(), ", "))
	flags.Float64Var(&s.Load, "load", 0.8, "offered work as a `part` of the capacity; 0 leaves a -trace as it is")
	flags.Uint64Var(&s.Seed, "seed", 1, "`seed` of all that is drawn")
	flags.Float64Var(&s.Days, "days", 14, "length, a `number` of days")
	flags.IntVar(&s.VMs, "vms", 200, "capacity, a `number` of VMs")
	flags.StringVar(&s.Trace, "trace", "", "SWF `file` with jobs; without it they are generated")
	flags.StringVar(&s.config, "config", "", "simulate the queues, classes and control of this pool's configuration `file`")
	flags.BoolVar(&s.json, "json", false, "print one JSON object")
	flags.StringVar(&s.csv, "csv", "", "write the time series to this `file`")
	flags.StringVar(&s.svg, "svg", "", "draw the time series into this `file`")
	flags.StringVar(&s.report, "report", "", "compare policies over seeds and write a page to this `file`")
	flags.StringVar(&s.policies, "policies", "static,vcondor,linear,fair,oracle", "`policies` that -report compares")
	flags.StringVar(&s.loads, "loads", "0.5,0.8", "`loads` that -report compares")
	flags.IntVar(&s.seeds, "seeds", 10, "over how many seeds -report compares, a `number`")
}

func simulation(ctx context.Context, p *program, flags *flag.FlagSet, args []string) error {
	var s simulationFlags
	s.define(flags)
	if err := parse(flags, args, 0, 0); err != nil {
		return err
	}
	if s.config != "" {
		c, err := loadConfig(p, s.config)
		if err != nil {
			return err
		}
		policy := c.Policy()
		s.Policy = &policy
	}
	if s.report != "" {
		return s.compare(ctx, p)
	}
	if s.csv != "" || s.svg != "" {
		s.Sample = elasticpool.Duration(10 * time.Minute)
	}
	result, err := simulate.Run(ctx, s.Config)
	if err != nil {
		return usage(err)
	}
	if err := s.draw(result); err != nil {
		return err
	}
	if s.json {
		return json.NewEncoder(p.stdout).Encode(result)
	}
	printResults(p.stdout, []simulate.Result{result})
	return nil
}

// usage makes an error of the flags one of the command line.
func usage(err error) error {
	if errors.Is(err, simulate.ErrConfig) {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return err
}

// draw writes the time series where it is wanted.
func (s *simulationFlags) draw(result simulate.Result) error {
	if s.csv != "" {
		if err := writeFile(s.csv, result.Series.WriteCSV); err != nil {
			return err
		}
	}
	if s.svg != "" {
		return writeFile(s.svg, result.Series.WriteSVG)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path) //nolint:gosec // the user's own file
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		file.Close() //nolint:gosec // the first error counts
		return err
	}
	return file.Close()
}

// compare runs policies over loads and seeds, writes the page and prints a table of means.
func (s *simulationFlags) compare(ctx context.Context, p *program) error {
	var loads []float64
	for text := range strings.SplitSeq(s.loads, ",") {
		load, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%w: -loads: %q is no number", errUsage, text)
		}
		loads = append(loads, load)
	}
	if s.seeds < 1 {
		return fmt.Errorf("%w: -seeds: at least 1", errUsage)
	}
	seeds := make([]uint64, s.seeds)
	for i := range seeds {
		seeds[i] = s.Seed + uint64(i)
	}
	comparison, err := simulate.Compare(ctx, s.Config, strings.Split(s.policies, ","), loads, seeds)
	if err != nil {
		return usage(err)
	}
	var means []simulate.Result
	for _, load := range loads {
		for policy := range strings.SplitSeq(s.policies, ",") {
			means = append(means, mean(policy, load, comparison.Of(policy, load)))
		}
	}
	printResults(p.stdout, means)
	return writeFile(s.report, func(w io.Writer) error { return simulate.WriteReport(w, comparison) })
}

func mean(policy string, load float64, of []simulate.Result) simulate.Result {
	over := func(measure func(simulate.Result) float64) float64 { return simulate.Mean(of, measure) }
	return simulate.Result{
		Policy: policy, Load: load,
		Jobs:       int(over(func(r simulate.Result) float64 { return float64(r.Jobs) })),
		MeanWait:   over(func(r simulate.Result) float64 { return r.MeanWait }),
		P95Wait:    over(func(r simulate.Result) float64 { return r.P95Wait }),
		VMHours:    over(func(r simulate.Result) float64 { return r.VMHours }),
		BusyRatio:  over(func(r simulate.Result) float64 { return r.BusyRatio }),
		Boots:      int(over(func(r simulate.Result) float64 { return float64(r.Boots) })),
		JobsKilled: int(over(func(r simulate.Result) float64 { return float64(r.JobsKilled) })),
		Jain:       over(func(r simulate.Result) float64 { return r.Jain }),
	}
}

// printResults prints a table in Markdown.
func printResults(w io.Writer, results []simulate.Result) {
	fmt.Fprintln(w, "| load | policy | jobs | mean wait min | p95 wait min | VM-hours | busy/alive | boots | jobs killed | Jain |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		fmt.Fprintf(w, "| %.2f | %s | %d | %.0f | %.0f | %.0f | %.3f | %d | %d | %.3f |\n", r.Load, r.Policy, r.Jobs, r.MeanWait, r.P95Wait,
			r.VMHours, r.BusyRatio, r.Boots, r.JobsKilled, r.Jain)
	}
}
