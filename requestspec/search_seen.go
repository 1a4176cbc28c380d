package requestspec

import (
	"encoding/binary"
	"slices"
)

// maxSeenBytes bounds the memory of the states that a search remembers.
const maxSeenBytes = 16 << 20

// seenBefore reports whether the search has been in this state, and remembers it. Whether a way led on from there or
// not: an assignment by a later way to the same state is never the first. States are the same if they differ only in
// which of several providers of a kind has what left.
func (s *searcher) seenBefore(g int) bool {
	s.work += mapWork*s.providers + mapWork*len(s.left)/4
	key := s.key(g)
	if s.seen[key] {
		return true
	}
	if s.seenBytes < maxSeenBytes {
		s.seen[key] = true
		s.seenBytes += len(key)
	}
	return false
}

func (s *searcher) key(g int) string {
	rows := make([]string, s.providers)
	for p := range rows {
		row := binary.AppendUvarint(make([]byte, 0, 1+4*s.classes), uint64(s.kind[p])) //nolint:gosec // never negative
		for _, n := range s.leftOn(p) {
			row = binary.AppendVarint(row, n)
		}
		rows[p] = string(row)
	}
	slices.Sort(rows)
	key := binary.AppendUvarint(nil, uint64(g)) //nolint:gosec // never negative
	for _, row := range rows {
		key = append(key, row...)
	}
	return string(key)
}
