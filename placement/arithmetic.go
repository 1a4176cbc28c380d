package placement

import "maps"

// equalAllocations tells whether two allocations take the same of the same providers.
func equalAllocations(a, b map[string]map[string]int64) bool {
	return maps.EqualFunc(a, b, maps.Equal)
}

// cloneAllocations makes a claim independent of the candidate it was made from.
func cloneAllocations(from map[string]map[string]int64) map[string]map[string]int64 {
	cloned := make(map[string]map[string]int64, len(from))
	for provider, resources := range from {
		cloned[provider] = maps.Clone(resources)
	}
	return cloned
}

// sumAllocations adds two allocations class by class.
func sumAllocations(a, b map[string]map[string]int64) map[string]map[string]int64 {
	sum := cloneAllocations(a)
	for provider, resources := range b {
		if sum[provider] == nil {
			sum[provider] = make(map[string]int64, len(resources))
		}
		for class, amount := range resources {
			sum[provider][class] += amount
		}
	}
	return sum
}

// subtractAllocations takes a part away; providers and classes of which nothing is left vanish.
func subtractAllocations(op string, whole, part map[string]map[string]int64) (map[string]map[string]int64, error) {
	rest := cloneAllocations(whole)
	for provider, resources := range part {
		for class, amount := range resources {
			left := rest[provider][class] - amount
			if amount < 1 || left < 0 {
				return nil, refuse(ErrInvalid, op, "%d %s of provider %s is not a part of the claim", amount, class, provider)
			}
			rest[provider][class] = left
			if left == 0 {
				delete(rest[provider], class)
			}
		}
		if len(rest[provider]) == 0 {
			delete(rest, provider)
		}
	}
	return rest, nil
}
