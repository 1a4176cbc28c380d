package requestspec

import "slices"

// draft is a group that is still being filled.
type draft struct {
	suffix string
	// where is the place that findings about the whole group name.
	where               string
	resources           []askedFor
	required, forbidden names
	aggregates          [][]string
	forbiddenAggregates []string
	inTree              string
	fromFlavor          bool
	fromProfile         bool
}

// askedFor is how much a group asks for of a class.
type askedFor struct {
	class string
	n     amount
}

// names are sorted, each once.
type names []string

func (n *names) add(name string) {
	if i, known := slices.BinarySearch(*n, name); !known {
		*n = slices.Insert(*n, i, name)
	}
}

func newDraft(suffix, where string) *draft { return &draft{suffix: suffix, where: where} }

// ask sets the amount of a class. The groups have few classes, so that a list is faster than a map.
func (d *draft) ask(class string, n amount) {
	if i := d.index(class); i >= 0 {
		d.resources[i].n = n
		return
	}
	d.resources = append(d.resources, askedFor{class, n})
}

// index is where a class stands, -1 when it is not asked for.
func (d *draft) index(class string) int {
	return slices.IndexFunc(d.resources, func(r askedFor) bool { return r.class == class })
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
	d.resources = slices.DeleteFunc(d.resources, func(r askedFor) bool { return r.n.sign() == 0 })
}

// group returns the finished group, and the digits of the amounts above the int64 range.
func (d *draft) group() (Group, map[string]string) {
	group := Group{
		Suffix: d.suffix, Resources: make(map[string]int64, len(d.resources)),
		Required: d.required, Forbidden: d.forbidden,
		Aggregates: d.aggregates, ForbiddenAggregates: d.forbiddenAggregates, InTree: d.inTree,
	}
	var exact map[string]string
	for _, r := range d.resources {
		group.Resources[r.class] = r.n.saturated()
		if r.n.wide != nil {
			if exact == nil {
				exact = map[string]string{}
			}
			exact[r.class] = r.n.String()
		}
	}
	return group, exact
}
