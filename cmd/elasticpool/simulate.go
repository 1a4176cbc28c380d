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

// mostSeeds is over how many seeds policies can be compared.
const mostSeeds = 10_000

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
	if err := s.check(); err != nil {
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
	return simulate.WriteTable(p.stdout, simulate.Comparison{
		Policies: []string{result.Policy}, Loads: []float64{result.Load}, Seeds: []uint64{result.Seed}, Results: []simulate.Result{result},
	})
}

// check refuses what a flag may not be. The simulator would take a zero for its default.
func (s *simulationFlags) check() error {
	switch {
	case !(s.Days > 0):
		return fmt.Errorf("%w: -days: %v is not above 0", errUsage, s.Days)
	case s.VMs < 1:
		return fmt.Errorf("%w: -vms: %d is not at least 1", errUsage, s.VMs)
	case !(s.Load >= 0), s.Load == 0 && s.Trace == "":
		return fmt.Errorf("%w: -load: %v is not above 0", errUsage, s.Load)
	case s.seeds < 1 || s.seeds > mostSeeds:
		return fmt.Errorf("%w: -seeds: %d is not from 1 to %d", errUsage, s.seeds, mostSeeds)
	}
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
		if !(load >= 0) || load == 0 && s.Trace == "" {
			return fmt.Errorf("%w: -loads: %v is not above 0", errUsage, load)
		}
		loads = append(loads, load)
	}
	seeds := make([]uint64, s.seeds)
	for i := range seeds {
		seeds[i] = s.Seed + uint64(i)
	}
	comparison, err := simulate.Compare(ctx, s.Config, strings.Split(s.policies, ","), loads, seeds)
	if err != nil {
		return usage(err)
	}
	if err := simulate.WriteTable(p.stdout, comparison); err != nil {
		return err
	}
	if err := simulate.WriteMisses(p.stdout, comparison); err != nil {
		return err
	}
	return writeFile(s.report, func(w io.Writer) error { return simulate.WriteReport(w, comparison) })
}
