package quota

import (
	"maps"
	"math"
)

// Names of the resources that every part of the pool spells the same way. Any other name may be used as well, for
// example a Placement resource class such as CUSTOM_FPGA_INTEL.
const (
	VMs    = "vms"       // whole virtual machines, the only thing that VCondor counts
	CPUs   = "cpus"      // virtual CPUs
	Memory = "memory_mb" // main memory in MiB
	Disk   = "disk_mb"   // local disk in MiB
	GPUs   = "gpus"      // whole GPUs
	FPGAs  = "fpgas"     // whole FPGAs
)

// Resources are amounts by name of the resource. An absent name counts as zero where amounts are used, and as "no
// limit" where Resources are limits (capacity of a cloud, floor or ceiling of a queue). Methods never change their
// receiver; sums stop at the largest and smallest int64 instead of wrapping round.
type Resources map[string]int64

// Plus returns r and other added up.
func (r Resources) Plus(other Resources) Resources {
	sum := r.orEmpty()
	for name, amount := range other {
		sum[name] = add(sum[name], amount)
	}
	return sum
}

// Minus returns r less other. Amounts may become negative.
func (r Resources) Minus(other Resources) Resources {
	return r.Plus(other.Times(-1))
}

// Times returns n times r.
func (r Resources) Times(n int64) Resources {
	product := make(Resources, len(r))
	for name, amount := range r {
		product[name] = multiply(amount, n)
	}
	return product
}

// Covers tells whether every amount of other is at most the one of r, absent ones counting as zero.
func (r Resources) Covers(other Resources) bool {
	for name, amount := range other {
		if amount > r[name] {
			return false
		}
	}
	return true
}

// Clone returns a copy of r; nil stays nil.
func (r Resources) Clone() Resources { return maps.Clone(r) }

// orEmpty returns a copy of r that can be written to.
func (r Resources) orEmpty() Resources {
	if r == nil {
		return Resources{}
	}
	return maps.Clone(r)
}

// add returns a + b, held within int64.
func add(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum <= 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// multiply returns a * b, held within int64.
func multiply(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	// The quotient tells a wrapped product, but for the one pair whose quotient wraps as well.
	product := a * b
	if product/b == a && (a != math.MinInt64 || b != -1) {
		return product
	}
	if (a < 0) == (b < 0) {
		return math.MaxInt64
	}
	return math.MinInt64
}
