package simulate

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// ErrConfig is what every error of a configuration wraps.
var ErrConfig = errors.New("invalid simulation")

// Duration is written as 90s, 10m or 24h.
type Duration = elasticpool.Duration

// Config describes a run. The zero value of each field is its default.
type Config struct {
	Name string  `json:"policy,omitempty"` // static, vcondor, linear, oracle or fair (the default)
	Seed uint64  `json:"seed"`             // of the trace, of latencies and of faults
	Days float64 `json:"days,omitempty"`   // 14: the window in which jobs are submitted
	// Tail is how long the pool may take to finish them after the window: the run ends with the last job. It is 3 days;
	// for none it must be a nanosecond.
	Tail Duration `json:"tail,omitempty"`
	VMs  int      `json:"vms,omitempty"` // 200: capacity of a cloud for which nothing else says it
	// Load is 0.8 for generated traces. A trace that is read is stretched or squeezed to it; 0 leaves it as it is.
	Load  float64 `json:"load,omitempty"`
	Trace string  `json:"trace,omitempty"` // an SWF file; empty: generated
	SWF   SWF     `json:"swf,omitzero"`    // how Trace is read
	Jobs  []Job   `json:"-"`               // a trace in memory instead, in order of Submit
	Shape Shape   `json:"shape,omitzero"`  // of the generated trace and of the pool that it runs on
	// Policy is the pool's own configuration. Without it the pool has one class of VMs with Shape.Cores cores, and the
	// queues of the trace.
	Policy *elasticpool.Policy `json:"pool,omitempty"`
	// Capacity is what each cloud has. Without it: Cloud.Max, or as many VMs as VMs says.
	Capacity map[string]elasticpool.Resources `json:"capacity,omitempty"`
	Timing   Timing                           `json:"timing,omitzero"`
	Faults   Faults                           `json:"faults,omitzero"`
	Sample   Duration                         `json:"sample,omitempty"` // step of Result.Series; 0: no series
}

// Timing says how long things take in the world.
type Timing struct {
	Cycle       Duration `json:"cycle,omitempty"`       // between two decisions: that of Config.Policy, or 60 s
	Negotiation Duration `json:"negotiation,omitempty"` // 60 s: between two rounds of the matchmaker
	Boot        Duration `json:"boot,omitempty"`        // 3 min: from the create call to a worker that reports, on average …
	BootSpread  Duration `json:"boot_spread,omitempty"` // 60 s: … and the width of its (uniform) distribution
	JoinLeast   Duration `json:"join_least,omitempty"`  // 2 s: from the join call to slots, at least …
	JoinMost    Duration `json:"join_most,omitempty"`   // 15 s: … and at most
	Delete      Duration `json:"delete,omitempty"`      // 10 s: from the delete call until the server is gone
	Stop        Duration `json:"stop,omitempty"`        // 15 s
	Start       Duration `json:"start,omitempty"`       // 60 s: until the worker reports again
	Call        Duration `json:"call,omitempty"`        // 2 s: of any call to a cloud or to the batch system
	AdLifetime  Duration `json:"ad_lifetime,omitempty"` // 15 min: how long the worker of a dead VM is still listed
	JobLease    Duration `json:"job_lease,omitempty"`   // 40 min: how long the jobs of a dead VM count as running
}

// orDefault returns value, or def when value is zero.
func orDefault[T comparable](value, def T) T {
	var zero T
	if value == zero {
		return def
	}
	return value
}

func (t Timing) withDefaults() Timing {
	fill := func(d *Duration, def time.Duration) { *d = orDefault(*d, Duration(def)) }
	fill(&t.Cycle, time.Minute)
	fill(&t.Negotiation, time.Minute)
	fill(&t.Boot, 3*time.Minute)
	fill(&t.BootSpread, time.Minute)
	fill(&t.JoinLeast, 2*time.Second)
	fill(&t.JoinMost, 15*time.Second)
	fill(&t.Delete, 10*time.Second)
	fill(&t.Stop, 15*time.Second)
	fill(&t.Start, time.Minute)
	fill(&t.Call, 2*time.Second)
	fill(&t.AdLifetime, 15*time.Minute)
	fill(&t.JobLease, 40*time.Minute)
	return t
}

// check refuses what no world can have.
func (t Timing) check() error {
	for _, d := range []struct {
		name  string
		value Duration
		least time.Duration
	}{
		{"cycle", t.Cycle, time.Second},
		{"negotiation", t.Negotiation, time.Second},
		{"boot", t.Boot, t.BootSpread.D() / 2},
		{"boot_spread", t.BootSpread, 0},
		{"join_least", t.JoinLeast, 0},
		{"join_most", t.JoinMost, t.JoinLeast.D()},
		{"delete", t.Delete, 0},
		{"stop", t.Stop, 0},
		{"start", t.Start, 0},
		{"call", t.Call, 0},
		{"ad_lifetime", t.AdLifetime, 0},
		{"job_lease", t.JobLease, 0},
	} {
		if d.value.D() < d.least {
			return fmt.Errorf("%w: timing.%s is %v, the least is %v", ErrConfig, d.name, d.value, d.least)
		}
	}
	return nil
}

// WithDefaults returns c with all defaults filled in, or an error that names the field that is wrong.
func (c Config) WithDefaults() (Config, error) {
	c.Name = orDefault(c.Name, Fair)
	c.Days = orDefault(c.Days, 14)
	c.Tail = orDefault(c.Tail, Duration(3*24*time.Hour))
	c.VMs = orDefault(c.VMs, 200)
	if c.generated() {
		c.Load = orDefault(c.Load, 0.8)
	}
	if c.Policy != nil && c.Shape.Queues == nil {
		c.Shape.Queues = shapeOf(c.Policy.Queues)
	}
	if c.Policy != nil {
		c.Timing.Cycle = orDefault(c.Timing.Cycle, c.Policy.Control.Cycle)
	}
	c.Shape = c.Shape.withDefaults()
	c.SWF = c.SWF.withDefaults()
	c.Timing = c.Timing.withDefaults()
	return c, c.check()
}

// generated tells whether the trace is made up.
func (c Config) generated() bool { return c.Trace == "" && c.Jobs == nil }

// Window returns the time in which jobs are submitted.
func (c Config) Window() time.Duration {
	return time.Duration(c.Days * 24 * float64(time.Hour)).Truncate(time.Second)
}

func (c Config) check() error {
	switch {
	case !(c.Days > 0) || c.Days > 3660:
		return fmt.Errorf("%w: days is %v, it must be above 0 and at most 3660", ErrConfig, c.Days)
	case c.VMs < 1:
		return fmt.Errorf("%w: vms is %d, it must be at least 1", ErrConfig, c.VMs)
	case c.Load < 0 || c.Load > 100 || math.IsNaN(c.Load):
		return fmt.Errorf("%w: load is %v, it must be from 0 to 100", ErrConfig, c.Load)
	case c.Tail < 0:
		return fmt.Errorf("%w: tail is %v, it must not be negative", ErrConfig, c.Tail)
	case c.Sample < 0:
		return fmt.Errorf("%w: sample is %v, it must not be negative", ErrConfig, c.Sample)
	}
	for _, err := range []error{c.Timing.check(), c.Shape.check(), c.SWF.check(), c.Faults.check()} {
		if err != nil {
			return err
		}
	}
	return nil
}
