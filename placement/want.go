package placement

import (
	"maps"
	"slices"
)

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
	p.mergeInventories(node, here)
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
	if p.mine[node.UUID].Created != node.Name {
		return refuse(ErrForeign, p.op, "provider %q (%s) has the parent %q, not %q", node.Name, node.UUID, here.Parent, node.parent)
	}
	if node.root != here.Root {
		for _, child := range p.have.below(node.UUID) {
			if name := p.have[child].Name; p.mine[child].Created != name {
				return refuse(ErrForeign, p.op, "provider %q (%s) cannot move to another tree: it would take along %q below it", node.Name, node.UUID, name)
			}
		}
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
		if !p.mine[node.UUID].trait(trait) {
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

// mergeInventories plans the wanted inventories of a provider. Those that others made or changed stay as they are.
func (p *planner) mergeInventories(node node, here *found) {
	for _, class := range slices.Sorted(maps.Keys(node.Inventories)) {
		want := node.Inventories[class].withDefaults()
		got, exists := here.inventories.get(class)
		switch {
		case exists && got.is(want):
			continue
		case exists && !p.mine[node.UUID].inventory(class, got):
			p.kept = append(p.kept, refuse(ErrForeign, p.op, "inventory %s of provider %q %s", class, node.Name, got.differs(want)))
			continue
		case !exists && isCustom(class):
			p.classes = append(p.classes, class)
		}
		p.inventories(node.UUID).set(class, want)
		if got.Total < want.Total {
			p.gains = append(p.gains, gain{class: class, uuid: node.UUID, root: node.root})
		}
	}
}
