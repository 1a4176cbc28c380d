package placementtest

// feasible tells, cheaply, whether there can be any combination at all, so that a request for more devices than a host has does not
// try all orders of those it has.
func feasible(b *budget, q *candidatesQuery, sources []source) bool {
	return len(sources) == 1 || enough(sources) && (!q.isolate || canIsolate(b, sources))
}

// enough tells whether of each class the providers together have what all groups together want.
func enough(sources []source) bool {
	type stock struct {
		wanted, free int64
		counted      map[*provider]struct{}
	}
	stocks := make(map[string]*stock)
	for _, s := range sources {
		for i, a := range s.group.resources {
			st := stocks[a.class]
			if st == nil {
				st = &stock{counted: make(map[*provider]struct{})}
				stocks[a.class] = st
			}
			st.wanted += a.n
			for _, p := range s.givers(i) {
				if _, seen := st.counted[p]; !seen {
					st.counted[p] = struct{}{}
					st.free += p.inventories[a.class].capacity() - p.used[a.class]
				}
			}
		}
	}
	for _, st := range stocks {
		if st.wanted > st.free {
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
