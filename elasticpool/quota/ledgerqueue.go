package quota

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// NoMax as LedgerQueue.Max means that the queue has no ceiling.
const NoMax = -1

// DefaultReserve is how long a lease holds when the queue does not say it, the usual INVALID_STATUS_LIMIT of VCondor.
const DefaultReserve = 10 * time.Minute

// LedgerQueue is what the ledger has to know of a queue.
type LedgerQueue struct {
	// Name identifies the queue. Requests may spell it in another case as long as only one queue fits.
	Name string
	// Min is the floor in VMs. It is only told (MIN); that it is kept is the work of Share, which makes the fair target.
	Min int
	// Max is the ceiling in VMs; 0 allows none, NoMax any number.
	Max int
	// Reserve is how long a lease holds, and the most that a request may ask for; 0 stands for DefaultReserve.
	// VCondor: reservation time, reserve_time and INVALID_STATUS_LIMIT.
	Reserve time.Duration
}

// LedgerQueueOf takes floor and ceiling in VMs from the queue as Share knows it.
func LedgerQueueOf(q Queue, reserve time.Duration) LedgerQueue {
	lq := LedgerQueue{Name: q.Name, Min: int(q.Min[VMs]), Max: NoMax, Reserve: reserve}
	if ceiling, ok := q.Max[VMs]; ok {
		lq.Max = int(max(0, ceiling))
	}
	return lq
}

// check tells what is wrong with the queue.
func (q LedgerQueue) check() error {
	switch {
	case strings.TrimSpace(q.Name) == "":
		return fmt.Errorf("%w: a queue has no name", ErrConfig)
	case q.Min < 0:
		return fmt.Errorf("%w: queue %q: min %d is negative", ErrConfig, q.Name, q.Min)
	case q.Max < NoMax:
		return fmt.Errorf("%w: queue %q: max %d is negative; leave it out for no ceiling", ErrConfig, q.Name, q.Max)
	case q.Max != NoMax && q.Max < q.Min:
		return fmt.Errorf("%w: queue %q: max %d is below min %d", ErrConfig, q.Name, q.Max, q.Min)
	case q.Reserve < 0:
		return fmt.Errorf("%w: queue %q: reservation time %v is negative", ErrConfig, q.Name, q.Reserve)
	}
	return nil
}

// checkQueues returns a copy of the queues with defaults filled in.
func checkQueues(queues []LedgerQueue) ([]LedgerQueue, error) {
	checked := slices.Clone(queues)
	seen := map[string]bool{}
	for i := range checked {
		q := &checked[i]
		if err := q.check(); err != nil {
			return nil, err
		}
		if seen[q.Name] {
			return nil, fmt.Errorf("%w: queue %q is there twice", ErrConfig, q.Name)
		}
		seen[q.Name] = true
		if q.Reserve == 0 {
			q.Reserve = DefaultReserve
		}
	}
	return checked, nil
}

// find returns the queue of that name: the same spelling first, else the only one that differs in case alone.
func find(queues []LedgerQueue, name string) (LedgerQueue, error) {
	var found []LedgerQueue
	for _, q := range queues {
		if q.Name == name {
			return q, nil
		}
		if strings.EqualFold(q.Name, name) {
			found = append(found, q)
		}
	}
	switch len(found) {
	case 0:
		return LedgerQueue{}, ErrUnknownQueue
	case 1:
		return found[0], nil
	default:
		return LedgerQueue{}, ErrAmbiguousQueue
	}
}
