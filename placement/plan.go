package placement

import (
	"maps"
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
	mine   Owned
	have   state
	wanted map[string]node
	gains  []gain
	drops  []drop
	next   map[string]inventorySet
	// stuck are the inventories in use of which it is known that they cannot move, and why.
	stuck map[place]error
	// withdrawn are the providers that keep something of ours because it is in use.
	withdrawn map[string]bool
}

// place is the inventory of a class in a provider.
type place struct{ class, uuid string }

// gain is a class of which a provider gets more; drop is one that a provider loses while it is in use.
type (
	gain struct{ class, uuid, root string }
	drop struct{ class, uuid, root string }
)

// difference plans how to get from what Placement has to the wanted providers, and returns what is still owned of what
// was. It fails with ErrForeign when others have a provider of a wanted uuid elsewhere.
func difference(op string, wanted []node, owned Owned, have state, stuck map[place]error) (*plan, Owned, error) {
	p := &planner{
		op: op, have: have, stuck: stuck,
		wanted: make(map[string]node), next: make(map[string]inventorySet), withdrawn: make(map[string]bool),
	}
	p.reshape = make(map[string]inventorySet)
	for _, node := range wanted {
		p.wanted[node.UUID] = node
	}
	p.mine = owned.seen(have)
	for _, node := range wanted {
		if err := p.want(node); err != nil {
			return nil, nil, err
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
	return &p.plan, p.mine, nil
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
