package requestspec

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// enumerate is the matcher as Nova has it, with the leftover check over all classes: every assignment in product order.
// It returns nil when none is correct.
func enumerate(groups []Group, allocation []ProviderAllocation) []int {
	assignment := make([]int, len(groups))
	for {
		if correct(groups, allocation, assignment) {
			return assignment
		}
		g := len(groups) - 1
		for ; g >= 0 && assignment[g] == len(allocation)-1; g-- {
			assignment[g] = 0
		}
		if g < 0 {
			return nil
		}
		assignment[g]++
	}
}

func correct(groups []Group, allocation []ProviderAllocation, assignment []int) bool {
	left := make([]map[string]int64, len(allocation))
	for p, a := range allocation {
		left[p] = maps.Clone(a.Resources)
	}
	for g, p := range assignment {
		for _, trait := range groups[g].Required {
			if !slices.Contains(allocation[p].Traits, trait) {
				return false
			}
		}
		for class, n := range groups[g].Resources {
			if has, present := left[p][class]; !present || has < n {
				return false
			}
			left[p][class] -= n
		}
	}
	for _, group := range groups {
		for class := range group.Resources {
			for p := range left {
				if left[p][class] != 0 {
					return false
				}
			}
		}
	}
	return true
}

// drawMatch draws groups and an allocation that mostly is what some assignment of them takes, and otherwise differs from
// one a little.
func drawMatch(t *rapid.T) ([]Group, []ProviderAllocation) {
	allocation := make([]ProviderAllocation, rapid.IntRange(1, 4).Draw(t, "providers"))
	traits := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"T", "U"}), rapid.ID[string])
	for p := range allocation {
		allocation[p] = ProviderAllocation{Provider: fmt.Sprint("rp", p), Resources: map[string]int64{}, Traits: traits.Draw(t, "traits")}
	}
	var groups []Group
	most := rapid.Int64Range(1, 4).Draw(t, "most")
	for g := range rapid.IntRange(0, 6).Draw(t, "groups") {
		provider := rapid.SampledFrom(allocation).Draw(t, "provider")
		resources := rapid.MapOfN(rapid.SampledFrom([]string{"A", "B"}), rapid.Int64Range(0, most), 0, 2).Draw(t, "resources")
		for class, n := range resources {
			provider.Resources[class] += n
		}
		group := Group{Suffix: fmt.Sprint("g", g), Resources: resources}
		if rapid.Bool().Draw(t, "required") {
			group.Required = provider.Traits
		}
		groups = append(groups, group)
	}
	from, to := rapid.SampledFrom(allocation).Draw(t, "from"), rapid.SampledFrom(allocation).Draw(t, "to")
	switch n := rapid.Int64Range(1, most).Draw(t, "amount"); rapid.IntRange(0, 5).Draw(t, "disturb") {
	case 0: // something is left over
		to.Resources["A"] += n
	case 1: // the sums are right, the places may not be
		if from.Resources["A"] >= n {
			from.Resources["A"] -= n
			to.Resources["A"] += n
		}
	case 2:
		delete(from.Resources, "B")
	}
	return groups, allocation
}

// TestSearchFindsWhatEnumerationFinds compares the pruned search with brute force, as it starts and with all its aids
// from the first step on, and sums up what it finds.
func TestSearchFindsWhatEnumerationFinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		match func(t *rapid.T, groups []Group, allocation []ProviderAllocation) (map[string][]string, error)
	}{
		{"from the start", func(t *rapid.T, groups []Group, allocation []ProviderAllocation) (map[string][]string, error) {
			return Match(t.Context(), groups, allocation, nil)
		}},
		{"gone astray", func(t *rapid.T, groups []Group, allocation []ProviderAllocation) (map[string][]string, error) {
			s := newSearcher(classNumbers(groups), groups, allocation)
			s.steps = astray
			return s.run(t.Context(), groups, allocation)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				groups, allocation := drawMatch(t)
				want := enumerate(groups, allocation)
				got, err := tc.match(t, groups, allocation)
				if want == nil {
					require.ErrorIs(t, err, ErrNoMapping)
					return
				}
				require.NoError(t, err)
				named := make(map[string][]string, len(groups))
				for g, p := range want {
					named[groups[g].Suffix] = []string{allocation[p].Provider}
				}
				require.Empty(t, cmp.Diff(named, got))
				requireSums(t, groups, allocation, got)
			})
		})
	}
}

// requireSums adds up what the groups take: in each class that they ask for it must be all that is allocated.
func requireSums(t *rapid.T, groups []Group, allocation []ProviderAllocation, mapping map[string][]string) {
	taken := map[[2]string]int64{}
	for _, group := range groups {
		for class, n := range group.Resources {
			taken[[2]string{mapping[group.Suffix][0], class}] += n
		}
	}
	for class := range classNumbers(groups) {
		for _, a := range allocation {
			require.Equal(t, a.Resources[class], taken[[2]string{a.Provider, class}], "%s of %s", class, a.Provider)
		}
	}
}
