package requestspec

import "slices"

// sortedKeys returns the keys of a map in order, nil when there are none. It allocates once, where slices.Sorted of
// maps.Keys does so again and again while the list grows: half of the allocations of [Build] were that.
func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// inOrder returns the values in order, which are the caller's own if they are so already.
func inOrder(values []string) []string {
	if slices.IsSorted(values) {
		return values
	}
	return sorted(values)
}

// sorted returns the values in order, nil when there are none, in a slice of its own.
func sorted(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	list := slices.Clone(values)
	slices.Sort(list)
	return list
}
