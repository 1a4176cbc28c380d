package placement

import (
	"cmp"
	"maps"
	"slices"
)

// Owned is what a reporter made in Placement, by the uuid of the provider. Report returns it, also with an error, and
// takes it back the next time; between two runs of a program it can be stored as JSON. The zero value owns nothing. The keys
// are in the dashed lower-case form.
// A provider that is deleted from it is given up: it stays in Placement as if others had made it.
type Owned map[string]OwnedProvider

// OwnedProvider is what a reporter made of one provider.
type OwnedProvider struct {
	// Created is the name under which the reporter created the provider; "" when others created it.
	Created string `json:"created,omitempty"`
	// Inventories maps a resource class that the reporter added to what it wrote last: several values as long as
	// nobody knows which of them Placement took. Inventory with any other value was changed by others since.
	Inventories map[string][]Inventory `json:"inventories,omitempty"`
	// Traits are those that the reporter added.
	Traits []string `json:"traits,omitempty"`
}

// Owning returns what a reporter owns that made these providers with all below them. It is for one that has lost its
// memory but derives the uuids so that nobody else uses them. An inventory found with other values than here still
// counts as changed by others; a provider may come up several times, with each of the values it may have.
func Owning(providers ...TreeProvider) Owned {
	owned := make(Owned)
	for _, node := range flatten(providers, "", "") {
		made := OwnedProvider{Created: node.Name, Inventories: make(map[string][]Inventory), Traits: distinct(node.Traits)}
		for class, inventory := range node.Inventories {
			made.Inventories[class] = []Inventory{inventory.withDefaults()}
		}
		owned[node.UUID] = owned[node.UUID].or(made)
	}
	return owned
}

// inventory tells whether the inventory of a class is as the reporter made it.
func (o OwnedProvider) inventory(class string, got Inventory) bool {
	return slices.ContainsFunc(o.Inventories[class], got.is)
}

// trait tells whether the reporter added a trait.
func (o OwnedProvider) trait(name string) bool { return slices.Contains(o.Traits, name) }

// isZero tells whether nothing is owned.
func (o OwnedProvider) isZero() bool {
	return o.Created == "" && len(o.Inventories) == 0 && len(o.Traits) == 0
}

// or returns what is owned when nobody knows which of two states is the true one.
func (o OwnedProvider) or(other OwnedProvider) OwnedProvider {
	either := OwnedProvider{
		Created: cmp.Or(o.Created, other.Created), Inventories: make(map[string][]Inventory),
		Traits: distinct(slices.Concat(o.Traits, other.Traits)),
	}
	maps.Copy(either.Inventories, o.Inventories)
	for class, values := range other.Inventories {
		for _, value := range values {
			if !either.inventory(class, value) {
				either.Inventories[class] = append(slices.Clip(either.Inventories[class]), value)
			}
		}
	}
	return either
}

// withTraits returns what is owned once a provider with those traits has been given others: of what is written, all
// that was owned or not there.
func (o OwnedProvider) withTraits(had, written []string) OwnedProvider {
	o.Traits = slices.DeleteFunc(slices.Clone(written), func(trait string) bool {
		return !o.trait(trait) && slices.Contains(had, trait)
	})
	return o
}

// withInventories is the same for inventories.
func (o OwnedProvider) withInventories(had, written inventorySet) OwnedProvider {
	made := make(map[string][]Inventory)
	for class, raw := range written {
		if string(raw) != string(had[class]) {
			value, _ := written.get(class)
			made[class] = []Inventory{value}
		} else if values, ours := o.Inventories[class]; ours {
			made[class] = values
		}
	}
	o.Inventories = made
	return o
}

// seen returns what is owned in the light of what is there: what is gone is forgotten, so that it is not taken for our own
// when others add it, be it in the moment before we would.
func (o Owned) seen(have state) Owned {
	left := make(Owned)
	for uuid, made := range o {
		if here := have[uuid]; here != nil {
			left[uuid] = made.seen(here)
		}
	}
	return left
}

func (o OwnedProvider) seen(here *found) OwnedProvider {
	left := OwnedProvider{Created: o.Created, Inventories: make(map[string][]Inventory)}
	for class, values := range o.Inventories {
		got, exists := here.inventories.get(class)
		switch {
		case exists && o.inventory(class, got):
			left.Inventories[class] = []Inventory{got}
		case exists:
			left.Inventories[class] = values
		}
	}
	for _, trait := range o.Traits {
		if slices.Contains(here.traits, trait) {
			left.Traits = append(left.Traits, trait)
		}
	}
	return left
}
