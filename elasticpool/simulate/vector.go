package simulate

import (
	"slices"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// vector is amounts by the index of their resource: adding and comparing maps for each match would be too slow.
type vector []int64

// space knows the names of all resources.
type space []string

// spaceOf returns the resources that classes, clouds and jobs speak of, sorted.
func spaceOf(pool elasticpool.Policy, capacity map[string]elasticpool.Resources, trace []Job) space {
	seen := map[string]bool{elasticpool.VMs: true}
	note := func(r elasticpool.Resources) {
		for name := range r {
			seen[name] = true
		}
	}
	for _, class := range pool.Classes {
		note(class.Takes)
		note(class.Slot)
	}
	for _, have := range capacity {
		note(have)
	}
	for i := range trace {
		note(trace[i].Request)
	}
	names := make(space, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// vector lays amounts out; absent ones are zero.
func (s space) vector(r elasticpool.Resources) vector {
	v := make(vector, len(s))
	for i, name := range s {
		v[i] = r[name]
	}
	return v
}

// resources is the way back: of the resources that like has.
func (s space) resources(v vector, like elasticpool.Resources) elasticpool.Resources {
	r := make(elasticpool.Resources, len(like))
	for i, name := range s {
		if _, ok := like[name]; ok {
			r[name] = v[i]
		}
	}
	return r
}

// add adds sign times other to v.
func (v vector) add(other vector, sign int64) {
	for i, n := range other {
		v[i] += sign * n
	}
}

// covers tells whether no amount of other is above that of v.
func (v vector) covers(other vector) bool {
	for i, n := range other {
		if n > v[i] {
			return false
		}
	}
	return true
}

// part returns the largest part of whole that v is, in millionths and rounded up.
func (v vector) part(whole vector) int64 {
	largest := int64(0)
	for i, n := range v {
		if n > 0 && whole[i] > 0 {
			largest = max(largest, (n*million+whole[i]-1)/whole[i])
		}
	}
	return largest
}

const million = 1_000_000
