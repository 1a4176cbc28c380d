package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// SWF says how a trace in the Standard Workload Format becomes jobs of ours.
type SWF struct {
	By string `json:"by,omitempty"` // the field that names the queue: queue (the default), user, group or partition
	// Queues names our queue for a value of that field, such as "3": "JUNO". Jobs with other values are left out. When
	// it is empty, each value is a queue of its own, named like "queue-3".
	Queues map[string]string `json:"queues,omitempty"`
	// Split makes a job of n processors n jobs of one, as one who has no parallel jobs would submit them.
	Split bool `json:"split,omitempty"`
	// Memory says which field is the memory of a job: wanted (the default), used, or none: 2000 MiB for each
	// processor. An unknown one is 2000 MiB too.
	Memory string `json:"memory,omitempty"`
}

func (o SWF) withDefaults() SWF {
	o.By = orDefault(o.By, "queue")
	o.Memory = orDefault(o.Memory, "wanted")
	return o
}

func (o SWF) check() error {
	if !slices.Contains([]string{"queue", "user", "group", "partition"}, o.By) {
		return fmt.Errorf("%w: swf.by is %q, it must be queue, user, group or partition", ErrConfig, o.By)
	}
	if !slices.Contains([]string{"wanted", "used", "none"}, o.Memory) {
		return fmt.Errorf("%w: swf.memory is %q, it must be wanted, used or none", ErrConfig, o.Memory)
	}
	return nil
}

// ReadJobs reads a whole trace: the jobs that ran, in the order in which they were submitted, the first at 0. Jobs that
// were cancelled before they ran, and parts of jobs, are left out.
func ReadJobs(r io.Reader, name string, options SWF) ([]Job, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	reader := NewSWFReader(r, name)
	requests := map[[2]int64]elasticpool.Resources{} // jobs share them
	jobs := []Job{}
	for {
		rec, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if jobs, err = options.add(jobs, rec, requests); err != nil {
			return nil, fmt.Errorf("%w: %s:%d: %w", ErrTrace, name, rec.lineOfTheFile, err)
		}
	}
	if len(jobs) == 0 {
		return nil, fmt.Errorf("%w: %s: no job in it that ran in a queue that is wanted", ErrTrace, name)
	}
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	first := jobs[0].Submit
	for i := range jobs {
		jobs[i].Submit -= first
	}
	return jobs, nil
}

var (
	errNoSubmit   = errors.New("field 2 (submit time) is unknown, a job cannot do without it")
	errManyProcs  = errors.New("more than 1000000 processors")
	mostProcessed = int64(1_000_000)
)

// add appends the jobs that a record stands for.
func (o SWF) add(jobs []Job, rec SWFRecord, requests map[[2]int64]elasticpool.Resources) ([]Job, error) {
	queue, wanted := o.queue(rec)
	part := rec.Status >= 2 && rec.Status <= 4
	if !wanted || part || rec.Runtime <= 0 {
		return jobs, nil
	}
	procs := max(1, rec.Procs)
	if rec.Procs <= 0 {
		procs = max(1, rec.WantedProcs)
	}
	switch {
	case rec.Submit < 0:
		return nil, errNoSubmit
	case procs > mostProcessed:
		return nil, errManyProcs
	}
	copies := int64(1)
	if o.Split {
		copies, procs = procs, 1
	}
	key := [2]int64{procs, procs * o.memory(rec)}
	if requests[key] == nil {
		requests[key] = elasticpool.Resources{elasticpool.CPUs: key[0], elasticpool.Memory: key[1]}
	}
	job := Job{
		Queue: queue, Submit: seconds(rec.Submit), Runtime: max(seconds(rec.Runtime), time.Second), Request: requests[key],
		Limit: seconds(max(0, rec.WantedTime)),
	}
	for range copies {
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// queue returns our name of the record's queue; false when its jobs are not wanted.
func (o SWF) queue(rec SWFRecord) (string, bool) {
	value := map[string]int64{
		"queue": rec.Queue, "user": rec.User, "group": rec.Group, "partition": rec.Partition,
	}[o.By]
	text := strconv.FormatInt(value, 10)
	if len(o.Queues) == 0 {
		return o.By + "-" + text, true
	}
	name, ok := o.Queues[text]
	return name, ok
}

// memory returns the MiB that the record's job takes for each processor.
func (o SWF) memory(rec SWFRecord) int64 {
	kib := -1.0
	switch o.Memory {
	case "wanted":
		kib = rec.WantedMemory
	case "used":
		kib = rec.Memory
	}
	if kib <= 0 {
		return coreMemory
	}
	return max(1, int64(kib/1024))
}
