package elasticpool

import (
	"cmp"
	"maps"
	"slices"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func compare[T cmp.Ordered](a, b T) int { return cmp.Compare(a, b) }

// compareBool puts false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func firstOf(results ...int) int { return cmp.Or(results...) }
