package placement

import (
	"cmp"
	"maps"
	"slices"
)

// vanished returns the uuids of the providers that are ours and not wanted any more, children before parents. One that
// has another name than we gave it is not ours any more.
func (p *planner) vanished() []string {
	var uuids []string
	for _, uuid := range slices.Sorted(maps.Keys(p.mine.providers)) {
		_, wanted := p.wanted[uuid]
		if here := p.have[uuid]; here != nil && !wanted && here.Name == p.mine.providers[uuid].name {
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
// without what is ours in it while others have children or inventories there.
func (p *planner) remove(uuid string) {
	switch {
	case p.withdrawn[uuid]:
		p.edits = append(p.edits, edit{uuid: uuid})
	case p.hostsOthers(uuid):
		p.edits = append(p.edits, edit{uuid: uuid, traits: p.foreignTraits(uuid)})
	default:
		p.retire = append(p.retire, uuid)
	}
}

// hostsOthers tells whether a vanished provider has children that stay, or inventories that are not ours.
func (p *planner) hostsOthers(uuid string) bool {
	for _, child := range p.have.children(uuid) {
		leaves := slices.ContainsFunc(p.move, func(n node) bool { return n.UUID == child })
		if !leaves && !slices.Contains(p.retire, child) {
			return true
		}
	}
	for class := range p.have[uuid].inventories {
		if !p.mine.providers[uuid].classes[class] {
			return true
		}
	}
	return false
}

// foreignTraits returns the traits of a provider without ours, or nil if there are none of ours.
func (p *planner) foreignTraits(uuid string) []string {
	all := distinct(p.have[uuid].traits)
	foreign := slices.DeleteFunc(slices.Clone(all), func(trait string) bool { return p.mine.providers[uuid].traits[trait] })
	if len(foreign) == len(all) {
		return nil
	}
	return foreign
}
