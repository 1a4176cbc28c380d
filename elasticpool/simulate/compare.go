package simulate

import (
	"context"
	"fmt"
	"runtime"
	"sync"
)

// Comparison is a table of runs: each policy at each load with each seed.
type Comparison struct {
	Base     Config    `json:"base"`
	Policies []string  `json:"policies"`
	Loads    []float64 `json:"loads"`
	Seeds    []uint64  `json:"seeds"`
	// Results are ordered by load, then policy, then seed. All policies run on the same traces.
	Results []Result `json:"results"`
}

// mostRuns is how many runs a comparison may have.
const mostRuns = 100_000

// Compare runs every policy at every load with every seed. No loads are the load of c, no seeds are its seed. It uses
// all processors; what it returns does not depend on their number.
func Compare(ctx context.Context, c Config, policies []string, loads []float64, seeds []uint64) (Comparison, error) {
	if len(loads) == 0 {
		loads = []float64{c.Load}
	}
	if len(seeds) == 0 {
		seeds = []uint64{c.Seed}
	}
	if len(policies) == 0 {
		policies = PolicyNames()
	}
	if runs := float64(len(loads)) * float64(len(policies)) * float64(len(seeds)); runs > mostRuns {
		return Comparison{}, fmt.Errorf("%w: %.0f runs, the most is %d", ErrConfig, runs, mostRuns)
	}
	table := Comparison{Base: c, Policies: policies, Loads: loads, Seeds: seeds}
	table.Results = make([]Result, len(loads)*len(policies)*len(seeds))
	errs := make([]error, len(table.Results))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(table.Results)) {
		workers.Go(func() {
			for i := range next {
				table.Results[i], errs[i] = Run(ctx, table.config(i))
			}
		})
	}
	for i := range table.Results {
		next <- i
	}
	close(next)
	workers.Wait()
	for i, err := range errs {
		if err != nil {
			return Comparison{}, fmt.Errorf("%s at load %v with seed %d: %w", table.config(i).Name, table.config(i).Load,
				table.config(i).Seed, err)
		}
	}
	return table, nil
}

// config returns the configuration of the i-th result.
func (t Comparison) config(i int) Config {
	c := t.Base
	c.Seed = t.Seeds[i%len(t.Seeds)]
	i /= len(t.Seeds)
	c.Name = t.Policies[i%len(t.Policies)]
	c.Load = t.Loads[i/len(t.Policies)]
	return c
}

// Of returns the results of one policy at one load, one for each seed.
func (t Comparison) Of(policy string, load float64) []Result {
	for l, candidate := range t.Loads {
		for p, name := range t.Policies {
			if name == policy && candidate == load {
				first := (l*len(t.Policies) + p) * len(t.Seeds)
				return t.Results[first : first+len(t.Seeds)]
			}
		}
	}
	return nil
}

// Mean returns the mean of a measure over results; it is 0 for none.
func Mean(results []Result, measure func(Result) float64) float64 {
	sum := 0.0
	for _, r := range results {
		sum += measure(r)
	}
	return sum / float64(max(1, len(results)))
}
