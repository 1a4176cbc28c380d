package placement

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Inventory is how much of a resource class a provider has. A zero field but Total means Placement's default.
type Inventory struct {
	// Total is the amount that exists; at least 1.
	Total int `json:"total"`
	// Reserved is the amount that is not to be allocated.
	Reserved int `json:"reserved"`
	// MinUnit and MaxUnit bound one allocation; the defaults are 1 and 2147483647.
	MinUnit int `json:"min_unit"`
	MaxUnit int `json:"max_unit"`
	// StepSize is what an allocation must be a multiple of; the default is 1.
	StepSize int `json:"step_size"`
	// AllocationRatio multiplies what is not reserved; the default is 1.
	AllocationRatio float64 `json:"allocation_ratio"`
}

// defaultMaxUnit is Placement's default (placement/db/constants.py:MAX_INT).
const defaultMaxUnit = math.MaxInt32

// withDefaults fills in what Placement would fill in, so that inventories can be compared.
func (i Inventory) withDefaults() Inventory {
	setDefault(&i.MinUnit, 1)
	setDefault(&i.MaxUnit, defaultMaxUnit)
	setDefault(&i.StepSize, 1)
	setDefault(&i.AllocationRatio, 1)
	return i
}

func setDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

// check refuses what Placement refuses (placement/schemas/inventory.py, placement/handlers/inventory.py).
func (i Inventory) check() error {
	i = i.withDefaults()
	for _, amount := range []int{i.Total, i.MinUnit, i.MaxUnit, i.StepSize} {
		if amount < 1 || amount > math.MaxInt32 {
			return errors.New("total, min_unit, max_unit and step_size must be 1 to 2147483647; leave the class out to have none of it")
		}
	}
	if i.Reserved < 0 || i.Reserved > i.Total {
		return errors.New("reserved must be 0 to total")
	}
	if i.MinUnit > i.MaxUnit {
		return errors.New("min_unit must not be above max_unit")
	}
	if !(i.AllocationRatio >= 0 && i.AllocationRatio <= math.MaxFloat32) { // NaN is neither
		return errors.New("allocation_ratio must be a number from 0 to 3.4e38")
	}
	return nil
}

// is tells whether an inventory that was read is the one that was written.
func (i Inventory) is(written Inventory) bool {
	written = written.withDefaults()
	return i.near(written) == written
}

// near returns the inventory with the ratio of another, if the two ratios are the same but for the digits that some
// databases drop: MySQL keeps six.
func (i Inventory) near(other Inventory) Inventory {
	if math.Abs(i.AllocationRatio-other.AllocationRatio) <= 1e-5*other.AllocationRatio {
		i.AllocationRatio = other.AllocationRatio
	}
	return i
}

// differs names the fields in which an inventory is not the wanted one.
func (i Inventory) differs(want Inventory) string {
	want = want.withDefaults()
	i = i.near(want)
	var words []string
	note := func(field string, is, wanted any) {
		if is != wanted {
			words = append(words, fmt.Sprintf("%s %v, not %v", field, is, wanted))
		}
	}
	note("total", i.Total, want.Total)
	note("reserved", i.Reserved, want.Reserved)
	note("min_unit", i.MinUnit, want.MinUnit)
	note("max_unit", i.MaxUnit, want.MaxUnit)
	note("step_size", i.StepSize, want.StepSize)
	note("allocation_ratio", i.AllocationRatio, want.AllocationRatio)
	return "has " + strings.Join(words, "; ")
}

// capacity is how much can be allocated (placement/objects/inventory.py:Inventory.capacity).
func (i Inventory) capacity() int64 {
	i = i.withDefaults()
	return int64(float64(i.Total-i.Reserved) * i.AllocationRatio)
}

// withdrawn returns the inventory with everything reserved, so that nothing more is allocated from it.
func (i Inventory) withdrawn() Inventory {
	i.Reserved = i.Total
	return i
}
