package elasticpool

import (
	"context"
	"time"
)

// BatchSystem is where jobs wait and workers serve: HTCondor (package condor), or any other. Its methods are called
// at the same time.
//
// A method that cannot say the whole truth returns an error: an empty answer means that there is nothing.
type BatchSystem interface {
	// Jobs returns all jobs in all queues, in groups of equal ones.
	Jobs(ctx context.Context) ([]JobGroup, error)
	// Workers returns every worker of this pool, those that only wait to be joined too.
	Workers(ctx context.Context) (Workers, error)
	// Join lets a warm worker serve a queue.
	Join(ctx context.Context, worker Worker, queue string) error
	// Bind lets a worker that serves one queue serve another. Jobs that run on it stay.
	Bind(ctx context.Context, worker Worker, queue string) error
	// Drain lets a worker take no new jobs. If onlyIdle is set and a job runs on it, or comes while it is asked, it
	// refuses with ErrBusy and goes on serving. A worker without jobs then leaves the batch system but keeps running.
	Drain(ctx context.Context, worker Worker, onlyIdle bool) error
	// CancelDrain lets a draining worker take jobs again.
	CancelDrain(ctx context.Context, worker Worker) error
	// Free asks that the jobs of a worker that is no more go back to their queues, and forgets the worker. When they start
	// anew is up to the batch system.
	Free(ctx context.Context, worker Worker) error
}

// JobGroup is a number of jobs that ask for the same in the same queue.
type JobGroup struct {
	Queue   string    `json:"queue"`
	Request Resources `json:"request"` // of one job
	// Require are conditions on devices, by the resource they belong to: {"gpus": "Capability >= 7.0"}, in the
	// language of the batch system (ClassAd).
	Require map[string]string `json:"require,omitempty"`
	Idle    int               `json:"idle,omitempty"`
	Running int               `json:"running,omitempty"`
	Held    int               `json:"held,omitempty"`   // no demand
	Hidden  int               `json:"hidden,omitempty"` // will be idle jobs: HTCondor's late materialisation
	Oldest  time.Time         `json:"oldest,omitzero"`  // when the oldest idle job was submitted
	Runtime time.Duration     `json:"runtime,omitempty"`
	Jobs    []string          `json:"jobs,omitempty"` // ids of some of its jobs, for people
	Source  string            `json:"source,omitempty"`
}

// Waiting returns how many jobs of the group want to start.
func (g JobGroup) Waiting() int { return g.Idle + g.Hidden }

// Workers is what the batch system knows of workers.
type Workers struct {
	List []Worker `json:"list"`
	// Since is how long the batch system's own directory (HTCondor's collector) has been up. A young directory does
	// not know all workers yet. Zero: unknown, taken as long enough.
	Since time.Duration `json:"since,omitempty"`
	// Interval is how often workers report (HTCondor's UPDATE_INTERVAL).
	Interval time.Duration `json:"interval,omitempty"`
}

// Worker is a VM as the batch system sees it.
type Worker struct {
	VM       string    `json:"vm"`   // the VM's id, which the worker tells of itself (attribute ElasticVM)
	Name     string    `json:"name"` // in the batch system
	Queue    string    `json:"queue,omitempty"`
	Joined   bool      `json:"joined,omitempty"` // it has slots: it serves, or drains; otherwise it is warm
	Draining bool      `json:"draining,omitempty"`
	Total    Resources `json:"total,omitempty"`
	Free     Resources `json:"free,omitempty"`
	Jobs     []Job     `json:"jobs,omitempty"`
	// IdleSince is since when no job has run on it; zero while one runs.
	IdleSince time.Time `json:"idle_since,omitzero"`
	Heard     time.Time `json:"heard"` // when it last reported
}

// Job is one job on a worker.
type Job struct {
	ID      string        `json:"id"`
	Queue   string        `json:"queue,omitempty"`
	Source  string        `json:"source,omitempty"` // the schedd
	Since   time.Time     `json:"since,omitzero"`
	Runtime time.Duration `json:"runtime,omitempty"` // that it may take in all; 0: unknown
}
