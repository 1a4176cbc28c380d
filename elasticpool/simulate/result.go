package simulate

// Result is what a run came to. Times are in the units that the names of the fields end in; VMs are alive from the
// moment their cloud accepts them until they are gone, and busy while at least one job runs on them. Every number is defined:
// without jobs, waits, load and what is counted for each job are 0, and busy ratio and Jain are 1.
type Result struct {
	Policy string  `json:"policy"`
	Seed   uint64  `json:"seed"`
	Load   float64 `json:"load"`     // offered by the trace
	Days   float64 `json:"days"`     // the window
	Length float64 `json:"length_h"` // of the run, which goes on after the window until the last job has ended
	VMs    int     `json:"vms"`      // that the clouds have room for

	Jobs     int `json:"jobs"` // submitted within the window, those without a class that could run them left out
	Finished int `json:"finished"`
	Unserved int `json:"unserved"` // of Jobs: those that wait or run when the run ends
	Unfit    int `json:"unfit"`    // jobs that no class could ever run

	// Wait is all the time that a job was in its queue; of jobs that still wait, until the end.
	MeanWait   float64 `json:"mean_wait_min"`
	MedianWait float64 `json:"p50_wait_min"`
	P95Wait    float64 `json:"p95_wait_min"`
	MaxWait    float64 `json:"max_wait_min"`
	// Slowdown is the mean of (wait + runtime) / runtime over all jobs; runtimes below 10 s count as 10 s in the
	// divisor, and no job is faster than 1.
	Slowdown float64 `json:"bounded_slowdown"`
	FirstJob float64 `json:"first_job_min"` // from the first submission to the first start
	Makespan float64 `json:"makespan_h"`    // from the first submission to the last end, or to the end of the run

	VMHours      float64 `json:"vm_hours"`
	BusyHours    float64 `json:"busy_vm_hours"`
	StoppedHours float64 `json:"stopped_vm_hours"` // asleep: not alive
	BusyRatio    float64 `json:"busy_ratio"`       // BusyHours / VMHours; 1 when no VM was made
	// Over and under: demand is the VMs that all jobs of the moment would fill, at most what the clouds have room for;
	// supply is the VMs alive.
	OverHours  float64 `json:"over_vm_hours"`  // supply above demand
	UnderHours float64 `json:"under_vm_hours"` // demand above supply
	OverShare  float64 `json:"over_share"`     // of the time
	UnderShare float64 `json:"under_share"`
	// Jitter is how often an hour supply changed more than demand did, both looked at once a cycle (below 0: less).
	Jitter float64 `json:"jitter_per_h"`

	Boots       int     `json:"boots"` // servers made, and woken
	BootsPerJob float64 `json:"boots_per_job"`
	Binds       int     `json:"binds"` // workers given to another queue
	Drains      int     `json:"drains"`
	Failures    int     `json:"failures"`    // actions that ended with an error
	JobsKilled  int     `json:"jobs_killed"` // by a deletion; each ended job counts each time
	JobsLost    int     `json:"jobs_lost"`   // by faults of the world
	LostHours   float64 `json:"lost_work_h"` // of both

	// Jain is Jain's index of what the queues had while all of them were backlogged: their dominant shares of the
	// pool over that time, divided by their weights. 1 is perfectly fair, 1/n is all for one, and it is 1 when that
	// never happened.
	//
	// A queue is backlogged while jobs of it wait though all its jobs would fill its weighted part of the pool: below
	// that it is not wronged by having less than others. What jobs that ran already when the backlog began hold beyond
	// their queue's part is not held against a policy that lets jobs end: the index counts by how much each queue had
	// more or less than what it was due of the rest. JainPlain does not make that difference.
	Jain       float64 `json:"jain"`
	JainPlain  float64 `json:"jain_plain"`
	Backlogged float64 `json:"backlogged_h"` // the time that both are about

	Queues []QueueResult `json:"queues"`
	Series *Series       `json:"-"`
}

// QueueResult is what a run came to for one queue.
type QueueResult struct {
	Name     string  `json:"name"`
	Weight   float64 `json:"weight"`
	Jobs     int     `json:"jobs"`
	Unserved int     `json:"unserved"`
	MeanWait float64 `json:"mean_wait_min"`
	P95Wait  float64 `json:"p95_wait_min"`
	VMHours  float64 `json:"vm_hours"` // filled by its jobs
	Share    float64 `json:"share"`    // dominant, mean over the whole run
}

// Series is what a pool looked like over time.
type Series struct {
	Queues []string `json:"queues"`
	States []string `json:"states"` // names of Point.VMs
	Points []Point  `json:"points"`
}

// Point is one moment of a Series.
type Point struct {
	Hours  float64      `json:"hours"` // since the start
	Queues []QueuePoint `json:"queues"`
	VMs    []int        `json:"vms"`
}

// QueuePoint is a queue at one moment.
type QueuePoint struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
	VMs     int `json:"vms"`    // that serve it
	Target  int `json:"target"` // VMs that the policy wants it to have
}
