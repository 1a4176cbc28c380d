package elasticpool

import "time"

// Input is all that a controller decides on, at one time.
type Input struct {
	Now     time.Time                   `json:"now"`
	Jobs    map[string]Seen[[]JobGroup] `json:"jobs"` // by source, such as the name of a schedd
	Workers Seen[Workers]               `json:"workers"`
	Clouds  map[string]Seen[CloudView]  `json:"clouds"`
	// Outcomes are of actions of earlier decisions that have ended since.
	Outcomes []Outcome `json:"outcomes,omitempty"`
	// Running are VMs on which an action is still under way: nothing else is done to them.
	Running  []string  `json:"running,omitempty"`
	Commands []Command `json:"commands,omitempty"`
	// Leases are VMs that the quota service has promised to queues whose askers make them on their own.
	Leases []Leased `json:"leases,omitempty"`
	// ClockStep is by how much the wall clock was set since the last decision. Now follows it slowly and never goes back.
	ClockStep time.Duration `json:"clock_step,omitempty"`
}

// Leased is a number of VMs that are promised to a queue and not made yet.
type Leased struct {
	Queue string `json:"queue"`
	Class string `json:"class,omitempty"` // empty: any
	Units int    `json:"units"`
}

// CloudView is what a provider said of its cloud.
type CloudView struct {
	Servers  []Server `json:"servers"`
	Complete bool     `json:"complete"` // the list was whole
	Limits   Limits   `json:"limits"`
}

// ActionKind is what is done to a VM.
type ActionKind string

// Kinds of actions, the cheapest way to capacity first.
const (
	ActBind        ActionKind = "bind"         // a worker that serves is given to another queue
	ActCancelDrain ActionKind = "cancel_drain" // a draining worker serves again
	ActJoin        ActionKind = "join"         // a warm worker serves a queue
	ActStart       ActionKind = "start"        // a stopped server wakes up
	ActCreate      ActionKind = "create"       // a server is made
	ActDrain       ActionKind = "drain"        // a worker takes no new jobs
	ActStop        ActionKind = "stop"         // a server goes to sleep
	ActFree        ActionKind = "free"         // a lost worker's jobs go back to their queues
	ActDelete      ActionKind = "delete"       // a server goes
)

// Action is one thing to be done.
type Action struct {
	Kind     ActionKind `json:"kind"`
	VM       string     `json:"vm"`
	Cloud    string     `json:"cloud,omitempty"`
	Class    string     `json:"class,omitempty"`
	Queue    string     `json:"queue,omitempty"`
	Server   string     `json:"server,omitempty"`
	OnlyIdle bool       `json:"only_idle,omitempty"` // of drain
	Reclaims string     `json:"reclaims,omitempty"`  // queue that it is taken back from, because that has more than its share
	Reason   string     `json:"reason"`
}

// Outcome is how an action ended.
type Outcome struct {
	Action Action `json:"action"`
	Error  string `json:"error,omitempty"`  // ErrorWord of its error; empty: done
	Detail string `json:"detail,omitempty"` // the error's text
	Server string `json:"server,omitempty"` // that was made
}

// CommandKind is what an operator asks for.
type CommandKind string

// Commands of operators.
const (
	CmdFreeze     CommandKind = "freeze"      // nothing is grown, shrunk or deleted until CmdThaw
	CmdThaw       CommandKind = "thaw"        // ends CmdFreeze, and a freeze that doubt has set
	CmdDrain      CommandKind = "drain"       // a VM, or all VMs of a class, queue or cloud leave when their jobs have ended
	CmdUndrain    CommandKind = "undrain"     // ends CmdDrain
	CmdResetQuota CommandKind = "reset_quota" // ends CmdSetQuota: the policy's values hold again
	CmdSetQuota   CommandKind = "set_quota"   // of a queue: lower, upper, weight
	CmdForget     CommandKind = "forget"      // a stranded VM, or all of a cloud that is not in the policy, leave the books
)

// Command is what an operator asks for. It stays in force in the controller's state until its opposite comes.
type Command struct {
	Kind   CommandKind `json:"kind"`
	VM     string      `json:"vm,omitempty"`
	Class  string      `json:"class,omitempty"`
	Queue  string      `json:"queue,omitempty"`
	Cloud  string      `json:"cloud,omitempty"`
	Lower  *int64      `json:"lower,omitempty"` // VMs
	Upper  *int64      `json:"upper,omitempty"`
	Weight *float64    `json:"weight,omitempty"`
	By     string      `json:"by,omitempty"`
	Why    string      `json:"why,omitempty"`
}

// Decision is what a controller decided, and why.
type Decision struct {
	At      time.Time   `json:"at"`
	Frozen  []string    `json:"frozen,omitempty"` // reasons why nothing is shrunk; empty: it is not frozen
	Blind   []string    `json:"blind,omitempty"`  // reasons why nothing is grown
	Queues  []QueueView `json:"queues"`
	Classes []ClassView `json:"classes"`
	Unmet   []Unmet     `json:"unmet,omitempty"` // jobs that no class can serve
	Actions []Action    `json:"actions,omitempty"`
	Events  []Event     `json:"events,omitempty"` // what has changed since the last decision
}

// QueueView is a queue at the time of a decision. Counts are VMs unless named otherwise.
type QueueView struct {
	Name    string  `json:"name"`
	Waiting int     `json:"waiting_jobs"` // idle and not yet materialised
	Running int     `json:"running_jobs"`
	Held    int     `json:"held_jobs,omitempty"`
	Oldest  float64 `json:"oldest_s,omitempty"` // seconds that the oldest job has waited
	Serving int     `json:"serving"`            // joined, or draining with jobs
	Busy    int     `json:"busy"`               // of them, with jobs
	Coming  int     `json:"coming"`             // planned to joining
	Wanted  int     `json:"wanted"`             // what its jobs need in all
	Target  int     `json:"target"`             // its fair share of that
	Share   float64 `json:"share"`              // dominant share, not divided by weight
	Lower   int64   `json:"lower"`
	Upper   int64   `json:"upper"` // -1: none
	Weight  float64 `json:"weight"`
	Urgency string  `json:"urgency,omitempty"` // how its target departs from its weight, since jobs have waited
	Why     string  `json:"why"`               // the target differs from what is wanted, or nothing happens
}

// ClassView is a class at the time of a decision.
type ClassView struct {
	Name     string          `json:"name"`
	Cloud    string          `json:"cloud"`
	States   map[VMState]int `json:"states"`
	Off      string          `json:"off,omitempty"` // why nothing is made of it now
	Until    time.Time       `json:"until,omitzero"`
	InFlight int             `json:"in_flight"`
	Ramp     int             `json:"ramp"`   // how many may be in flight
	Buffer   int             `json:"buffer"` // target of the level-1 buffer
	// Limits are time-outs in seconds, by state, that were learned from VMs of the class; the others are the policy's.
	Limits map[VMState]float64 `json:"limits_s,omitempty"`
}

// Unmet is a group of jobs that no class can serve; it never grows the pool.
type Unmet struct {
	Queue   string `json:"queue"`
	Jobs    int    `json:"jobs"`
	Example string `json:"example,omitempty"` // a job's id
	Reason  string `json:"reason"`
}

// Event is something that happened to a VM, class or cloud.
type Event struct {
	VM    string  `json:"vm,omitempty"`
	Class string  `json:"class,omitempty"`
	Cloud string  `json:"cloud,omitempty"`
	From  VMState `json:"from,omitempty"`
	To    VMState `json:"to,omitempty"`
	After float64 `json:"after_s,omitempty"` // seconds in the state From
	What  string  `json:"what"`
}
