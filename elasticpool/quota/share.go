package quota

// Queue is one party that shares the pool: a queue of the batch system, in VCondor a resource group.
type Queue struct {
	// Name identifies the queue; no two queues of one call have the same.
	Name string
	// Weight says how many times the share of a queue of weight 1 this one is due. Zero, negative and
	// non-finite weights count as 1.
	Weight float64
	// Keep is the dominant share, not divided by weight, up to which the queue is filled by its weight alone. Beyond
	// it its weight counts Boost times. Boost below zero and not finite count as 1, as zero does.
	Keep  float64
	Boost float64
	// Min is the floor per resource: so much is served before anybody gets more than his floor, but only as far
	// as it is demanded. VCondor: lower threshold (MIN).
	Min Resources
	// Max is the ceiling per resource; an absent resource has none, a zero allows nothing. VCondor: upper
	// threshold (max).
	Max Resources
	// Credit is the queue's use in the long term, in any unit. Of two queues with the same share the one with
	// less goes first.
	Credit float64
}

// Option is one class of VMs that would serve a demand.
type Option struct {
	// Class names the class of VMs. It is for the caller; Share does not read it.
	Class string
	// Cloud names the cloud whose capacity a VM of the class takes.
	Cloud string
	// Unit is what one VM takes of its cloud and counts against the queue, VMs: 1 included. Negative amounts
	// count as zero.
	Unit Resources
	// Have is the number of VMs of the class that serve this demand already. They are granted before new ones of
	// any option.
	Have int
}

// Demand is what a queue wants: VMs that may be of any of several classes.
type Demand struct {
	// Queue is the Name of a Queue. A demand of an unknown queue gets nothing.
	Queue string
	// Want is the number of VMs in all, those that the queue has already included.
	Want int
	// Options are the classes that would do, best first.
	Options []Option
}

// Grant is the answer to the demand of the same index.
type Grant struct {
	// Queue repeats the demand's queue.
	Queue string
	// PerOption are the VMs granted of each of the demand's options, those it has included. An option whose Have
	// is larger has to give the difference back.
	PerOption []int
}

// VMs returns the number of VMs granted over all options.
func (g Grant) VMs() int {
	sum := 0
	for _, n := range g.PerOption {
		sum += n
	}
	return sum
}

// Share divides capacity among the demands of the queues and returns one Grant per demand, in the order of the demands.
func Share(capacity map[string]Resources, queues []Queue, demands []Demand) []Grant {
	f := newFilling(capacity, queues, demands)
	f.run()
	return f.grants
}
