package simulate

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// epoch is when every trace begins: a Monday at midnight.
var epoch = time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC)

// Run simulates what c describes and returns what came of it. It ends early, with the context's error, only when ctx
// does.
func Run(ctx context.Context, c Config) (Result, error) {
	stage, err := Prepare(c)
	if err != nil {
		return Result{}, err
	}
	policy, err := NewPolicy(stage.config.Name, stage.Facts())
	if err != nil {
		return Result{}, fmt.Errorf("policy %s: %w", stage.config.Name, err)
	}
	return stage.Run(ctx, policy)
}

// Stage is a world before anything has happened in it. Any number of policies can run on it, one after the other or at
// the same time.
type Stage struct {
	config   Config
	pool     elasticpool.Policy
	capacity map[string]elasticpool.Resources
	trace    []Job
	load     float64
}

// Prepare makes or reads the trace and the pool of c.
func Prepare(c Config) (*Stage, error) {
	c, err := c.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &Stage{config: c, trace: c.Jobs}
	if c.Trace != "" {
		if s.trace, err = readTrace(c.Trace, c.SWF); err != nil {
			return nil, err
		}
	}
	s.pool, s.capacity = poolOf(c, s.trace)
	if c.Policy != nil && c.generated() {
		if err := c.Shape.suits(s.pool); err != nil {
			return nil, err
		}
	}
	cores := slots(s.pool, room(s.pool, s.capacity))[elasticpool.CPUs]
	if cores < 1 {
		return nil, fmt.Errorf("%w: no class has room in its cloud, or none has a slot with cpus", ErrConfig)
	}
	if err := s.affordable(cores); err != nil {
		return nil, err
	}
	s.setTrace(cores)
	return s, nil
}

// What fits into a few GB of memory: VMs of a pool, and core-days of work of a generated trace, which is some twenty jobs each.
const (
	mostVMs      = 100_000
	mostCoreDays = 200_000
)

// affordable refuses what would take more memory than most machines have.
func (s *Stage) affordable(cores int64) error {
	vms := 0
	for _, n := range room(s.pool, s.capacity) {
		vms += n
	}
	if vms > mostVMs {
		return fmt.Errorf("%w: the pool has room for %d VMs, the most is %d", ErrConfig, vms, mostVMs)
	}
	work := s.config.Load * s.config.Days * float64(cores)
	if s.config.generated() && work > mostCoreDays {
		return fmt.Errorf("%w: days, load and VMs make %.0f core-days of work, the most is %d", ErrConfig, work, mostCoreDays)
	}
	return nil
}

// setTrace generates the trace if there is none, brings it to the load that is wanted, and cuts it at the window.
func (s *Stage) setTrace(cores int64) {
	window := s.config.Window()
	switch {
	case s.config.generated():
		s.trace = generate(s.config.Shape, s.config.Seed, s.config.Load, window, cores)
	case s.config.Load > 0:
		s.trace = stretch(s.trace, s.config.Load, cores)
	}
	s.trace = cut(s.trace, window)
	s.load = offered(s.trace, cores, window)
}

// readTrace reads all jobs of an SWF file.
func readTrace(path string, options SWF) ([]Job, error) {
	file, err := os.Open(path) //nolint:gosec // the user names the trace to be read
	if err != nil {
		return nil, fmt.Errorf("%w: trace: %w", ErrConfig, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return ReadJobs(file, path, options)
}

// Facts returns what policies may know of the world.
func (s *Stage) Facts() Facts {
	return Facts{
		Pool: s.pool, Capacity: s.capacity, Boot: s.config.Timing.Boot.D(), Seed: s.config.Seed, Start: epoch, Trace: s.trace,
	}
}

// Trace returns the jobs of the window in the order in which they are submitted. They must not be changed.
func (s *Stage) Trace() []Job { return s.trace }

// Run lets the policy decide over the pool for the whole window.
func (s *Stage) Run(ctx context.Context, policy Policy) (Result, error) {
	w := newWorld(s, policy)
	if err := w.run(ctx); err != nil {
		return Result{}, fmt.Errorf("simulate %s after %v: %w", s.config.Name, w.now, err)
	}
	return w.result(), nil
}
