package driver

import (
	"slices"
	"strings"
)

// The fields of a deployable that a report can change, by the names of the API.
const (
	fieldAccelerators = "num_accelerators"
	fieldDriver       = "driver_name"
)

// compareDeployables mirrors
// cyborg/conductor/manager.py:ConductorManager.drv_deployable_make_diff.
func compareDeployables(known, found Deployable) (DeployableChange, error) {
	change := DeployableChange{Name: found.Name, Found: found}
	if known.NumAccelerators() != found.NumAccelerators() {
		class := found.ResourceClass()
		if class == "" {
			return change, ErrNoClass
		}
		change.Fields = append(change.Fields, fieldAccelerators)
		change.step(StepInventory, class, found.NumAccelerators())
	}
	change.compareAttributes(known.Attributes, found.Attributes)
	change.compareHandles(known.Handles, found.Handles)
	return change, nil
}

func (c *DeployableChange) step(kind StepKind, name string, total int) {
	c.Steps = append(c.Steps, Step{Kind: kind, Name: name, Total: total})
}

// compareAttributes goes by the first attribute of each key.
// It mirrors cyborg/conductor/manager.py:ConductorManager.drv_attr_make_diff.
func (c *DeployableChange) compareAttributes(known, found []Pair) {
	knownAt, foundAt := byKey(known), byKey(found)
	gone := make(map[string]bool)
	for _, pair := range known {
		if _, still := foundAt[pair.Key]; still {
			continue
		}
		c.Attributes = append(c.Attributes, AttributeChange{Old: &pair})
		if !gone[pair.Key] {
			c.step(StepRemoveTrait, pair.Value, 0)
		}
		gone[pair.Key] = true
	}
	keys := keysOf(found)
	for _, key := range keys {
		if _, ok := knownAt[key]; !ok {
			pair := Pair{Key: key, Value: foundAt[key]}
			c.Attributes = append(c.Attributes, AttributeChange{New: &pair})
			c.step(StepAddTrait, pair.Value, 0)
		}
	}
	for _, key := range keys {
		if before, ok := knownAt[key]; ok && before != foundAt[key] {
			c.changeValue(Pair{Key: key, Value: before}, Pair{Key: key, Value: foundAt[key]})
		}
	}
}

// changeValue gives a known attribute another value.
func (c *DeployableChange) changeValue(before, after Pair) {
	c.Attributes = append(c.Attributes, AttributeChange{Old: &before, New: &after})
	if strings.HasPrefix(after.Key, traitKey) {
		c.step(StepRemoveTrait, before.Value, 0)
		c.step(StepAddTrait, after.Value, 0)
	}
	if strings.HasPrefix(after.Key, classKey) {
		c.step(StepInventory, after.Value, c.Found.NumAccelerators())
		c.step(StepDeleteClass, before.Value, 0)
	}
}

// byKey is the value of the first attribute of each key.
func byKey(pairs []Pair) map[string]string {
	first := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		if _, ok := first[pair.Key]; !ok {
			first[pair.Key] = pair.Value
		}
	}
	return first
}

// keysOf are the keys in order, each once.
func keysOf(pairs []Pair) []string {
	var keys []string
	for _, pair := range pairs {
		if !slices.Contains(keys, pair.Key) {
			keys = append(keys, pair.Key)
		}
	}
	return keys
}

// compareHandles mirrors
// cyborg/conductor/manager.py:ConductorManager.drv_ah_make_diff.
func (c *DeployableChange) compareHandles(known, found []Handle) {
	for _, handle := range known {
		if !slices.ContainsFunc(found, handle.same) {
			c.Deleted = append(c.Deleted, handle)
		}
	}
	for _, handle := range found {
		at := slices.IndexFunc(known, handle.same)
		switch {
		case at < 0:
			c.Added = append(c.Added, handle)
		case known[at].Type != handle.Type:
			c.Retyped = append(c.Retyped, handle)
		}
	}
}
