package simulate

import (
	"math"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

const (
	minute = time.Minute
	hour   = time.Hour

	multicore    = 8    // cores of a multi-core job
	coreMemory   = 2000 // MiB that a job asks for with each core
	slotMemory   = 2048 // MiB that a VM has with each core
	cloudName    = "cloud"
	workerClass  = "worker"
	gpuClass     = "gpu"
	vcondorFloor = 0.10 // of the pool: VCondor's lower threshold
	vcondorTop   = 0.70 // of the pool: VCondor's upper threshold
)

// poolOf returns the pool's configuration and what its clouds have.
func poolOf(c Config, trace []Job) (elasticpool.Policy, map[string]elasticpool.Resources) {
	pool := builtInPool(c, trace)
	if c.Policy != nil {
		pool = *c.Policy
	}
	pool.Control.Cycle = c.Timing.Cycle
	capacity := make(map[string]elasticpool.Resources, len(pool.Clouds))
	for _, cloud := range pool.Clouds {
		switch {
		case c.Capacity[cloud.Name] != nil:
			capacity[cloud.Name] = c.Capacity[cloud.Name]
		case len(cloud.Max) > 0:
			capacity[cloud.Name] = cloud.Max
		default:
			capacity[cloud.Name] = elasticpool.Resources{elasticpool.VMs: int64(c.VMs)}
		}
	}
	return pool, capacity
}

// builtInPool is the pool of a run that has no configuration of its own.
func builtInPool(c Config, trace []Job) elasticpool.Policy {
	pool := elasticpool.Policy{
		Pool:   "simulated",
		Queues: builtInQueues(c, trace),
		Clouds: []elasticpool.Cloud{{Name: cloudName, Max: elasticpool.Resources{elasticpool.VMs: int64(c.VMs)}}},
	}
	// Bags of like jobs end together, so idling longer than a boot takes costs more than the boots that it saves.
	pool.Control.IdleTime = c.Timing.Boot
	pool.Control.ShrinkShare = 0.5 // else most of a bag's VMs idle on only because too many may not leave at once
	worker := builtInClass(workerClass, c.Shape.Cores)
	if c.Shape.GPU > 0 {
		gpu := builtInClass(gpuClass, c.Shape.Cores)
		gpu.Takes[elasticpool.GPUs], gpu.Slot[elasticpool.GPUs] = 1, 1
		gpu.Max = orDefault(c.Shape.GPUVMs, max(1, c.VMs/10))
		pool.Clouds[0].Max[elasticpool.GPUs] = int64(gpu.Max)
		worker.Max = max(1, c.VMs-gpu.Max)
		pool.Classes = append(pool.Classes, gpu)
	}
	pool.Classes = append(pool.Classes, worker)
	return pool
}

func builtInClass(name string, cores int) elasticpool.Class {
	n := int64(cores)
	return elasticpool.Class{
		Name: name, Cloud: cloudName,
		Flavor: name, Image: "worker",
		Takes: elasticpool.Resources{elasticpool.CPUs: n, elasticpool.Memory: n * slotMemory},
		Slot:  elasticpool.Resources{elasticpool.CPUs: n, elasticpool.Memory: n * slotMemory},
	}
}

// builtInQueues are those of the shape, or those that a trace from elsewhere has, all of the same weight. Each has a
// floor of a tenth of the pool, which VCondor has too, but not more than its part.
func builtInQueues(c Config, trace []Job) []elasticpool.Queue {
	var queues []elasticpool.Queue
	if c.generated() {
		for _, q := range c.Shape.Queues {
			queues = append(queues, elasticpool.Queue{Name: q.Name, Weight: orDefault(q.Weight, q.Share)})
		}
	} else {
		for _, name := range queueNames(trace) {
			queues = append(queues, elasticpool.Queue{Name: name, Weight: 1})
		}
	}
	floor := min(vcondorFloor, 1/float64(max(1, len(queues))))
	for i := range queues {
		queues[i].Lower = int64(floor * float64(c.VMs))
	}
	return queues
}

// queueNames returns the names of all queues of a trace, sorted.
func queueNames(trace []Job) []string {
	seen := map[string]bool{}
	names := []string{}
	for i := range trace {
		if name := trace[i].Queue; !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// takes returns what a VM of the class takes of its cloud.
func takes(class elasticpool.Class) elasticpool.Resources {
	all := class.Takes.Clone()
	if all == nil {
		all = elasticpool.Resources{}
	}
	all[elasticpool.VMs] = 1
	return all
}

// room returns how many VMs of each class the clouds have room for when classes are filled up in their order, the last
// with what is left.
func room(pool elasticpool.Policy, capacity map[string]elasticpool.Resources) []int {
	left := make(map[string]elasticpool.Resources, len(capacity))
	for name, have := range capacity {
		left[name] = have.Clone()
	}
	counts := make([]int, len(pool.Classes))
	for i, class := range pool.Classes {
		counts[i] = fill(left[class.Cloud], class)
	}
	return counts
}

// fill takes as many VMs of the class as fit out of what is left of a cloud, and returns their number. Without any
// limit it is none: nobody can say what share of such a pool something is.
func fill(left elasticpool.Resources, class elasticpool.Class) int {
	n := int64(math.MaxInt32)
	if class.Max > 0 {
		n = int64(class.Max)
	}
	for name, amount := range takes(class) {
		if have, limited := left[name]; limited && amount > 0 {
			n = min(n, max(0, have)/amount)
		}
	}
	if left == nil || n == math.MaxInt32 {
		return 0
	}
	for name, amount := range takes(class) {
		if _, limited := left[name]; limited {
			left[name] -= n * amount
		}
	}
	return int(n)
}

// slots returns the resources of all slots of all VMs that there is room for.
func slots(pool elasticpool.Policy, counts []int) elasticpool.Resources {
	total := elasticpool.Resources{}
	for i, class := range pool.Classes {
		total = total.Plus(class.Slot.Times(int64(counts[i])))
	}
	return total
}
