package placement

import "slices"

// Tree is what a reporter wants Placement to hold: with a Parent, the children of a compute node, as Cyborg's
// conductor reports devices (cyborg/conductor/manager.py:provider_report); without, whole trees, as nova-compute
// reports itself (nova/compute/resource_tracker.py:_update_to_placement).
type Tree struct {
	// Parent is the name of an existing provider, which is never changed; "" makes the Providers roots.
	Parent string
	// Providers are wanted, with everything below them.
	Providers []TreeProvider
}

// TreeProvider is one provider of a Tree.
type TreeProvider struct {
	// UUID is the provider's uuid in the dashed lower-case form. The reporter chooses it, once: it identifies the
	// provider, so that it must be the same in each report of the same device. Store it, or derive it from what does
	// not change, such as the host's name and the device's address (a uuid of version 5); Cyborg stores it with the
	// deployable.
	UUID string
	// Name is unique in the whole Placement.
	Name string
	// Inventories maps a resource class, which is created if it is missing and starts with CUSTOM_, to its amounts.
	Inventories map[string]Inventory
	// Traits are created if they are missing and start with CUSTOM_.
	Traits []string
	// Replaces are uuids of providers of the same tree whose inventory moves here together with its allocations. A
	// provider that hands inventory down to providers below it need not be named.
	Replaces []string
	// Children are the providers below this one.
	Children []TreeProvider
}

// node is a provider of a tree with its place.
type node struct {
	TreeProvider

	parent string // uuid; "" for a root
	root   string // uuid of the whole tree's root
}

// flatten lists providers with all below them, parents first.
func flatten(providers []TreeProvider, parent, root string) []node {
	var nodes []node
	for _, provider := range providers {
		top := root
		if top == "" {
			top = provider.UUID
		}
		nodes = append(nodes, node{TreeProvider: provider, parent: parent, root: top})
		nodes = append(nodes, flatten(provider.Children, provider.UUID, top)...)
	}
	return nodes
}

// distinct returns the sorted members of a list. The result is never nil.
func distinct(names []string) []string {
	members := append([]string{}, names...)
	slices.Sort(members)
	return slices.Compact(members)
}
