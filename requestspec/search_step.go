package requestspec

import (
	"encoding/binary"
	"math"
	"slices"
)

// assign finds providers for the groups from g on; on success they are in s.assigned.
func (s *searcher) assign(g int) bool {
	if g == len(s.groups) {
		return true
	}
	if !s.reachable(g) {
		return false
	}
	// Building the key costs more than a step, so it is done only once the search has gone wrong before.
	var key string
	if len(s.dead) > 0 {
		if key = s.key(g); s.dead[key] {
			return false
		}
	}
	for p := range s.providers {
		if !s.take(g, p) {
			continue
		}
		s.assigned[g] = p
		if s.assign(g + 1) {
			return true
		}
		s.giveBack(g, p)
	}
	if key == "" {
		key = s.key(g)
	}
	s.dead[key] = true
	return false
}

// reachable reports whether the groups from g on could take all that is left. All of it must be taken.
func (s *searcher) reachable(g int) bool {
	for i, n := range s.left {
		if n > s.reach[g][i] {
			return false
		}
	}
	return true
}

// take subtracts group g's demand from provider p if p can serve it, and if no provider before p would have led to
// the same.
func (s *searcher) take(g, p int) bool {
	d := s.groups[g]
	if !d.fits[p] || s.triedTwin(p) {
		return false
	}
	left := s.left[p*s.classes : (p+1)*s.classes]
	for c, n := range d.amounts {
		if n > left[c] {
			return false
		}
	}
	for c, n := range d.amounts {
		left[c] -= n
	}
	return true
}

func (s *searcher) giveBack(g, p int) {
	for c, n := range s.groups[g].amounts {
		s.left[p*s.classes+c] += n
	}
}

// triedTwin reports whether an earlier provider serves the same groups and has the same left.
func (s *searcher) triedTwin(p int) bool {
	for q := s.twin[p]; q < p; q++ {
		if s.twin[q] == s.twin[p] &&
			slices.Equal(s.left[q*s.classes:(q+1)*s.classes], s.left[p*s.classes:(p+1)*s.classes]) {
			return true
		}
	}
	return false
}

func (s *searcher) key(g int) string {
	key := binary.AppendVarint(nil, int64(g))
	for _, n := range s.left {
		key = binary.AppendVarint(key, n)
	}
	return string(key)
}

// addSaturated adds an amount to a non-negative sum and stays at the highest value.
func addSaturated(sum, n int64) int64 {
	if n > math.MaxInt64-sum {
		return math.MaxInt64
	}
	return sum + n
}
