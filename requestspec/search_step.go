package requestspec

import (
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	// maxWork ends a search that would take too long, about a second; nothing found in practice comes near it. A unit is
	// one look at an amount or at a group on a provider, about a nanosecond.
	maxWork = 1 << 29
	// astray is the number of steps after which a search is helped by what costs time to set up.
	astray = 64
	// contextSteps is how often a search looks at its context.
	contextSteps = 256
	// stepWork is what a step counts for each provider that it tries, and mapWork what looking up something costs.
	stepWork = 4
	mapWork  = 32
)

// assign finds providers for the groups from g on; on success they are in s.assigned.
func (s *searcher) assign(ctx context.Context, g int) (bool, error) {
	if err := s.step(ctx); err != nil {
		return false, err
	}
	if !s.possible(g) {
		return false, nil
	}
	if g == len(s.groups) {
		return true, nil
	}
	p := 0
	if like := s.groups[g].like; like >= 0 {
		p = s.assigned[like] // a lower one would be the same with both groups exchanged
	}
	s.work += stepWork * (s.providers - p)
	for ; p < s.providers; p++ {
		if !s.take(g, p) {
			continue
		}
		s.assigned[g] = p
		if found, err := s.assign(ctx, g+1); found || err != nil {
			return found, err
		}
		s.giveBack(g, p)
	}
	return false, nil
}

// step counts, and ends the search when it has gone on for too long or is not wanted any more.
func (s *searcher) step(ctx context.Context) error {
	if s.steps%contextSteps == 0 && ctx.Err() != nil {
		return matchError("", ctx.Err(), fmt.Sprintf("%v after %d steps of the search", ctx.Err(), s.steps))
	}
	if s.work > maxWork {
		return tooMuch(fmt.Sprintf("the search gave up after %d steps", s.steps))
	}
	if s.steps == astray {
		s.startAids()
	}
	s.steps++
	return nil
}

func tooMuch(what string) error {
	return matchError("", ErrSearchLimit, what+"; ask Placement with microversion 1.34 or later, whose answers have mappings")
}

// possible reports whether the groups from g on may take all that is left. With no groups left it is exact: nothing may
// be left.
func (s *searcher) possible(g int) bool {
	s.work += len(s.left)
	for i, n := range s.left {
		if n > s.reach[g][i] {
			return false
		}
	}
	if s.sums == nil {
		return true
	}
	return s.sumsReachable(g) && !s.seenBefore(g) && s.canShip(g)
}

// take subtracts group g's demand from provider p if p can serve it, and if no provider before p would have led to
// the same.
func (s *searcher) take(g, p int) bool {
	if !s.groups[g].fits[p] || !s.holds(g, p) || s.triedTwin(p) {
		return false
	}
	for c, n := range s.groups[g].amounts {
		s.left[p*s.classes+c] -= n
	}
	return true
}

// holds reports whether provider p has enough left for group g.
func (s *searcher) holds(g, p int) bool {
	for c, n := range s.groups[g].amounts {
		if n > s.left[p*s.classes+c] {
			return false
		}
	}
	return true
}

func (s *searcher) giveBack(g, p int) {
	for c, n := range s.groups[g].amounts {
		s.left[p*s.classes+c] += n
	}
}

func (s *searcher) leftOn(p int) []int64 { return s.left[p*s.classes : (p+1)*s.classes] }

// triedTwin reports whether a provider before p serves the same groups and has the same left.
func (s *searcher) triedTwin(p int) bool {
	s.work += p
	for q := range p {
		if s.kind[q] == s.kind[p] && slices.Equal(s.leftOn(q), s.leftOn(p)) {
			return true
		}
	}
	return false
}

// addSaturated adds an amount to a non-negative sum and stays at the highest value.
func addSaturated(sum, n int64) int64 {
	if n > math.MaxInt64-sum {
		return math.MaxInt64
	}
	return sum + n
}
