package placementtest

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// inventory is what a provider has of one class. Mirrors placement/objects/inventory.py Inventory.
type inventory struct {
	Total    int64 `json:"total"`
	Reserved int64 `json:"reserved"`
	MinUnit  int64 `json:"min_unit"`
	MaxUnit  int64 `json:"max_unit"`
	StepSize int64 `json:"step_size"`
	Ratio    ratio `json:"allocation_ratio"`
}

// ratio is a float that is written with a fraction even when it has none, as Python does.
type ratio float64

// MarshalJSON writes the ratio.
func (r ratio) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(r), 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return []byte(text), nil
}

// inventoryOf reads an inventory from a checked body, with the defaults for what is left out.
func inventoryOf(o object) inventory {
	inv := inventory{MinUnit: 1, MaxUnit: maxInt, StepSize: 1, Ratio: 1}
	fields := map[string]*int64{
		"total": &inv.Total, "reserved": &inv.Reserved, "min_unit": &inv.MinUnit, "max_unit": &inv.MaxUnit, "step_size": &inv.StepSize,
	}
	for key, field := range fields {
		if n, ok := integer(o, key); ok {
			*field = n
		}
	}
	if n, ok := o["allocation_ratio"].(json.Number); ok {
		inv.Ratio = ratio(toFloat(n))
	}
	return inv
}

// room is the capacity before it is rounded down.
func (i inventory) room() float64 { return float64(i.Total-i.Reserved) * float64(i.Ratio) }

// capacity is the room in whole units.
func (i inventory) capacity() int64 {
	return int64(math.Trunc(max(min(i.room(), math.MaxInt64/2), math.MinInt64/2)))
}

// allows tells whether an amount keeps to the unit rules.
func (i inventory) allows(amount int64) bool {
	return amount >= i.MinUnit && amount <= i.MaxUnit && amount%i.StepSize == 0
}

// fits tells whether a provider can give an amount of a class on its own. Mirrors _capacity_check_clause of
// placement/objects/research_context.py.
func (p *provider) fits(class string, amount int64) bool {
	inv, ok := p.inventories[class]
	return ok && inv.allows(amount) && float64(p.used[class])+float64(amount) <= inv.room()
}

// checkCapacity refuses an inventory of nothing: below 1.26 the reserved part may not be all of it. The verb says what was tried.
func checkCapacity(verb string, p *provider, class string, inv inventory, minor int) *fault {
	than := "greater than"
	switch {
	case minor < 26 && inv.capacity() <= 0:
		than = "greater than or equal to"
	case inv.capacity() >= 0:
		return nil
	}
	return badRequest("Unable to %s inventory for resource provider %s: Invalid inventory for '%s' on resource provider '%s'. The "+
		"reserved value is %s total.", verb, p.uuid, class, p.uuid, than)
}
