package fault

import (
	"maps"
	"reflect"
	"slices"
)

// kinds is the table of all faults. A new fault is a file with its struct, and
// a line here and in docs/faults.md.
var kinds = table(
	Pass{},
	Latency{}, Hang{}, Status{}, Unauthorized{}, Version{}, Cut{}, DropBefore{}, DropAfter{},
	Stuck{}, Late{}, Fails{},
	EventDrop{}, EventDelay{}, EventDouble{}, EventEarly{}, EventFirst{}, EventTag{}, EventRefused{},
)

func table(faults ...Fault) map[string]reflect.Type {
	byName := make(map[string]reflect.Type, len(faults))
	for _, fault := range faults {
		byName[fault.Kind()] = reflect.TypeOf(fault)
	}
	return byName
}

// Kinds are the names of all faults, in alphabetical order.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Parameters are the names of the parameters of a kind of fault, in order; nil
// for an unknown kind.
func Parameters(kind string) []string {
	of, ok := kinds[kind]
	if !ok {
		return nil
	}
	return names(of)
}
