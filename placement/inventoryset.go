package placement

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// inventorySet is all inventory of one provider as Placement sends and takes it. Inventories of others stay the bytes
// that Placement sent, so that writing the set back cannot change them.
type inventorySet map[string]json.RawMessage

// sentInventory is an inventory in an answer. Placement echoes a number as it was written, so that 2 may come as 2.0.
type sentInventory struct {
	Total           *float64 `json:"total"`
	Reserved        *float64 `json:"reserved"`
	MinUnit         *float64 `json:"min_unit"`
	MaxUnit         *float64 `json:"max_unit"`
	StepSize        *float64 `json:"step_size"`
	AllocationRatio *float64 `json:"allocation_ratio"`
}

// get decodes the inventory of a class.
func (s inventorySet) get(class string) (Inventory, bool) {
	var sent sentInventory
	raw, found := s[class]
	if found {
		_ = json.Unmarshal(raw, &sent) // what is no number stays 0 and so differs from all that is wanted
	}
	return Inventory{
		Total: int(value(sent.Total)), Reserved: int(value(sent.Reserved)), MinUnit: int(value(sent.MinUnit)),
		MaxUnit: int(value(sent.MaxUnit)), StepSize: int(value(sent.StepSize)), AllocationRatio: value(sent.AllocationRatio),
	}, found
}

// check refuses an answer that lacks a field: written back as it is, Placement would fill in a default.
func (s inventorySet) check(op string) error {
	for _, class := range slices.Sorted(maps.Keys(s)) {
		var sent sentInventory
		err := json.Unmarshal(s[class], &sent)
		if err != nil || slices.Contains([]*float64{
			sent.Total, sent.Reserved, sent.MinUnit, sent.MaxUnit, sent.StepSize, sent.AllocationRatio,
		}, nil) {
			return refuse(nil, op, "the answer is not complete: inventory %s is %.200s", class, s[class])
		}
	}
	return nil
}

// set encodes the inventory of a class.
func (s inventorySet) set(class string, inventory Inventory) {
	s[class], _ = json.Marshal(inventory.withDefaults()) // a struct of checked numbers cannot fail
}

// equal tells whether two sets are the same bytes.
func (s inventorySet) equal(other inventorySet) bool {
	return maps.EqualFunc(s, other, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}
