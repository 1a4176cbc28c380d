package requestspec_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

func asks(suffix string, resources map[string]int64, required ...string) requestspec.Group {
	return requestspec.Group{Suffix: suffix, Resources: resources, Required: required}
}

func gives(provider string, resources map[string]int64, traits ...string) requestspec.ProviderAllocation {
	return requestspec.ProviderAllocation{Provider: provider, Resources: resources, Traits: traits}
}

type amounts = map[string]int64

// TestMatchBySearch has the cases of Nova's own test of its matcher (nova/tests/unit/objects/test_request_spec.py) and
// what its leftover fault (B19) hides.
func TestMatchBySearch(t *testing.T) {
	t.Parallel()
	root := gives("root", amounts{"VCPU": 1, "MEMORY_MB": 1024})
	for _, tc := range []struct {
		name       string
		groups     []requestspec.Group
		allocation []requestspec.ProviderAllocation
		want       map[string][]string
		wantErr    error
	}{
		{"no groups", nil, []requestspec.ProviderAllocation{root}, map[string][]string{}, nil},
		{"one group", []requestspec.Group{asks("p", amounts{"BW": 1}, "T")}, []requestspec.ProviderAllocation{root, gives("nic", amounts{"BW": 1}, "T", "U")}, map[string][]string{"p": {"nic"}}, nil},
		{"class is not there", []requestspec.Group{asks("p", amounts{"BW": 1})}, []requestspec.ProviderAllocation{root}, nil, requestspec.ErrNoMapping},
		{"trait is not there", []requestspec.Group{asks("p", amounts{"BW": 1}, "T")}, []requestspec.ProviderAllocation{root, gives("nic", amounts{"BW": 1})}, nil, requestspec.ErrNoMapping},
		{"two groups, one provider", []requestspec.Group{asks("p", amounts{"IN": 1, "OUT": 2}), asks("q", amounts{"IN": 2, "OUT": 1})}, []requestspec.ProviderAllocation{root, gives("nic", amounts{"IN": 3, "OUT": 3})}, map[string][]string{"p": {"nic"}, "q": {"nic"}}, nil},
		{"by amount", []requestspec.Group{asks("p", amounts{"BW": 2}), asks("q", amounts{"BW": 1})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 1}), gives("b", amounts{"BW": 2})}, map[string][]string{"p": {"b"}, "q": {"a"}}, nil},
		{"by trait", []requestspec.Group{asks("p", amounts{"BW": 1}, "T"), asks("q", amounts{"BW": 1}, "U")}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 1}, "U"), gives("b", amounts{"BW": 1}, "T")}, map[string][]string{"p": {"b"}, "q": {"a"}}, nil},
		{
			"three groups",
			[]requestspec.Group{asks("p", amounts{"IN": 1, "OUT": 3}), asks("q", amounts{"IN": 2, "OUT": 2}), asks("r", amounts{"IN": 3, "OUT": 3})},
			[]requestspec.ProviderAllocation{root, gives("1", amounts{"IN": 3, "OUT": 3}), gives("2", amounts{"IN": 2, "OUT": 2}), gives("3", amounts{"IN": 1, "OUT": 3})},
			map[string][]string{"p": {"3"}, "q": {"2"}, "r": {"1"}},
			nil,
		},
		{"first of several in product order", []requestspec.Group{asks("p", amounts{"BW": 1}), asks("q", amounts{"BW": 1})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 1}), gives("b", amounts{"BW": 1})}, map[string][]string{"p": {"a"}, "q": {"b"}}, nil},
		{"leftover of the last group's class", []requestspec.Group{asks("p", amounts{"BW": 1})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 2})}, nil, requestspec.ErrNoMapping},
		{"leftover of another group's class", []requestspec.Group{asks("p", amounts{"FPGA": 1}), asks("q", amounts{"BW": 1})}, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 2}), gives("b", amounts{"BW": 1})}, nil, requestspec.ErrNoMapping},
		{"sums that only seem equal", []requestspec.Group{asks("p", amounts{"BW": math.MaxInt64}), asks("q", amounts{"BW": math.MaxInt64})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": math.MaxInt64})}, nil, requestspec.ErrNoMapping},
		{"zero needs the class", []requestspec.Group{asks("p", amounts{"BW": 0})}, []requestspec.ProviderAllocation{root, gives("a", amounts{"BW": 0})}, map[string][]string{"p": {"a"}}, nil},
		{"trait only", []requestspec.Group{asks("p", nil, "T")}, []requestspec.ProviderAllocation{root, gives("a", nil, "T")}, map[string][]string{"p": {"a"}}, nil},
		{"unsuffixed", []requestspec.Group{asks("", amounts{"BW": 1})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 1})}, nil, requestspec.ErrNotSupported},
		{"forbidden", []requestspec.Group{{Suffix: "p", Forbidden: []string{"T"}}}, nil, nil, requestspec.ErrNotSupported},
		{"aggregates", []requestspec.Group{{Suffix: "p", Aggregates: [][]string{{"a"}}}}, nil, nil, requestspec.ErrNotSupported},
		{"provider twice", []requestspec.Group{asks("p", amounts{"BW": 2})}, []requestspec.ProviderAllocation{gives("a", amounts{"BW": 1}), gives("a", amounts{"BW": 1})}, nil, requestspec.ErrNoMapping},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Match(tc.groups, tc.allocation, nil)
			require.ErrorIs(t, err, tc.wantErr)
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestMatchByMappings(t *testing.T) {
	t.Parallel()
	two := []requestspec.Group{asks("", amounts{"VCPU": 1}), asks("p", amounts{"FPGA": 1}), asks("q", amounts{"FPGA": 1})}
	for _, tc := range []struct {
		name       string
		mappings   map[string][]string
		allocation []requestspec.ProviderAllocation
		wantErr    string
	}{
		{"one provider serves both", map[string][]string{"": {"root"}, "p": {"a"}, "q": {"a"}, "other": {"x"}}, []requestspec.ProviderAllocation{gives("root", amounts{"VCPU": 1}), gives("a", amounts{"FPGA": 2})}, ""},
		{"no allocation to compare with", map[string][]string{"": {"root"}, "p": {"a"}, "q": {"a"}}, nil, ""},
		{"allocated less", map[string][]string{"": {"root"}, "p": {"a"}, "q": {"a"}}, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 1})}, "provider a is allocated 1 FPGA"},
		{"provider is not in the allocation", map[string][]string{"": {"root"}, "p": {"a"}, "q": {"b"}}, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 2})}, "provider b is allocated 0 FPGA"},
		{"no provider", map[string][]string{"": {"root"}, "p": {"a"}, "q": {}}, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 2})}, "group q: the group has 0 providers"},
		{"two providers", map[string][]string{"": {"root"}, "p": {"a", "b"}, "q": {"a"}}, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 2})}, "group p: the group has 2 providers"},
		{"missing", map[string][]string{"": {"root"}, "p": {"a"}}, nil, "group q: the mappings have no entry"},
		{"none at all", map[string][]string{}, nil, "the mappings have no entry"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Match(two, tc.allocation, tc.mappings)
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				assert.Nil(t, got)
				return
			}
			require.NoError(t, err)
			want := maps.Clone(tc.mappings)
			delete(want, "other")
			assert.Equal(t, want, got)
		})
	}
}

// enumerate is the matcher as Nova has it, with the leftover check over all classes: every assignment in product order.
func enumerate(groups []requestspec.Group, allocation []requestspec.ProviderAllocation) map[string][]string {
	assignment := make([]int, len(groups))
	for {
		if correct(groups, allocation, assignment) {
			result := map[string][]string{}
			for g, p := range assignment {
				result[groups[g].Suffix] = []string{allocation[p].Provider}
			}
			return result
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

func correct(groups []requestspec.Group, allocation []requestspec.ProviderAllocation, assignment []int) bool {
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

// drawMatch draws groups and an allocation that mostly is what some assignment of them takes.
func drawMatch(t *rapid.T) ([]requestspec.Group, []requestspec.ProviderAllocation) {
	allocation := make([]requestspec.ProviderAllocation, rapid.IntRange(1, 4).Draw(t, "providers"))
	traits := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"T", "U"}), rapid.ID[string])
	for p := range allocation {
		allocation[p] = gives(fmt.Sprint("rp", p), amounts{}, traits.Draw(t, "traits")...)
	}
	var groups []requestspec.Group
	for g := range rapid.IntRange(0, 5).Draw(t, "groups") {
		provider := rapid.SampledFrom(allocation).Draw(t, "provider")
		resources := rapid.MapOfN(rapid.SampledFrom([]string{"A", "B"}), rapid.Int64Range(0, 3), 0, 2).Draw(t, "resources")
		for class, n := range resources {
			provider.Resources[class] += n
		}
		var required []string
		if rapid.Bool().Draw(t, "required") {
			required = provider.Traits
		}
		groups = append(groups, asks(fmt.Sprint("g", g), resources, required...))
	}
	if rapid.IntRange(0, 4).Draw(t, "disturb") == 0 {
		rapid.SampledFrom(allocation).Draw(t, "disturbed").Resources["A"] = rapid.Int64Range(0, 3).Draw(t, "amount")
	}
	return groups, allocation
}

// TestSearchFindsWhatEnumerationFinds compares the pruned search with brute force, and checks the sums of the result.
func TestSearchFindsWhatEnumerationFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		groups, allocation := drawMatch(t)
		want := enumerate(groups, allocation)
		got, err := requestspec.Match(groups, allocation, nil)
		if want == nil {
			require.ErrorIs(t, err, requestspec.ErrNoMapping)
			return
		}
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got))
		for class, n := range sums(groups, got) {
			i := slices.IndexFunc(allocation, func(a requestspec.ProviderAllocation) bool { return a.Provider == class[0] })
			assert.Equal(t, allocation[i].Resources[class[1]], n, "%v", class)
		}
	})
}

// sums adds up what the groups take, by provider and class.
func sums(groups []requestspec.Group, mapping map[string][]string) map[[2]string]int64 {
	total := map[[2]string]int64{}
	for _, group := range groups {
		for class, n := range group.Resources {
			total[[2]string{mapping[group.Suffix][0], class}] += n
		}
	}
	return total
}

// TestSearchOfManyGroupsEnds checks cases that an enumeration would never finish: 16 groups over 16 providers.
func TestSearchOfManyGroupsEnds(t *testing.T) {
	t.Parallel()
	groups, allocation := manyGroups(16)
	got, err := requestspec.Match(groups, allocation, nil)
	require.NoError(t, err)
	assert.Len(t, got, 16)

	// One trait that no two providers can share makes it impossible, which shows only at the end.
	groups[14].Required, groups[15].Required = []string{"LAST"}, []string{"LAST"}
	allocation[0].Traits = append(allocation[0].Traits, "LAST")
	_, err = requestspec.Match(groups, allocation, nil)
	require.ErrorIs(t, err, requestspec.ErrNoMapping)
}

// manyGroups makes n groups, of one to three devices each, and as many providers, in the opposite order.
func manyGroups(n int) ([]requestspec.Group, []requestspec.ProviderAllocation) {
	var groups []requestspec.Group
	var allocation []requestspec.ProviderAllocation
	for i := range n {
		resources := amounts{"FPGA": int64(1 + i%3), "NET_BW_EGR_KILOBIT_PER_SEC": int64(100 * (1 + i%2))}
		groups = append(groups, asks(requestspec.RequesterID(i, ""), resources, "CUSTOM_T"))
		allocation = append(allocation, gives(fmt.Sprint("rp", i), maps.Clone(resources), "CUSTOM_T", "CUSTOM_U"))
	}
	slices.Reverse(allocation)
	return groups, allocation
}
