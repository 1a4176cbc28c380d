package placementtest

import (
	"maps"
	"slices"
	"strings"
)

// tx collects how to take back the changes of one write, so that a write that fails half-way leaves nothing.
type tx struct {
	store *store
	undo  []func()
}

// rollback takes back every change, newest first.
func (t *tx) rollback() {
	for _, undo := range slices.Backward(t.undo) {
		undo()
	}
}

// bump moves a provider's generation.
func (t *tx) bump(p *provider) {
	p.generation++
	t.undo = append(t.undo, func() { p.generation-- })
}

// setInventories replaces a provider's inventories, and moves its generation, after checking that every class exists and that no
// class in use is dropped. Mirrors _set_inventory of placement/objects/resource_provider.py.
func (t *tx) setInventories(p *provider, next map[string]inventory) *problem {
	for _, class := range slices.Sorted(maps.Keys(next)) {
		if !t.store.known.classes.has(class) {
			return &problem{kind: unknownClass, text: "No such resource class " + class + "."}
		}
	}
	if dropped := t.store.inUse(p, next); len(dropped) > 0 {
		return &problem{
			kind: inventoryInUse,
			text: "Inventory for '" + strings.Join(dropped, ", ") + "' on resource provider '" + p.uuid + "' in use.",
		}
	}
	old := p.inventories
	t.store.swapInventories(p, next)
	t.undo = append(t.undo, func() { t.store.swapInventories(p, old) })
	t.bump(p)
	return nil
}

// inUse lists the classes that next drops although consumers have some of them, oldest class first.
func (s *store) inUse(p *provider, next map[string]inventory) []string {
	var dropped []string
	for _, class := range s.classes {
		if _, had := p.inventories[class]; !had || p.used[class] == 0 {
			continue
		}
		if _, kept := next[class]; !kept {
			dropped = append(dropped, class)
		}
	}
	return dropped
}

// swapInventories sets a provider's inventories and the index over them.
func (s *store) swapInventories(p *provider, next map[string]inventory) {
	for class := range p.inventories {
		if _, kept := next[class]; !kept {
			unlink(s.byClass, class, p)
		}
	}
	for class := range next {
		link(s.byClass, class, p)
	}
	p.inventories = next
}

// setAllocations replaces all that a consumer has.
func (t *tx) setAllocations(c *consumer, next map[*provider]map[string]int64) {
	old := c.allocations
	swapAllocations(c, next)
	t.undo = append(t.undo, func() { swapAllocations(c, old) })
}

// swapAllocations sets a consumer's allocations and the sums on the providers.
func swapAllocations(c *consumer, next map[*provider]map[string]int64) {
	for p, classes := range c.allocations {
		delete(p.consumers, c)
		for class, amount := range classes {
			if p.used[class] -= amount; p.used[class] == 0 {
				delete(p.used, class)
			}
		}
	}
	for p, classes := range next {
		p.consumers[c] = struct{}{}
		for class, amount := range classes {
			p.used[class] += amount
		}
	}
	c.allocations = next
}

// update changes a consumer's record and moves its generation when asked to.
func (t *tx) update(c *consumer, from claim, bump bool) {
	old := *c
	c.project, c.user = from.project, from.user
	if from.kind != "" {
		c.kind = from.kind
	}
	if bump {
		c.generation++
	}
	t.undo = append(t.undo, func() { c.project, c.user, c.kind, c.generation = old.project, old.user, old.kind, old.generation })
}

// forget deletes the record of a consumer that has nothing any more.
func (t *tx) forget(c *consumer) {
	delete(t.store.consumers, c.uuid)
	t.undo = append(t.undo, func() { t.store.consumers[c.uuid] = c })
}
