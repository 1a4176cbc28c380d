package requestspec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ended runs the search as Match does. It returns what is left of the search and whether there is an assignment.
func ended(t *testing.T, groups []Group, allocation []ProviderAllocation) (*searcher, bool) {
	t.Helper()
	classes := classNumbers(groups)
	require.NoError(t, compareSums(classes, groups, allocation))
	s := newSearcher(classes, groups, allocation)
	found, err := s.assign(t.Context(), 0)
	require.NoError(t, err, "%d steps", s.steps)
	require.LessOrEqual(t, s.seenBytes, maxSeenBytes+1000)
	entries := 0
	for _, table := range s.sums {
		entries += len(table.last)
	}
	require.LessOrEqual(t, entries, maxSums+len(s.sums))
	return s, found
}

func groupsOf(class string, amounts ...int64) []Group {
	groups := make([]Group, len(amounts))
	for i, n := range amounts {
		groups[i] = Group{Suffix: RequesterID(i, ""), Resources: map[string]int64{class: n}}
	}
	return groups
}

func providersOf(class string, amounts ...int64) []ProviderAllocation {
	allocation := make([]ProviderAllocation, len(amounts))
	for i, n := range amounts {
		allocation[i] = ProviderAllocation{Provider: fmt.Sprint("rp", i), Resources: map[string]int64{class: n}}
	}
	return allocation
}

// TestSearchStepsAreFew has inputs on which a plain search goes through a good part of all assignments. Steps are
// counted, so that the result is the same everywhere.
func TestSearchStepsAreFew(t *testing.T) {
	t.Parallel()
	traits := func(groups []Group, allocation []ProviderAllocation, pairs ...[2]int) {
		for _, pair := range pairs {
			trait := fmt.Sprint("CUSTOM_", pair[0])
			groups[pair[0]].Required = []string{trait}
			allocation[pair[1]].Traits = append(allocation[pair[1]].Traits, trait)
		}
	}
	ones := slices.Repeat([]int64{1}, 40)
	evenAmounts := func(n int) []int64 {
		amounts := make([]int64, n)
		for i := range amounts {
			amounts[i] = 2 * int64(1000003+i*i*7919+1<<(i%17))
		}
		return amounts
	}
	quarters := func(amounts []int64) []int64 {
		var sum int64
		for _, n := range amounts {
			sum += n
		}
		odd := sum/4 | 1
		return []int64{odd, odd, odd, sum - 3*odd}
	}
	for _, tc := range []struct {
		name  string
		input func() ([]Group, []ProviderAllocation)
		found bool
		steps int
	}{
		{"16 even amounts on odd providers", func() ([]Group, []ProviderAllocation) {
			amounts := evenAmounts(16)
			return groupsOf("X", amounts...), providersOf("X", quarters(amounts)...)
		}, false, 200},
		{"40 even amounts on odd providers", func() ([]Group, []ProviderAllocation) {
			amounts := []int64{}
			for i := range 40 {
				amounts = append(amounts, int64(2+2*(i%9)))
			}
			return groupsOf("X", amounts...), providersOf("X", quarters(amounts)...)
		}, false, 200},
		{"40 equal groups", func() ([]Group, []ProviderAllocation) {
			return groupsOf("X", ones...), providersOf("X", 10, 10, 10, 10)
		}, true, 100},
		{"40 equal groups, a provider each", func() ([]Group, []ProviderAllocation) {
			return groupsOf("X", ones...), providersOf("X", ones...)
		}, true, 100},
		{"equal groups, the last two want one provider", func() ([]Group, []ProviderAllocation) {
			groups, allocation := groupsOf("X", ones...), providersOf("X", ones...)
			traits(groups, allocation, [2]int{38, 0}, [2]int{39, 0})
			return groups, allocation
		}, false, 200},
		{"three groups for two providers, all others free and different", func() ([]Group, []ProviderAllocation) {
			groups, allocation := groupsOf("X", ones[:24]...), providersOf("X", ones[:24]...)
			for g := range 21 {
				traits(groups, allocation, [2]int{g, g}, [2]int{g, 23 - g}, [2]int{g, (7 * g) % 24})
			}
			traits(groups, allocation, [2]int{21, 3}, [2]int{22, 3}, [2]int{23, 3}, [2]int{21, 5}, [2]int{22, 5}, [2]int{23, 5})
			return groups, allocation
		}, false, 200},
		{"more providers than groups", func() ([]Group, []ProviderAllocation) {
			return groupsOf("X", 5, 5, 5, 5, 5, 5, 5, 5), providersOf("X", 5, 5, 5, 5, 5, 5, 5, 3, 2)
		}, false, 100},
		{"triples that make one sum", func() ([]Group, []ProviderAllocation) {
			return groupsOf("X", 26, 29, 31, 33, 35, 38, 27, 30, 34, 36, 37, 40, 28, 32, 44), providersOf("X", 100, 100, 100, 100, 100)
		}, true, 5000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			groups, allocation := tc.input()
			s, found := ended(t, groups, allocation)
			assert.Equal(t, tc.found, found)
			assert.LessOrEqual(t, s.steps, tc.steps)
		})
	}
}

// TestWorkIsBounded has inputs of which single steps are long, or their preparation. What they come to is the same everywhere,
// since it is counted.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ providers, groups int }{{50, 200}} {
		t.Run(fmt.Sprint(tc.groups, " groups on ", tc.providers, " providers"), func(t *testing.T) {
			t.Parallel()
			groups, allocation := scattered(tc.providers, tc.groups)
			classes := classNumbers(groups)
			s := newSearcher(classes, groups, allocation)
			if _, err := s.assign(t.Context(), 0); err != nil {
				require.ErrorIs(t, err, ErrSearchLimit)
			}
			require.Less(t, s.work, maxWork+maxWork/8)
		})
	}
	groups, allocation := scattered(3000, 3000)
	_, err := Match(t.Context(), groups, allocation, nil)
	require.ErrorIs(t, err, ErrSearchLimit)
	require.ErrorContains(t, err, "3000 groups of 1 classes on 3000 providers are too many to search")
}

// scattered gives each group of one class to a random provider.
func scattered(providers, n int) ([]Group, []ProviderAllocation) {
	r := rand.New(rand.NewPCG(1, 1))
	allocation := providersOf("X", make([]int64, providers)...)
	amounts := make([]int64, n)
	for g := range amounts {
		amounts[g] = 1 + r.Int64N(1000)
		allocation[r.IntN(providers)].Resources["X"] += amounts[g]
	}
	return groupsOf("X", amounts...), allocation
}

// TestSearchOfSixteenGroupsEnds goes through random requests of 16 groups: one to three classes, amounts close
// together and far apart, with traits and without, for which there is an assignment or only nearly one.
func TestSearchOfSixteenGroupsEnds(t *testing.T) {
	t.Parallel()
	steps, work := 0, 0
	for seed := range uint64(200) {
		groups, allocation := sixteenGroups(rand.New(rand.NewPCG(seed, 1)))
		s, _ := ended(t, groups, allocation)
		steps, work = max(steps, s.steps), max(work, s.work)
	}
	assert.Less(t, work, maxWork/20)
	assert.Greater(t, steps, 10*astray, "the inputs are too easy to tell anything")
}

func sixteenGroups(r *rand.Rand) ([]Group, []ProviderAllocation) {
	allocation := providersOf("C0", make([]int64, 2+r.IntN(11))...)
	for p := range allocation {
		for _, trait := range []string{"T", "U", "V"}[:r.IntN(4)] {
			if r.IntN(2) == 0 {
				allocation[p].Traits = append(allocation[p].Traits, trait)
			}
		}
	}
	classes, most := 1+r.IntN(3), []int64{2, 5, 20, 100, 1000, 1e6}[r.IntN(6)]
	groups := make([]Group, 16)
	for g := range groups {
		p := r.IntN(len(allocation))
		groups[g] = Group{Suffix: RequesterID(g, ""), Resources: map[string]int64{}}
		for c := range classes {
			if class := fmt.Sprint("C", c); c == 0 || r.IntN(3) > 0 {
				groups[g].Resources[class] = 1 + r.Int64N(most)
				allocation[p].Resources[class] += groups[g].Resources[class]
			}
		}
		if r.IntN(2) == 0 {
			groups[g].Required = allocation[p].Traits
		}
	}
	if moved := r.Int64N(most); r.IntN(2) == 0 && moved <= allocation[0].Resources["C0"] {
		allocation[0].Resources["C0"] -= moved
		allocation[1].Resources["C0"] += moved
	}
	return groups, allocation
}
