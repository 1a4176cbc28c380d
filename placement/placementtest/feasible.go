package placementtest

import "slices"

// feasible tells, cheaply, whether there can be any combination at all, so that a request for more devices than a host has does not
// try all orders of those it has.
func feasible(b *budget, q *candidatesQuery, sources []source) bool {
	return len(sources) == 1 || enough(b, q, sources) && (!q.isolate || canIsolate(b, sources))
}

// enough tells whether of each class the providers together have what all groups together want. A class that one group alone asks for
// is there, or the group had no source.
func enough(b *budget, q *candidatesQuery, sources []source) bool {
	for class := range q.contested {
		if !b.spend(len(sources)) {
			return false
		}
		var wanted, free int64
		counted := make(map[*provider]struct{})
		for _, s := range sources {
			i := slices.IndexFunc(s.group.resources, func(a amount) bool { return a.class == class })
			if i < 0 {
				continue
			}
			wanted += s.group.resources[i].n
			for _, p := range s.givers(i) {
				if _, seen := counted[p]; !seen {
					counted[p] = struct{}{}
					free += p.inventories[class].capacity() - p.used[class]
				}
			}
		}
		if wanted > free {
			return false
		}
	}
	return true
}

// canIsolate tells whether every group with a suffix can have a provider of its own: a bipartite matching, grown group by group.
func canIsolate(b *budget, sources []source) bool {
	owner := make(map[*provider]int)
	var place func(group int, tried map[*provider]struct{}) bool
	place = func(group int, tried map[*provider]struct{}) bool {
		if !b.spend(len(sources[group].single)) {
			return false
		}
		for _, p := range sources[group].single {
			if _, seen := tried[p]; seen {
				continue
			}
			tried[p] = struct{}{}
			if other, ok := owner[p]; !ok || place(other, tried) {
				owner[p] = group
				return true
			}
		}
		return false
	}
	for i, s := range sources {
		if s.group.suffix != "" && !place(i, make(map[*provider]struct{})) {
			return false
		}
	}
	return true
}
