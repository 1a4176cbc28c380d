package elasticpool

import "time"

// VMState is where a VM is in its life.
type VMState string

// States of a VM.
const (
	Planned   VMState = "planned"   // in the journal only
	Requested VMState = "requested" // the cloud was asked; there is no server yet, or nobody knows
	Building  VMState = "building"  // the cloud makes the server
	Booted    VMState = "booted"    // the server runs; its worker has not reported yet
	Warm      VMState = "warm"      // level-1 buffer: the worker reports and serves no queue
	Joining   VMState = "joining"   // the worker was told to serve a queue
	Joined    VMState = "joined"    // it serves
	Draining  VMState = "draining"  // it takes no new jobs; its jobs end
	Stopping  VMState = "stopping"  // its server goes to sleep
	Stopped   VMState = "stopped"   // its server sleeps
	Starting  VMState = "starting"  // its server wakes up
	Deleting  VMState = "deleting"  // DELETE is repeated until the server is gone
	Failed    VMState = "failed"    // it did not come to life; it is deleted
	Lost      VMState = "lost"      // it was there, and is not; its jobs are given back, then it is deleted
	Orphaned  VMState = "orphaned"  // the server bears our tag, and its class or queue is no more
	Stranded  VMState = "stranded"  // its cloud is not in the policy: nobody can reach it, and nothing is done with it
	Degraded  VMState = "degraded"  // it serves with fewer devices than its class has; it is replaced
)

// VM is one machine of the pool as the controller knows it.
type VM struct {
	ID      string    `json:"id"` // 26 characters, in the order in which VMs were planned
	Class   string    `json:"class"`
	Cloud   string    `json:"cloud"`
	Queue   string    `json:"queue,omitempty"` // it is bound to; empty: of the buffer
	State   VMState   `json:"state"`
	Since   time.Time `json:"since"`   // in this state
	Created time.Time `json:"created"` // planned, or made as the cloud says
	Server  string    `json:"server,omitempty"`
	Host    string    `json:"host,omitempty"`
	// IdleSince is since when it has had no job while it could have; zero while it has one.
	IdleSince time.Time `json:"idle_since,omitzero"`
	Missing   time.Time `json:"missing,omitzero"` // since when its worker should report and does not
	Gone      time.Time `json:"gone,omitzero"`    // since when its cloud should show its server and does not
	Bound     time.Time `json:"bound,omitzero"`   // when it was last given to a queue
	Jobs      []Job     `json:"jobs,omitempty"`   // that it was last seen to run
	Why       string    `json:"why,omitempty"`    // it is in this state, for people
	Tries     int       `json:"tries,omitempty"`  // of the action it is in
	Again     time.Time `json:"again,omitzero"`   // not to be acted on before
	Proved    bool      `json:"proved,omitempty"` // it came to life once
	Keep      bool      `json:"keep,omitempty"`   // after draining it goes to the buffer, not away
	Made      string    `json:"made,omitempty"`   // Class.Version when it was planned; empty: not known
	Was       string    `json:"was,omitempty"`    // queue it served before the bind that is under way
}
