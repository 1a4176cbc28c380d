package elasticpool

import (
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"
)

// Policy is how a pool is run: its queues, the classes of its VMs, its clouds and the control of growth and shrinking.
// Its YAML form is the part of the configuration that the controller reads.
type Policy struct {
	Pool    string  `yaml:"pool" json:"pool"` // name; part of every server's name and tag
	Queues  []Queue `yaml:"queues" json:"queues"`
	Classes []Class `yaml:"classes" json:"classes"`
	Clouds  []Cloud `yaml:"clouds" json:"clouds"`
	Control Control `yaml:"control" json:"control"`
}

// Queue is a queue of jobs, with its part of the pool.
type Queue struct {
	Name   string  `yaml:"name" json:"name"`               // as the batch system names it
	Weight float64 `yaml:"weight" json:"weight,omitempty"` // of its fair share; 0: 1
	// Lower is the floor in VMs that the queue gets before others when it needs them. Upper is the ceiling, which is
	// always enforced; 0: none.
	Lower int64 `yaml:"lower" json:"lower,omitempty"`
	Upper int64 `yaml:"upper" json:"upper,omitempty"`
	// LowerOf and UpperOf are floors and ceilings of other resources, such as gpus.
	LowerOf Resources `yaml:"lower_of" json:"lower_of,omitempty"`
	UpperOf Resources `yaml:"upper_of" json:"upper_of,omitempty"`
	// KeepLower keeps Lower VMs even when no job needs them, as VCondor does.
	KeepLower   bool     `yaml:"keep_lower" json:"keep_lower,omitempty"`
	Reservation Duration `yaml:"reservation" json:"reservation,omitempty"` // of the quota service's leases; 0: 600 s
	Classes     []string `yaml:"classes" json:"classes,omitempty"`         // that may serve it; empty: all
	// Preempt lets a drain that reclaims VMs from this queue end jobs after Control.Timeouts.Drain. Without it no job
	// is ever ended.
	Preempt bool `yaml:"preempt" json:"preempt,omitempty"`
}

// Class is a kind of VM in one cloud.
type Class struct {
	Name  string `yaml:"name" json:"name"`
	Cloud string `yaml:"cloud" json:"cloud"`

	Flavor        string            `yaml:"flavor" json:"flavor,omitempty"`
	Image         string            `yaml:"image" json:"image,omitempty"`
	Network       string            `yaml:"network" json:"network,omitempty"`
	DeviceProfile string            `yaml:"device_profile" json:"device_profile,omitempty"` // must be the flavor's accel:device_profile
	Zone          string            `yaml:"zone" json:"zone,omitempty"`
	KeyPair       string            `yaml:"key_pair" json:"key_pair,omitempty"`
	UserData      string            `yaml:"user_data" json:"user_data,omitempty"` // a template, see docs/elasticpool.md
	Extra         map[string]string `yaml:"extra" json:"extra,omitempty"`         // for the provider

	Takes Resources `yaml:"takes" json:"takes"` // of its cloud's quota; vms: 1 is added
	Slot  Resources `yaml:"slot" json:"slot"`   // what its worker will offer to jobs
	// Devices are the properties of the slot's devices by resource, such as gpus: {Capability: 8.0}: what a job's
	// Require is evaluated against before there is such a VM.
	Devices map[string]map[string]any `yaml:"devices" json:"devices,omitempty"`

	Price    float64  `yaml:"price" json:"price,omitempty"` // of one VM for an hour, in any unit; 0: its CPUs
	Max      int      `yaml:"max" json:"max,omitempty"`     // VMs; 0: no limit of its own
	Lifetime Duration `yaml:"lifetime" json:"lifetime,omitempty"`
	Buffer   Buffer   `yaml:"buffer" json:"buffer,omitzero"`
	Stops    bool     `yaml:"stops" json:"stops,omitempty"` // what leaves the buffer is stopped and kept, up to Buffer.Stopped
	// Backfill is how long a VM with devices stays free for jobs that want them before others may use it; 0: for ever.
	Backfill Duration `yaml:"backfill" json:"backfill,omitempty"`
}

// Buffer is the level-1 buffer of a class: VMs that run, ready to be joined. Its size follows the growth seen during
// the time that a boot takes, within these bounds.
type Buffer struct {
	Min     int `yaml:"min" json:"min,omitempty"`
	Max     int `yaml:"max" json:"max,omitempty"`
	Stopped int `yaml:"stopped" json:"stopped,omitempty"`
}

// Cloud is how a cloud is used; how it is reached is its provider's matter.
type Cloud struct {
	Name     string    `yaml:"name" json:"name"`
	Priority int       `yaml:"priority" json:"priority,omitempty"` // smaller is used first; equal ones are spread over
	Max      Resources `yaml:"max" json:"max,omitempty"`           // what the pool may take of it; absent: what the cloud allows
	Drain    bool      `yaml:"drain" json:"drain,omitempty"`       // nothing new is made here, what is here leaves
}

// Control is how fast and how carefully the pool moves. The zero value of each field is its default.
type Control struct {
	Cycle        Duration `yaml:"cycle" json:"cycle,omitempty"`                     // 15 s
	IdleTime     Duration `yaml:"idle_time" json:"idle_time,omitempty"`             // 10 min: before an idle VM is surplus
	Cooldown     Duration `yaml:"cooldown" json:"cooldown,omitempty"`               // 2 min: no shrinking of a class after it has grown
	Ramp         int      `yaml:"ramp" json:"ramp,omitempty"`                       // 8: VMs of a class in flight at first; doubles with success, halves with failure
	MaxInFlight  int      `yaml:"max_in_flight" json:"max_in_flight,omitempty"`     // 64: of a class
	MaxCreates   int      `yaml:"max_creates" json:"max_creates,omitempty"`         // 32: a cycle, in all
	ShrinkShare  float64  `yaml:"shrink_share" json:"shrink_share,omitempty"`       // 0.25: of the pool's VMs that may leave within ShrinkWindow …
	ShrinkMin    int      `yaml:"shrink_min" json:"shrink_min,omitempty"`           // 10: … but at least so many
	ShrinkWindow Duration `yaml:"shrink_window" json:"shrink_window,omitempty"`     // 10 min
	ReclaimShare float64  `yaml:"reclaim_share" json:"reclaim_share,omitempty"`     // 0.10: of a queue's busy VMs that may be drained within ShrinkWindow to be taken back; binding them anew costs nothing
	StaleAfter   int      `yaml:"stale_after" json:"stale_after,omitempty"`         // 3 cycles: then a sensor's value is too old to shrink on
	GrowBlind    Duration `yaml:"grow_blind" json:"grow_blind,omitempty"`           // 10 min: growth on old demand
	VanishShare  float64  `yaml:"vanish_share" json:"vanish_share,omitempty"`       // 0.45: of joined VMs that vanish in a cycle: freeze
	OrphanGrace  Duration `yaml:"orphan_grace" json:"orphan_grace,omitempty"`       // 30 min
	AgeBound     float64  `yaml:"age_bound" json:"age_bound,omitempty"`             // 1.5: how many times its weight a queue may count for the age of its jobs while all lack VMs; 1: weights alone, KeepPart too
	KeepPart     float64  `yaml:"keep_part" json:"keep_part,omitempty"`             // 0.2: of the part that its weight gives it, which a queue keeps while what others leave goes to the most urgent
	AccountAge   Duration `yaml:"usage_half_life" json:"usage_half_life,omitempty"` // 24 h: of the use that breaks ties between queues
	Quarantine   int      `yaml:"quarantine" json:"quarantine,omitempty"`           // 3: failures on a host in a row: its VMs are no more counted on
	Timeouts     Timeouts `yaml:"timeouts" json:"timeouts,omitzero"`
	Backoff      Backoff  `yaml:"backoff" json:"backoff,omitzero"`
}

// Timeouts are how long a VM may be in a state. Request, Build, Boot and Join hold until a class has shown how long its own
// VMs take: then it is twice the time within which 19 of 20 of the last ones were done, between Least and Most times these.
type Timeouts struct {
	Request Duration `yaml:"request" json:"request,omitempty"` // 60 s: until the cloud shows the server
	Build   Duration `yaml:"build" json:"build,omitempty"`     // 15 min
	Boot    Duration `yaml:"boot" json:"boot,omitempty"`       // 10 min: until the worker reports
	Join    Duration `yaml:"join" json:"join,omitempty"`       // 2 min
	Drain   Duration `yaml:"drain" json:"drain,omitempty"`     // 7 days
	Delete  Duration `yaml:"delete" json:"delete,omitempty"`   // 10 min: then it is told as an alarm; it goes on
	Lost    Duration `yaml:"lost" json:"lost,omitempty"`       // 3 reports of the worker: missing for so long is lost

	Least float64 `yaml:"least" json:"least,omitempty"` // 0.7: a learned time-out is at least this part of the fixed one; 1 and most 1: nothing is learned
	Most  float64 `yaml:"most" json:"most,omitempty"`   // 2: … and at most so many times as long
}

// Backoff is how long a class rests after a failure: First, doubled each time up to Most.
type Backoff struct {
	First Duration `yaml:"first" json:"first,omitempty"` // 1 min
	Most  Duration `yaml:"most" json:"most,omitempty"`   // 30 min
}

// Duration is a time.Duration that YAML and JSON write as 90s, 10m or 24h.
type Duration time.Duration

// D returns d as a time.Duration.
func (d Duration) D() time.Duration { return time.Duration(d) }

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes d as time.Duration.String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what time.ParseDuration does.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// UnmarshalYAML reads a duration; a bare number has no unit and is refused.
func (d *Duration) UnmarshalYAML(node *yaml.Node) error {
	if err := d.UnmarshalText([]byte(node.Value)); err != nil {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %v; write a time with its unit, such as 90s, 10m or 24h", node.Line, err)}}
	}
	return nil
}
