package placement

import (
	"maps"
	"slices"
	"strings"
)

// plan is the difference between a wanted tree and what Placement holds, in the order in which it is safe to apply:
// names before what uses them, parents before children, traits before the inventory that they describe (so that
// nothing is allocated from a device that lacks its traits), moved inventory in one transaction, removals last.
type plan struct {
	classes, traits []string
	create, move    []node
	edits           []edit
	shifts          []shift
	// reshape holds the new inventories of the providers that shifts are between; edits leave those alone.
	reshape map[string]inventorySet
	retire  []string // uuids, children first
	// kept are the things that could not be removed; they are reported after all else was done.
	kept []error
}

// edit is the new content of one provider. Nil means unchanged.
type edit struct {
	uuid        string
	traits      []string
	inventories inventorySet
}

// shift is a class whose inventory, with its allocations, leaves a provider for others of the same tree.
type shift struct {
	class, from string
	to          []string
}

// planner makes a plan. It does no I/O.
type planner struct {
	plan

	op     string
	mine   ownership
	have   state
	wanted map[string]node
	gains  []gain
	drops  []drop
	next   map[string]inventorySet
	// withdrawn are the providers that keep something of ours because it is in use.
	withdrawn map[string]bool
}

// gain is a class of which a provider gets more; drop is one that a provider loses while it is in use.
type (
	gain struct{ class, uuid, root string }
	drop struct{ class, uuid, root string }
)

// difference plans how to get from what Placement has to the wanted providers. It fails with ErrForeign when that would
// change what others made.
func difference(op string, wanted []node, mine ownership, have state) (*plan, error) {
	p := &planner{
		op: op, mine: mine, have: have,
		wanted: make(map[string]node), next: make(map[string]inventorySet), withdrawn: make(map[string]bool),
	}
	p.reshape = make(map[string]inventorySet)
	for _, node := range wanted {
		p.wanted[node.UUID] = node
	}
	for _, node := range wanted {
		if err := p.want(node); err != nil {
			return nil, err
		}
	}
	vanished := p.vanished()
	for _, uuid := range vanished {
		p.lose(uuid, have[uuid].Root, nil)
	}
	p.place()
	for _, uuid := range vanished {
		p.remove(uuid)
	}
	p.fill()
	p.classes, p.traits = distinct(p.classes), distinct(p.traits)
	return &p.plan, nil
}

// want plans one wanted provider.
func (p *planner) want(node node) error {
	here := p.have[node.UUID]
	if here == nil {
		p.create = append(p.create, node)
		here = &found{}
	} else if err := p.adopt(node, here); err != nil {
		return err
	}
	p.edits = append(p.edits, edit{uuid: node.UUID, traits: p.mergeTraits(node, here)})
	if err := p.mergeInventories(node, here); err != nil {
		return err
	}
	p.lose(node.UUID, node.root, node.Inventories)
	return nil
}

// adopt accepts a provider that exists as the wanted one, or refuses it as somebody else's.
func (p *planner) adopt(node node, here *found) error {
	if here.Name != node.Name {
		return refuse(ErrForeign, p.op, "provider %s is named %q, not %q", node.UUID, here.Name, node.Name)
	}
	if here.Parent == node.parent {
		return nil
	}
	if !p.mine.provider(node.UUID) {
		return refuse(ErrForeign, p.op, "provider %q (%s) has the parent %q, not %q", node.Name, node.UUID, here.Parent, node.parent)
	}
	p.move = append(p.move, node)
	return nil
}

// mergeTraits returns the traits that a provider should have: those of others and the wanted ones, or nil if it has
// just these.
func (p *planner) mergeTraits(node node, here *found) []string {
	wanted := distinct(node.Traits)
	merged := slices.Clone(wanted)
	for _, trait := range here.traits {
		if !p.mine.providers[node.UUID].traits[trait] {
			merged = append(merged, trait)
		}
	}
	merged = distinct(merged)
	if slices.Equal(merged, distinct(here.traits)) {
		return nil
	}
	for _, trait := range wanted {
		if isCustom(trait) && !slices.Contains(here.traits, trait) {
			p.traits = append(p.traits, trait)
		}
	}
	return merged
}

// mergeInventories plans the wanted inventories of a provider.
func (p *planner) mergeInventories(node node, here *found) error {
	for _, class := range slices.Sorted(maps.Keys(node.Inventories)) {
		want := node.Inventories[class].withDefaults()
		got, exists := here.inventories.get(class)
		switch {
		case exists && got == want:
			continue
		case exists && !p.mine.class(node.UUID, class):
			return refuse(ErrForeign, p.op, "inventory %s of provider %q has a total of %d, not %d", class, node.Name, got.Total, want.Total)
		case !exists && isCustom(class):
			p.classes = append(p.classes, class)
		}
		p.inventories(node.UUID).set(class, want)
		if got.Total < want.Total {
			p.gains = append(p.gains, gain{class: class, uuid: node.UUID, root: node.root})
		}
	}
	return nil
}

// lose plans the inventories of ours that a provider should not have any more.
func (p *planner) lose(uuid, root string, wanted map[string]Inventory) {
	here := p.have[uuid]
	if here == nil {
		return
	}
	for _, class := range slices.Sorted(maps.Keys(here.inventories)) {
		_, keep := wanted[class]
		if keep || !p.mine.providers[uuid].classes[class] {
			continue
		}
		if here.used[class] > 0 {
			p.drops = append(p.drops, drop{class: class, uuid: uuid, root: root})
			continue
		}
		delete(p.inventories(uuid), class)
	}
}

// place finds for each inventory that is in use and should go the providers of the same tree that get it. Where there
// is none it is withdrawn, that is, nothing more can be allocated from it, until the claims are gone.
func (p *planner) place() {
	for _, drop := range p.drops {
		var to []string
		for _, gain := range p.gains {
			if gain.class == drop.class && gain.root == drop.root {
				to = append(to, gain.uuid)
			}
		}
		if len(to) > 0 {
			delete(p.inventories(drop.uuid), drop.class)
			p.shifts = append(p.shifts, shift{class: drop.class, from: drop.uuid, to: to})
			continue
		}
		here := p.have[drop.uuid]
		p.withdrawn[drop.uuid] = true
		p.kept = append(p.kept, refuse(ErrInUse, p.op, "%d %s of provider %q are allocated: it is withdrawn and can be removed when they are released",
			here.used[drop.class], drop.class, here.Name))
		if got, _ := here.inventories.get(drop.class); got != got.withdrawn() {
			p.inventories(drop.uuid).set(drop.class, got.withdrawn())
		}
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
		if p.reshape[change.uuid] == nil {
			p.edits[i].inventories = p.next[change.uuid]
		}
	}
}

// inventories returns the inventories that a provider should have, to be changed.
func (p *planner) inventories(uuid string) inventorySet {
	if p.next[uuid] == nil {
		p.next[uuid] = make(inventorySet)
		if here := p.have[uuid]; here != nil {
			maps.Copy(p.next[uuid], here.inventories)
		}
	}
	return p.next[uuid]
}

func isCustom(name string) bool { return strings.HasPrefix(name, "CUSTOM_") }
