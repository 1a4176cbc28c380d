package requestspec

import (
	"maps"
)

// draft is a group that is still being filled.
type draft struct {
	suffix string
	// where is the place that findings about the whole group name.
	where               string
	resources           map[string]amount
	required, forbidden map[string]bool
	aggregates          [][]string
	forbiddenAggregates []string
	inTree              string
	fromFlavor          bool
	fromProfile         bool
}

func newDraft(suffix, where string) *draft {
	return &draft{
		suffix: suffix, where: where,
		resources: map[string]amount{}, required: map[string]bool{}, forbidden: map[string]bool{},
	}
}

// keyOf is the key by which the group asks for a class.
func (d *draft) keyOf(class string) string {
	switch {
	case d.fromFlavor:
		return prefixResources + d.suffix + ":" + class
	case d.fromProfile:
		return prefixResources + ":" + class
	}
	return class // of a port's request
}

// empty mirrors nova/objects/request_spec.py:RequestGroup.is_empty: zero amounts count as something, in_tree does not.
func (d *draft) empty() bool {
	return len(d.resources)+len(d.required)+len(d.forbidden)+len(d.aggregates)+len(d.forbiddenAggregates) == 0
}

// dropZeros removes the classes whose amount is zero.
func (d *draft) dropZeros() {
	maps.DeleteFunc(d.resources, func(_ string, n amount) bool { return n.sign() == 0 })
}

// group returns the finished group, and the digits of the amounts above the int64 range.
func (d *draft) group() (Group, map[string]string) {
	group := Group{
		Suffix: d.suffix, Resources: make(map[string]int64, len(d.resources)),
		Required: sortedKeys(d.required), Forbidden: sortedKeys(d.forbidden),
		Aggregates: d.aggregates, ForbiddenAggregates: d.forbiddenAggregates, InTree: d.inTree,
	}
	var exact map[string]string
	for class, n := range d.resources {
		group.Resources[class] = n.saturated()
		if n.wide != nil {
			if exact == nil {
				exact = map[string]string{}
			}
			exact[class] = n.String()
		}
	}
	return group, exact
}
