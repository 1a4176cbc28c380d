package placement

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// vanished returns the uuids of the providers in which something is ours and nothing wanted any more, children before
// parents.
func (p *planner) vanished() []string {
	var uuids []string
	for _, uuid := range slices.Sorted(maps.Keys(p.mine)) {
		if _, wanted := p.wanted[uuid]; !wanted {
			uuids = append(uuids, uuid)
		}
	}
	slices.SortStableFunc(uuids, func(a, b string) int { return cmp.Compare(p.depth(b), p.depth(a)) })
	return uuids
}

// depth counts the providers above one.
func (p *planner) depth(uuid string) int {
	depth := 0
	for here := p.have[uuid]; here != nil && here.Parent != ""; here = p.have[here.Parent] {
		depth++
	}
	return depth
}

// remove plans the end of a vanished provider. It stays as it is, withdrawn, while it serves allocations, and stays
// without what is ours in it, when others created it, while others have something there, or a child of ours must stay.
func (p *planner) remove(uuid string) {
	guests, children := p.guests(uuid)
	switch {
	case p.withdrawn[uuid]:
		p.edits = append(p.edits, edit{uuid: uuid})
	case p.mine[uuid].Created == "":
		p.edits = append(p.edits, edit{uuid: uuid, traits: p.foreignTraits(uuid)})
	case len(guests) > 0:
		p.kept = append(p.kept, refuse(ErrForeign, p.op, "provider %q stays, but without what was reported of it: it has %s",
			p.have[uuid].Name, strings.Join(guests, ", ")))
		fallthrough
	case children:
		p.edits = append(p.edits, edit{uuid: uuid, traits: p.foreignTraits(uuid)})
	default:
		p.retire = append(p.retire, uuid)
	}
}

// guests names what others have in a vanished provider: children, inventories and traits that are not ours, aggregates, and the name
// if they gave it another. It also tells whether any children stay, be they ours.
func (p *planner) guests(uuid string) (names []string, children bool) {
	here, mine := p.have[uuid], p.mine[uuid]
	if here.Name != mine.Created {
		names = append(names, "another name than "+mine.Created)
	}
	for _, child := range p.have.children(uuid) {
		leaves := slices.ContainsFunc(p.move, func(n node) bool { return n.UUID == child })
		if leaves || slices.Contains(p.retire, child) {
			continue
		}
		children = true
		if name := p.have[child].Name; p.mine[child].Created != name {
			names = append(names, "the child "+name)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(here.inventories)) {
		if got, _ := here.inventories.get(class); !mine.inventory(class, got) {
			names = append(names, "inventory "+class)
		}
	}
	for _, trait := range distinct(here.traits) {
		if !mine.trait(trait) {
			names = append(names, "trait "+trait)
		}
	}
	for _, aggregate := range distinct(here.aggregates) {
		names = append(names, "aggregate "+aggregate)
	}
	return names, children
}

// foreignTraits returns the traits of a provider without ours, or nil if there are none of ours.
func (p *planner) foreignTraits(uuid string) []string {
	all := distinct(p.have[uuid].traits)
	foreign := slices.DeleteFunc(slices.Clone(all), p.mine[uuid].trait)
	if len(foreign) == len(all) {
		return nil
	}
	return foreign
}
