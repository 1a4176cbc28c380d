package quota

import (
	"crypto/rand"
	"time"
)

// Lease is a promise of VMs to a queue for some time. VCondor: what the columns available and reserve_time hold.
type Lease struct {
	// ID names the lease; it cannot be guessed. It is "" when nothing was leased.
	ID string `json:"id"`
	// Queue is the queue as it is configured.
	Queue string `json:"queue"`
	// Class is the class of VMs it was asked for, "" for any.
	Class string `json:"class,omitempty"`
	// Units are the VMs that are promised and have not appeared yet.
	Units int `json:"units"`
	// Granted and Expires are when it was given and until when its VMs may be launched. It lapses in the first
	// observation at or after Expires, since only that shows whether a VM was launched in the last moment.
	Granted time.Time `json:"granted"`
	Expires time.Time `json:"expires"`
}

// newLeaseID returns a name that nobody can guess, so only who got the lease can name it.
func newLeaseID() string { return rand.Text() }
