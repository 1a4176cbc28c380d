package requestspec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
)

// searcher is a depth-first search for the first assignment of providers to groups. Providers and classes are numbered;
// the state is the amount that is left of each class on each provider, and all of it must be taken in the end.
//
// Whatever it leaves out is either impossible or cannot be part of the first assignment in product order, because
// exchanging two groups or two providers, or the way to the same state, would make an earlier one of it.
type searcher struct {
	classes   int
	providers int
	groups    []demand
	left      []int64 // [provider*classes + class]
	// kind numbers the providers by the groups that they can serve: those of one kind differ only in what is left.
	kind []int
	// reach is the most that the groups from g on could take: [g][provider*classes + class].
	reach    [][]int64
	assigned []int
	steps    int
	work     int // what all steps took so far
	// What follows is for a search that has gone astray, because it costs more than a simple search takes.
	seen      map[string]bool
	seenBytes int
	sums      []sumTable // by kind
	shipping  *shipping
}

// demand is what one group takes.
type demand struct {
	amounts []int64 // by class
	fits    []bool  // by provider: traits are there and the whole allocation would do
	// like is the last group before this one with the same amounts and fits, or -1.
	like int
}

func search(ctx context.Context, groups []Group, allocation []ProviderAllocation) (map[string][]string, error) {
	classes := classNumbers(groups)
	if err := checkSize(len(classes), groups, allocation); err != nil {
		return nil, err
	}
	if err := compareSums(classes, groups, allocation); err != nil {
		return nil, err
	}
	return newSearcher(classes, groups, allocation).run(ctx, groups, allocation)
}

// run searches and puts the result in words.
func (s *searcher) run(ctx context.Context, groups []Group, allocation []ProviderAllocation) (map[string][]string, error) {
	switch found, err := s.assign(ctx, 0); {
	case err != nil:
		return nil, err
	case !found:
		return nil, matchError("", ErrNoMapping, "no assignment of providers gives each group its resources and traits")
	}
	result := make(map[string][]string, len(groups))
	for g, p := range s.assigned {
		result[groups[g].Suffix] = []string{allocation[p].Provider}
	}
	return result, nil
}

func checkSearchable(groups []Group) error {
	for _, group := range groups {
		if group.Suffix == "" || len(group.Aggregates) > 0 || len(group.Forbidden) > 0 {
			return matchError(group.Suffix, ErrNotSupported,
				"an unsuffixed group, aggregates or forbidden traits need the mappings of Placement 1.34")
		}
	}
	return nil
}

// classNumbers numbers the classes that any group asks for.
func classNumbers(groups []Group) map[string]int {
	classes := map[string]int{}
	for _, group := range groups {
		for class := range group.Resources {
			classes[class] = 0
		}
	}
	for i, class := range sortedKeys(classes) {
		classes[class] = i
	}
	return classes
}

// maxSize bounds what a search prepares: the amounts and traits of all groups on all providers.
const maxSize = 1 << 23

// checkSize refuses what would take too long to prepare.
func checkSize(classes int, groups []Group, allocation []ProviderAllocation) error {
	size := 0
	for _, group := range groups {
		size += (1 + classes + len(group.Required)) * (1 + len(allocation))
	}
	if size <= maxSize {
		return nil
	}
	return tooMuch(fmt.Sprintf("%d groups of %d classes on %d providers are too many to search", len(groups), classes, len(allocation)))
}

// compareSums says at once, and with a class and amounts, what the search would find out only at its end: that the
// allocation and the groups do not sum up to the same.
func compareSums(classes map[string]int, groups []Group, allocation []ProviderAllocation) error {
	for _, class := range sortedKeys(classes) {
		var allocated, taken total
		for _, a := range allocation {
			allocated.add(a.Resources[class])
		}
		for _, group := range groups {
			taken.add(group.Resources[class])
		}
		if allocated != taken {
			return matchError("", ErrNoMapping, fmt.Sprintf("the providers are allocated %s %s together, the groups take %s", allocated, class, taken))
		}
	}
	return nil
}

// total is a sum of amounts that are not negative, of which any number fit.
type total struct{ high, low uint64 }

func (t *total) add(n int64) {
	low, carry := bits.Add64(t.low, uint64(n), 0) //nolint:gosec // never negative
	t.high, t.low = t.high+carry, low
}

func (t total) String() string {
	sum := new(big.Int).SetUint64(t.high)
	return sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(t.low)).String()
}

func newSearcher(classes map[string]int, groups []Group, allocation []ProviderAllocation) *searcher {
	s := &searcher{
		classes: len(classes), providers: len(allocation),
		left: make([]int64, len(allocation)*len(classes)), assigned: make([]int, len(groups)), groups: make([]demand, len(groups)),
	}
	amounts, fits := make([]int64, len(groups)*s.classes), make([]bool, len(groups)*s.providers)
	traits := make([]map[string]bool, len(allocation))
	for p, a := range allocation {
		for class, c := range classes {
			s.left[p*s.classes+c] = a.Resources[class]
		}
		if len(a.Traits) > fewTraits {
			traits[p] = setOf(a.Traits)
		}
	}
	for g, group := range groups {
		d := demand{amounts: amounts[g*s.classes:][:s.classes], fits: fits[g*s.providers:][:s.providers], like: -1}
		for class, n := range group.Resources {
			d.amounts[classes[class]] = n
		}
		for p, a := range allocation {
			d.fits[p] = serves(a, traits[p], group)
		}
		s.groups[g] = d
	}
	s.findAlike()
	s.findKinds()
	s.computeReach()
	return s
}

func (s *searcher) findAlike() {
	last := map[string]int{}
	for g, d := range s.groups {
		key := d.key()
		if before, found := last[key]; found {
			s.groups[g].like = before
		}
		last[key] = g
	}
}

// fewTraits is how many traits are faster to look through than to make a set of.
const fewTraits = 8

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// serves reports whether a provider has a group's traits and, alone, its resources. A class must be present even for an
// amount of zero. The set of its traits is nil when they are few.
func serves(a ProviderAllocation, traits map[string]bool, group Group) bool {
	for class, n := range group.Resources {
		if has, present := a.Resources[class]; !present || has < n {
			return false
		}
	}
	for _, trait := range group.Required {
		if !traits[trait] && (traits != nil || !slices.Contains(a.Traits, trait)) {
			return false
		}
	}
	return true
}

// key is a text that groups of the same amounts and fits share.
func (d demand) key() string {
	key := make([]byte, 0, len(d.fits)+4*len(d.amounts))
	for _, fits := range d.fits {
		if fits {
			key = append(key, 1)
		} else {
			key = append(key, 0)
		}
	}
	for _, n := range d.amounts {
		key = binary.AppendVarint(key, n)
	}
	return string(key)
}

func (s *searcher) findKinds() {
	s.kind = make([]int, s.providers)
	numbers := map[string]int{}
	signature := make([]byte, len(s.groups))
	for p := range s.providers {
		for g, d := range s.groups {
			signature[g] = 0
			if d.fits[p] {
				signature[g] = 1
			}
		}
		if _, known := numbers[string(signature)]; !known {
			numbers[string(signature)] = len(numbers)
		}
		s.kind[p] = numbers[string(signature)]
	}
}

func (s *searcher) computeReach() {
	s.reach = make([][]int64, len(s.groups)+1)
	all, n := make([]int64, len(s.reach)*len(s.left)), len(s.left)
	for g := range s.reach {
		s.reach[g] = all[g*n:][:n]
	}
	for g, d := range slices.Backward(s.groups) {
		copy(s.reach[g], s.reach[g+1])
		for p := range s.providers {
			if d.fits[p] {
				for c, n := range d.amounts {
					s.reach[g][p*s.classes+c] = addSaturated(s.reach[g][p*s.classes+c], n)
				}
			}
		}
	}
}
