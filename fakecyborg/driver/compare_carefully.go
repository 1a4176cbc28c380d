package driver

import "slices"

func compareDeployablesCarefully(known, found Deployable) (DeployableChange, error) {
	change := DeployableChange{Name: found.Name, Found: found}
	class, total := found.ResourceClass(), found.NumAccelerators()
	if class == "" {
		return change, ErrNoClass
	}
	if known.NumAccelerators() != total {
		change.Fields = append(change.Fields, fieldAccelerators)
	}
	if known.Driver != found.Driver {
		change.Fields = append(change.Fields, fieldDriver)
	}
	if known.ResourceClass() != class || known.NumAccelerators() != total {
		change.step(StepInventory, class, total)
	}
	for _, trait := range without(known.Traits(), found.Traits()) {
		change.step(StepRemoveTrait, trait, 0)
	}
	for _, trait := range without(found.Traits(), known.Traits()) {
		change.step(StepAddTrait, trait, 0)
	}
	for _, pair := range surplus(known.Attributes, found.Attributes) {
		change.Attributes = append(change.Attributes, AttributeChange{Old: &pair})
	}
	for _, pair := range surplus(found.Attributes, known.Attributes) {
		change.Attributes = append(change.Attributes, AttributeChange{New: &pair})
	}
	change.compareHandles(known.Handles, found.Handles)
	return change, nil
}

// without are the values of a list that another does not have.
func without(list, other []string) []string {
	var only []string
	for _, value := range list {
		if !slices.Contains(other, value) {
			only = append(only, value)
		}
	}
	return only
}

// surplus are the attributes of a list that another has not, or not as often.
func surplus(list, other []Pair) []Pair {
	count := make(map[Pair]int, len(other))
	for _, pair := range other {
		count[pair]++
	}
	var more []Pair
	for _, pair := range list {
		if count[pair]--; count[pair] < 0 {
			more = append(more, pair)
		}
	}
	return more
}
