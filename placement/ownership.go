package placement

// ownership says what a reporter made itself, going by what it wanted before.
type ownership struct {
	// remembered tells whether the reporter has a memory at all.
	remembered bool
	providers  map[string]owned
}

// owned is what a reporter made of one provider.
type owned struct {
	name            string
	classes, traits map[string]bool
}

func ownershipOf(previous []TreeProvider) ownership {
	mine := ownership{remembered: previous != nil, providers: make(map[string]owned)}
	for _, node := range flatten(previous, "", "") {
		has, known := mine.providers[node.UUID]
		if !known {
			has = owned{name: node.Name, classes: make(map[string]bool), traits: make(map[string]bool)}
			mine.providers[node.UUID] = has
		}
		for class := range node.Inventories {
			has.classes[class] = true
		}
		for _, trait := range node.Traits {
			has.traits[trait] = true
		}
	}
	return mine
}

// provider tells whether the reporter made a provider.
func (o ownership) provider(uuid string) bool {
	_, mine := o.providers[uuid]
	return mine
}

// class tells whether the reporter may change the inventory of a class that it wants and finds.
func (o ownership) class(uuid, class string) bool {
	return !o.remembered || o.providers[uuid].classes[class]
}
