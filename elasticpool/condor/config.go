package condor

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Config says how an HTCondor pool is reached and how its attributes are read. The zero value of every field but
// Schedds is its default.
type Config struct {
	// Command comes before every tool: [ssh, host], or a script that enters a container. Empty: the tools run here.
	// Arguments are handed on as they are; a prefix such as ssh, which joins them into one line for a shell, needs Shell.
	Command   []string `yaml:"command" json:"command,omitempty"`
	Shell     bool     `yaml:"shell" json:"shell,omitempty"`         // arguments are quoted for a POSIX shell (ssh)
	Bin       string   `yaml:"bin" json:"bin,omitempty"`             // folder of the tools; empty: found by PATH
	Collector string   `yaml:"collector" json:"collector,omitempty"` // address of the pool; empty: the configured one
	Schedds   []string `yaml:"schedds" json:"schedds"`               // names, as condor_status -schedd prints them; each is a source of jobs
	Pool      string   `yaml:"pool" json:"pool,omitempty"`           // only workers whose ElasticPool is this; empty: all with an ElasticVM

	// Queue is the attribute of a job that names its queue, Prefix what its values have before the queue's name.
	Queue  string `yaml:"queue" json:"queue,omitempty"`   // AcctGroup
	Prefix string `yaml:"prefix" json:"prefix,omitempty"` // such as group_
	// Resources are attributes of jobs by the resource that they ask for, besides the CPUs, memory and disk.
	Resources map[string]string `yaml:"resources" json:"resources,omitempty"` // {gpus: RequestGPUs, fpgas: RequestFPGA}
	// Runtime is the attribute of a job that says how long it may run, in units of RuntimeUnit. Empty: unknown.
	Runtime     string               `yaml:"runtime" json:"runtime,omitempty"`
	RuntimeUnit elasticpool.Duration `yaml:"runtime_unit" json:"runtime_unit,omitempty"` // 1 s

	Interval elasticpool.Duration `yaml:"interval" json:"interval,omitempty"` // the workers' UPDATE_INTERVAL; 5 min
	Timeout  elasticpool.Duration `yaml:"timeout" json:"timeout,omitempty"`   // of one run of a tool; 1 min
	// MaxOutput is how many bytes a tool may print before it is ended; 1 GiB. They are never all in memory.
	MaxOutput int64 `yaml:"max_output" json:"max_output,omitempty"`
	// Evict allows a drain that ends jobs, because the worker gives them less than MinRetirement to finish.
	Evict         bool                 `yaml:"evict" json:"evict,omitempty"`
	MinRetirement elasticpool.Duration `yaml:"min_retirement" json:"min_retirement,omitempty"` // 1 h
	// FactoryEvery: jobs that are not yet made (late materialisation) are counted at every such poll; 5.
	FactoryEvery int `yaml:"factory_every" json:"factory_every,omitempty"`
}

var (
	attribute = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	daemon    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.@:-]*$`)
)

// withDefaults fills in what is absent.
func (c Config) withDefaults() Config {
	orDuration := func(d *elasticpool.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = elasticpool.Duration(otherwise)
		}
	}
	if c.Queue == "" {
		c.Queue = "AcctGroup"
	}
	if c.Resources == nil {
		c.Resources = map[string]string{elasticpool.GPUs: "RequestGPUs", elasticpool.FPGAs: "RequestFPGA"}
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = 1 << 30
	}
	if c.FactoryEvery == 0 {
		c.FactoryEvery = 5
	}
	orDuration(&c.RuntimeUnit, time.Second)
	orDuration(&c.Interval, 5*time.Minute)
	orDuration(&c.Timeout, time.Minute)
	orDuration(&c.MinRetirement, time.Hour)
	return c
}

// check names the first setting that cannot be.
func (c Config) check() error {
	if len(c.Schedds) == 0 {
		return errors.New("condor: schedds: name at least one schedd (condor_status -schedd)")
	}
	for i, name := range c.Schedds {
		if !daemon.MatchString(name) {
			return fmt.Errorf("condor: schedds[%d]: %q is no name of a schedd", i, name)
		}
	}
	for key, text := range map[string]string{"pool": c.Pool, "prefix": c.Prefix} {
		if _, err := quote(text); err != nil {
			return fmt.Errorf("condor: %s: %w", key, err)
		}
	}
	if min(c.RuntimeUnit, c.Interval, c.Timeout, c.MinRetirement) < 0 || c.MaxOutput < 0 || c.FactoryEvery < 0 {
		return errors.New("condor: a duration or number is negative")
	}
	return c.checkAttributes()
}

func (c Config) checkAttributes() error {
	if !attribute.MatchString(c.Queue) {
		return fmt.Errorf("condor: queue: %q is no name of an attribute", c.Queue)
	}
	if c.Runtime != "" && !attribute.MatchString(c.Runtime) {
		return fmt.Errorf("condor: runtime: %q is no name of an attribute", c.Runtime)
	}
	for resource, name := range c.Resources {
		if !attribute.MatchString(name) || len(name) == len("Request") || !strings.HasPrefix(strings.ToLower(name), "request") {
			return fmt.Errorf("condor: resources: %s: %q is no attribute like RequestGPUs", resource, name)
		}
	}
	return nil
}
