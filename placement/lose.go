package placement

import (
	"maps"
	"slices"
)

// lose plans the inventories of ours that a provider should not have any more.
func (p *planner) lose(uuid, root string, wanted map[string]Inventory) {
	here := p.have[uuid]
	if here == nil {
		return
	}
	for _, class := range slices.Sorted(maps.Keys(here.inventories)) {
		_, keep := wanted[class]
		values := p.mine[uuid].Inventories[class]
		if keep || len(values) == 0 {
			continue
		}
		got, _ := here.inventories.get(class)
		switch {
		case !p.mine[uuid].inventory(class, got):
			p.kept = append(p.kept, refuse(ErrForeign, p.op, "inventory %s of provider %q is not wanted any more, but stays: it %s",
				class, here.Name, got.differs(values[0])))
		case here.used[class] > 0:
			p.drops = append(p.drops, drop{class: class, uuid: uuid, root: root})
		default:
			delete(p.inventories(uuid), class)
		}
	}
}

// place finds for each inventory that is in use and should go the providers that it moves to. If it is known to be stuck, it
// is withdrawn, and they wait for it: they are the same devices, which must not be offered twice.
func (p *planner) place() {
	waiting := make(map[place]bool)
	for _, drop := range p.drops {
		if p.stuck[place{drop.class, drop.uuid}] == nil {
			continue
		}
		for _, to := range p.takers(drop, waiting) {
			p.withhold(drop.class, to)
			waiting[place{drop.class, to}] = true
		}
	}
	for _, drop := range p.drops {
		to := p.takers(drop, waiting)
		if len(to) == 0 || p.stuck[place{drop.class, drop.uuid}] != nil {
			p.withdraw(drop)
			continue
		}
		delete(p.inventories(drop.uuid), drop.class)
		p.shifts = append(p.shifts, shift{class: drop.class, from: drop.uuid, to: to})
	}
}

// withhold leaves the inventory of a class as it is.
func (p *planner) withhold(class, uuid string) {
	if raw, had := p.have.inventories(uuid)[class]; had {
		p.inventories(uuid)[class] = raw
		return
	}
	delete(p.inventories(uuid), class)
}

// takers returns the providers that an inventory moves to: those of the same tree that get more of the class and say
// that they replace the provider, or are below it while it stays, which is how inventory of a compute node becomes
// nested. Any other card that comes at the same time is a different device, which claims must not be moved to.
func (p *planner) takers(drop drop, waiting map[place]bool) []string {
	_, stays := p.wanted[drop.uuid]
	var to []string
	for _, gain := range p.gains {
		replaces := slices.Contains(p.wanted[gain.uuid].Replaces, drop.uuid)
		if waiting[place{gain.class, gain.uuid}] {
			continue
		}
		if gain.class == drop.class && gain.root == drop.root && (replaces || stays && p.isBelow(gain.uuid, drop.uuid)) {
			to = append(to, gain.uuid)
		}
	}
	return to
}

// isBelow tells whether a wanted provider is below another.
func (p *planner) isBelow(uuid, other string) bool {
	for above := p.wanted[uuid].parent; above != ""; above = p.wanted[above].parent {
		if above == other {
			return true
		}
	}
	return false
}

// withdraw keeps an inventory, but lets nothing more be allocated from it, until the claims are gone.
func (p *planner) withdraw(drop drop) {
	here := p.have[drop.uuid]
	p.withdrawn[drop.uuid] = true
	p.kept = append(p.kept, refuse(ErrInUse, p.op, "%d %s of provider %q are allocated: it is withdrawn and can be removed when they are released",
		here.used[drop.class], drop.class, here.Name))
	if why := p.stuck[place{drop.class, drop.uuid}]; why != nil {
		p.kept = append(p.kept, why)
	}
	if got, _ := here.inventories.get(drop.class); !got.is(got.withdrawn()) {
		p.inventories(drop.uuid).set(drop.class, got.withdrawn())
	}
}

// fill puts the new inventories where they are written: into the reshape, or else into the edits.
func (p *planner) fill() {
	for _, shift := range p.shifts {
		for _, uuid := range append(slices.Clone(shift.to), shift.from) {
			p.reshape[uuid] = p.inventories(uuid)
		}
	}
	for i, change := range p.edits {
		next := p.next[change.uuid]
		if p.reshape[change.uuid] == nil && !next.equal(p.have.inventories(change.uuid)) {
			p.edits[i].inventories = next
		}
	}
}
