package requestspec

import "slices"

// maxSums bounds the entries of all sum tables of a search together.
const maxSums = 1 << 18

// sumTable knows what the groups that one kind of provider can serve may add up to. A sum is one number for the amounts
// of all classes: each amount times an odd factor of its class, overflowing. Two different sums may so be the same
// number, which only makes the table say yes where no would be right.
type sumTable struct {
	// last holds, for each sum, the highest g for which some of the groups from g on make it.
	last map[uint64]int
	// from is the lowest g for which the table is complete; it is cut when it gets too large.
	from int
}

// startAids makes what helps a search that has gone astray: a memory of states, room for shipping, and the tables of sums.
func (s *searcher) startAids() {
	s.seen = map[string]bool{}
	s.shipping = newShipping(len(s.groups), s.providers)
	first := []int{} // of each kind
	for p, kind := range s.kind {
		if kind == len(first) {
			first = append(first, p)
		}
	}
	s.sums = make([]sumTable, len(first))
	for kind, p := range first {
		s.sums[kind] = s.sumsOf(p, maxSums/len(first))
	}
}

// sumsOf makes the table of provider p's kind, of up to limit entries.
func (s *searcher) sumsOf(p, limit int) sumTable {
	table := sumTable{last: map[uint64]int{0: len(s.groups)}}
	sums := []uint64{0}
	for g, d := range slices.Backward(s.groups) {
		if !d.fits[p] {
			continue
		}
		s.work += mapWork * len(sums)
		if 2*len(sums) > limit || s.work > maxWork {
			table.from = g + 1
			break
		}
		added := sumOf(d.amounts)
		for _, sum := range sums {
			if _, known := table.last[sum+added]; !known {
				table.last[sum+added] = g
				sums = append(sums, sum+added)
			}
		}
	}
	return table
}

// sumsReachable reports whether what is left on each provider is a sum of some of the groups from g on.
func (s *searcher) sumsReachable(g int) bool {
	s.work += mapWork*s.providers + len(s.left)
	for p, kind := range s.kind {
		table := s.sums[kind]
		if g < table.from {
			continue
		}
		if last, known := table.last[sumOf(s.leftOn(p))]; !known || last < g {
			return false
		}
	}
	return true
}

// sumOf is a linear function of the amounts, so that sums of amounts have the sums of their numbers.
func sumOf(amounts []int64) uint64 {
	var sum uint64
	factor := uint64(1)
	for _, n := range amounts {
		sum += uint64(n) * factor //nolint:gosec // overflow is meant
		factor *= 0x9e3779b97f4a7c15
	}
	return sum
}
