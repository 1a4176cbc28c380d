package placementtest

import (
	"fmt"
	"maps"
	"slices"
)

// claimSet is one write of allocations for one or more consumers, after its consumers and providers are found.
type claimSet struct {
	claims    []claim
	consumers []*consumer
	created   []*consumer
	// wanted is each consumer's new allocations; an empty map takes all it has.
	wanted []map[*provider]map[string]int64
}

// prepare finds the consumers and the providers of a write. A provider that does not exist is met only after the consumers'
// records were made, and these stay: so does the real service (placement/handlers/allocation.py), and clients stumble over it.
func (s *store) prepare(claims []claim, minor int) (*claimSet, *fault) {
	consumers, created, f := s.ensureConsumers(claims, minor)
	if f != nil {
		return nil, f
	}
	set := &claimSet{claims: claims, consumers: consumers, created: created}
	for _, c := range claims {
		wanted := make(map[*provider]map[string]int64, len(c.allocations))
		for _, uuid := range slices.Sorted(maps.Keys(c.allocations)) {
			p, ok := s.providers[uuid]
			if !ok {
				return nil, badRequest("Allocation for resource provider '%s' that does not exist.", uuid)
			}
			wanted[p] = c.allocations[uuid]
		}
		set.wanted = append(set.wanted, wanted)
	}
	return set, nil
}

// write runs a claim set as one transaction: all of it, or nothing, and then the records it made go as well.
func (s *store) write(set *claimSet) *problem {
	t := &tx{store: s}
	if p := t.replace(set); p != nil {
		t.rollback()
		s.dropConsumers(set.created)
		return p
	}
	return nil
}

// replace takes away what the consumers have, checks what they want and gives it to them. Mirrors _set_allocations of
// placement/objects/allocation.py.
func (t *tx) replace(set *claimSet) *problem {
	check := capacityCheck{store: t.store, before: make(map[*provider]map[string]int64)}
	check.note(set)
	freed := make([]map[*provider]map[string]int64, len(set.consumers))
	for i, c := range set.consumers {
		freed[i] = c.allocations
		t.setAllocations(c, nil)
	}
	if p := check.run(set, freed); p != nil {
		return p
	}
	touched := make(map[*provider]struct{})
	for i, c := range set.consumers {
		t.give(c, set.claims[i], set.wanted[i], freed[i], touched)
	}
	for p := range touched {
		t.bump(p)
	}
	return nil
}

// give writes one consumer's part. A consumer without old or new allocations is not touched at all: its record stays.
func (t *tx) give(c *consumer, from claim, wanted, freed map[*provider]map[string]int64, touched map[*provider]struct{}) {
	t.update(c, from, len(wanted)+len(freed) > 0)
	for p := range wanted {
		touched[p] = struct{}{}
	}
	if len(wanted) > 0 {
		t.setAllocations(c, wanted)
		return
	}
	for p := range freed {
		touched[p] = struct{}{}
	}
	if len(freed) > 0 {
		t.forget(c)
	}
}

// capacityCheck looks whether the providers allow a write. Mirrors _check_capacity_exceeded.
type capacityCheck struct {
	store *store
	// before is what was used of each class the write touches, before it.
	before map[*provider]map[string]int64
}

// note remembers the use of what the write wants, for the rule about writes that do not raise it.
func (k *capacityCheck) note(set *claimSet) {
	for _, wanted := range set.wanted {
		for p, classes := range wanted {
			if k.before[p] == nil {
				k.before[p] = make(map[string]int64)
			}
			for class := range classes {
				k.before[p][class] = p.used[class]
			}
		}
	}
}

// run checks, in the real service's order: classes exist, providers have anything of what the whole write is about, then each
// amount.
func (k *capacityCheck) run(set *claimSet, freed []map[*provider]map[string]int64) *problem {
	classes, p := k.classes(set, freed)
	if p != nil {
		return p
	}
	for _, wanted := range set.wanted {
		for _, q := range byAge(wanted) {
			if !hasAny(q, classes) {
				return invalid("Inventory for '%s' on resource provider '%s' invalid.", "any class of the request", q.uuid)
			}
		}
	}
	sums := make(map[*provider]map[string]int64)
	for _, wanted := range set.wanted {
		for _, q := range byAge(wanted) {
			for _, class := range slices.Sorted(maps.Keys(wanted[q])) {
				if p := k.amount(sums, q, class, wanted[q][class]); p != nil {
					return p
				}
			}
		}
	}
	return nil
}

// classes gathers the classes of the whole write, those taken away included.
func (k *capacityCheck) classes(set *claimSet, freed []map[*provider]map[string]int64) (set[string], *problem) {
	classes := make(map[string]struct{})
	for i, wanted := range set.wanted {
		if len(wanted) == 0 {
			wanted = freed[i]
		}
		for _, amounts := range wanted {
			for class := range amounts {
				classes[class] = struct{}{}
			}
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		if !k.store.known.classes.has(class) {
			return nil, &problem{kind: unknownClass, text: "No such resource class " + class + "."}
		}
	}
	return classes, nil
}

// amount checks one amount against one inventory.
func (k *capacityCheck) amount(sums map[*provider]map[string]int64, p *provider, class string, amount int64) *problem {
	inv, ok := p.inventories[class]
	if !ok {
		return invalid("Inventory for '%s' on resource provider '%s' invalid.", class, p.uuid)
	}
	if !inv.allows(amount) {
		return invalid("Unable to create allocation for '%s' on resource provider '%s'. The requested amount would violate "+
			"inventory constraints.", class, p.uuid)
	}
	if sums[p] == nil {
		sums[p] = make(map[string]int64)
	}
	sums[p][class] += amount
	total := p.used[class] + sums[p][class]
	raised := k.store.strict || total > k.before[p][class]
	if float64(total) > inv.room() && raised {
		return invalid("Unable to create allocation for '%s' on resource provider '%s'. The requested amount would exceed the "+
			"capacity.", class, p.uuid)
	}
	return nil
}

func invalid(format string, args ...any) *problem {
	return &problem{kind: invalidInventory, text: fmt.Sprintf(format, args...)}
}

// hasAny tells whether a provider has inventory of one of the classes.
func hasAny(p *provider, classes set[string]) bool {
	for class := range p.inventories {
		if classes.has(class) {
			return true
		}
	}
	return false
}

// byAge gives the providers of an allocation, oldest first.
func byAge(allocations map[*provider]map[string]int64) []*provider {
	return inOrder(setOf(slices.Collect(maps.Keys(allocations))...))
}
