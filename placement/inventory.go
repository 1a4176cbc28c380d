package placement

import (
	"encoding/json"
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
	if i.AllocationRatio < 0 || i.MinUnit > i.MaxUnit {
		return errors.New("allocation_ratio must not be negative, and min_unit not above max_unit")
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

// inventorySet is all inventory of one provider as Placement sends and takes it. Inventories of others stay the bytes
// that Placement sent, so that writing the set back cannot change them.
type inventorySet map[string]json.RawMessage

// get decodes the inventory of a class. Placement echoes a number as it was written, so that 2 may come as 2.0.
func (s inventorySet) get(class string) (Inventory, bool) {
	var sent struct {
		Total           float64 `json:"total"`
		Reserved        float64 `json:"reserved"`
		MinUnit         float64 `json:"min_unit"`
		MaxUnit         float64 `json:"max_unit"`
		StepSize        float64 `json:"step_size"`
		AllocationRatio float64 `json:"allocation_ratio"`
	}
	raw, found := s[class]
	if found {
		_ = json.Unmarshal(raw, &sent) // what is no number stays 0 and so differs from all that is wanted
	}
	return Inventory{
		Total: int(sent.Total), Reserved: int(sent.Reserved), MinUnit: int(sent.MinUnit), MaxUnit: int(sent.MaxUnit),
		StepSize: int(sent.StepSize), AllocationRatio: sent.AllocationRatio,
	}, found
}

// set encodes the inventory of a class.
func (s inventorySet) set(class string, inventory Inventory) {
	s[class], _ = json.Marshal(inventory.withDefaults()) // a struct of checked numbers cannot fail
}
