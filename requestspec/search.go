package requestspec

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// searcher is a depth-first search for an assignment of providers to groups. Providers and classes are numbered; the
// state is the amount that is left of each class on each provider.
type searcher struct {
	classes   int
	providers int
	groups    []demand
	left      []int64 // [provider*classes + class]
	// twin is the first provider that can serve the same groups: such providers differ only in what is left on them.
	twin []int
	// reach is, for the groups from g on, the most that they could take: [g][provider*classes + class].
	reach    [][]int64
	assigned []int
	// dead holds states, by group, from which there is no way.
	dead map[string]bool
}

// demand is what one group takes.
type demand struct {
	amounts []int64 // by class
	fits    []bool  // by provider: traits are there and the whole allocation would do
}

func search(groups []Group, allocation []ProviderAllocation) (map[string][]string, error) {
	if err := checkSearchable(groups, allocation); err != nil {
		return nil, err
	}
	classes := classNumbers(groups)
	if class, ok := sumsEqual(classes, groups, allocation); !ok {
		return nil, matchError("", ErrNoMapping, "the allocation of "+class+" is not what the groups ask for together")
	}
	s := newSearcher(classes, groups, allocation)
	if !s.assign(0) {
		return nil, matchError("", ErrNoMapping, "no assignment of providers gives each group its resources and traits")
	}
	result := make(map[string][]string, len(groups))
	for g, p := range s.assigned {
		result[groups[g].Suffix] = []string{allocation[p].Provider}
	}
	return result, nil
}

func checkSearchable(groups []Group, allocation []ProviderAllocation) error {
	for _, group := range groups {
		if group.Suffix == "" || len(group.Aggregates) > 0 || len(group.Forbidden) > 0 {
			return matchError(group.Suffix, ErrNotSupported,
				"an unsuffixed group, aggregates or forbidden traits need the mappings of Placement 1.34")
		}
	}
	seen := map[string]bool{}
	for _, a := range allocation {
		if seen[a.Provider] {
			return matchError("", ErrNoMapping, fmt.Sprintf("the allocation lists provider %s twice", a.Provider))
		}
		seen[a.Provider] = true
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
	for i, class := range slices.Sorted(maps.Keys(classes)) {
		classes[class] = i
	}
	return classes
}

// sumsEqual reports whether allocation and groups sum up to the same in each class. If so, and no provider gives more
// than it has, nothing can be left over anywhere. Otherwise it names a class.
func sumsEqual(classes map[string]int, groups []Group, allocation []ProviderAllocation) (string, bool) {
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		rest, n := new(big.Int), new(big.Int)
		for _, a := range allocation {
			rest.Add(rest, n.SetInt64(a.Resources[class]))
		}
		for _, group := range groups {
			rest.Sub(rest, n.SetInt64(group.Resources[class]))
		}
		if rest.Sign() != 0 {
			return class, false
		}
	}
	return "", true
}

func newSearcher(classes map[string]int, groups []Group, allocation []ProviderAllocation) *searcher {
	s := &searcher{
		classes: len(classes), providers: len(allocation),
		left: make([]int64, len(allocation)*len(classes)), assigned: make([]int, len(groups)), dead: map[string]bool{},
	}
	for p, a := range allocation {
		for class, c := range classes {
			s.left[p*s.classes+c] = a.Resources[class]
		}
	}
	for _, group := range groups {
		d := demand{amounts: make([]int64, s.classes), fits: make([]bool, s.providers)}
		for class, n := range group.Resources {
			d.amounts[classes[class]] = n
		}
		for p, a := range allocation {
			d.fits[p] = serves(a, group)
		}
		s.groups = append(s.groups, d)
	}
	s.findTwins()
	s.computeReach()
	return s
}

// serves reports whether a provider has a group's traits and, alone, its resources. A class must be present even for an
// amount of zero.
func serves(a ProviderAllocation, group Group) bool {
	for class, n := range group.Resources {
		if has, present := a.Resources[class]; !present || has < n {
			return false
		}
	}
	for _, trait := range group.Required {
		if !slices.Contains(a.Traits, trait) {
			return false
		}
	}
	return true
}

func (s *searcher) findTwins() {
	s.twin = make([]int, s.providers)
	first := map[string]int{}
	for p := range s.providers {
		signature := make([]byte, len(s.groups))
		for g, d := range s.groups {
			if d.fits[p] {
				signature[g] = 1
			}
		}
		if _, seen := first[string(signature)]; !seen {
			first[string(signature)] = p
		}
		s.twin[p] = first[string(signature)]
	}
}

func (s *searcher) computeReach() {
	s.reach = make([][]int64, len(s.groups)+1)
	s.reach[len(s.groups)] = make([]int64, len(s.left))
	for g := len(s.groups) - 1; g >= 0; g-- {
		s.reach[g] = slices.Clone(s.reach[g+1])
		for p := range s.providers {
			if s.groups[g].fits[p] {
				for c, n := range s.groups[g].amounts {
					s.reach[g][p*s.classes+c] = addSaturated(s.reach[g][p*s.classes+c], n)
				}
			}
		}
	}
}
