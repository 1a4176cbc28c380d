package requestspec_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/novacyborg/novacyborg/requestspec"
)

func TestMatchByMappings(t *testing.T) {
	t.Parallel()
	type mappings = map[string][]string
	type allocation = []requestspec.ProviderAllocation
	root := gives("root", amounts{"VCPU": 1})
	two := []requestspec.Group{asks("", amounts{"VCPU": 1}), asks("p", amounts{"FPGA": 1}), asks("q", amounts{"FPGA": 1})}
	suffixed := two[1:]
	// The unsuffixed group takes its disk from a provider that shares it, as does one of the suffixed groups.
	sharing := []requestspec.Group{asks("", amounts{"VCPU": 2, "DISK_GB": 10, "MEMORY_MB": 512}), asks("p", amounts{"DISK_GB": 5}), asks("q", amounts{"FPGA": 1, "VCPU": 3})}
	sharingMappings := mappings{"": {"root", "share"}, "p": {"share"}, "q": {"root"}}
	for _, tc := range []struct {
		name       string
		groups     []requestspec.Group
		mappings   mappings
		allocation allocation
		wantErr    string
	}{
		{"one provider serves both", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2})}, ""},
		{"a provider each", two, mappings{"": {"root"}, "p": {"b"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 1}), gives("b", amounts{"FPGA": 1})}, ""},
		{"no allocation to compare with", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, nil, ""},
		{"no allocation, several providers", suffixed, mappings{"p": {"a", "b"}, "q": {}}, nil, ""},
		{"allocated less", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 1})}, `provider a is allocated 1 FPGA, its groups ["p" "q"] take 2`},
		{"allocated more", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 3})}, `provider a is allocated 3 FPGA, its groups ["p" "q"] take 2`},
		{"empty allocation", suffixed, mappings{"p": {"a"}, "q": {"a"}}, allocation{}, `provider a is allocated 0 FPGA, its groups ["p" "q"] take 2`},
		{"allocated a class that no group takes", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2, "MEM": 1})}, `provider a is allocated 1 MEM, its groups ["p" "q"] take 0`},
		{"allocated a provider that no group takes", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2}), gives("b", amounts{"FPGA": 1})}, `provider b is allocated 1 FPGA, its groups [] take 0`},
		{"provider is not in the allocation", two, mappings{"": {"root"}, "p": {"a"}, "q": {"b"}}, allocation{root, gives("a", amounts{"FPGA": 1})}, `provider b is allocated 0 FPGA, its groups ["q"] take 1`},
		{"sums equal, places not", two, mappings{"": {"root"}, "p": {"a"}, "q": {"b"}}, allocation{root, gives("a", amounts{"FPGA": 2}), gives("b", amounts{})}, `provider a is allocated 2 FPGA, its groups ["p"] take 1`},
		{"zero amounts", []requestspec.Group{asks("", amounts{"VCPU": 0}), asks("p", amounts{"FPGA": 0})}, mappings{"": {}, "p": {"a"}}, allocation{gives("a", amounts{"FPGA": 0})}, ""},
		{"no provider", two, mappings{"": {"root"}, "p": {"a"}, "q": {}}, allocation{root, gives("a", amounts{"FPGA": 2})}, "group q: the group has 0 providers"},
		{"two providers", two, mappings{"": {"root"}, "p": {"a", "b"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2})}, "group p: the group has 2 providers"},
		{"missing", two, mappings{"": {"root"}, "p": {"a"}}, nil, "group q: the mappings have no entry"},
		{"none at all", two, mappings{}, nil, "the mappings have no entry"},

		{"unsuffixed is allocated less", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{gives("root", nil), gives("a", amounts{"FPGA": 2})}, "takes 1 VCPU from one provider, but no provider of its mapping has that left; provider root is allocated 0, its other groups take 0"},
		{"unsuffixed is allocated more", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{gives("root", amounts{"VCPU": 2}), gives("a", amounts{"FPGA": 2})}, "takes 1 VCPU from one provider, but no provider of its mapping has that left; provider root is allocated 2"},
		{"unsuffixed has no provider", two, mappings{"": {}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2})}, "takes 1 VCPU"},
		{"unsuffixed on a provider outside its mapping", two, mappings{"": {"other"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2})}, "takes 1 VCPU"},
		{"unsuffixed allocated twice", two, mappings{"": {"root", "a"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2, "VCPU": 1})}, `provider a is allocated 1 VCPU, its groups ["p" "q"] take 0`},
		{"unsuffixed amount split", []requestspec.Group{asks("", amounts{"VCPU": 2})}, mappings{"": {"root", "a"}}, allocation{root, gives("a", amounts{"VCPU": 1})}, "takes 2 VCPU from one provider"},
		{"sharing", sharing, sharingMappings, allocation{gives("share", amounts{"DISK_GB": 15}), gives("root", amounts{"VCPU": 5, "MEMORY_MB": 512, "FPGA": 1})}, ""},
		{"sharing, disk too much", sharing, sharingMappings, allocation{gives("share", amounts{"DISK_GB": 16}), gives("root", amounts{"VCPU": 5, "MEMORY_MB": 512, "FPGA": 1})}, "takes 10 DISK_GB from one provider, but no provider of its mapping has that left; provider root is allocated 0, its other groups take 0; provider share is allocated 16, its other groups take 5"},
		{"sharing, the disk on the root", sharing, sharingMappings, allocation{gives("share", amounts{"DISK_GB": 5}), gives("root", amounts{"VCPU": 5, "MEMORY_MB": 512, "FPGA": 1, "DISK_GB": 10})}, ""},
		{"sharing, suffixed group not allocated", sharing, sharingMappings, allocation{gives("share", amounts{"DISK_GB": 10}), gives("root", amounts{"VCPU": 5, "MEMORY_MB": 512, "FPGA": 1})}, "takes 10 DISK_GB"},

		{"unsuffixed not given", suffixed, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 2})}, ""},
		{"unsuffixed not given, on the same provider", suffixed, mappings{"": {"a"}, "p": {"a"}, "q": {"a"}}, allocation{gives("a", amounts{"FPGA": 2, "VCPU": 1})}, ""},
		{"unsuffixed not given, a suffixed provider has too much", suffixed, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 3})}, `provider a is allocated 3 FPGA`},
		{"unsuffixed not given, its provider has too little for the others", suffixed, mappings{"": {"a"}, "p": {"a"}, "q": {"a"}}, allocation{gives("a", amounts{"FPGA": 1})}, `provider a is allocated 1 FPGA`},
		{"another group not given", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}, "other": {"a"}}, allocation{root, gives("a", amounts{"FPGA": 5})}, ""},
		{"another group not given, elsewhere", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}, "other": {"b"}}, allocation{root, gives("a", amounts{"FPGA": 5}), gives("b", amounts{"FPGA": 1})}, `provider a is allocated 5 FPGA, its groups ["p" "q"] take 2`},
		{"another group not given, with the unsuffixed", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}, "other": {"root"}}, allocation{gives("root", amounts{"VCPU": 4}), gives("a", amounts{"FPGA": 2})}, ""},
		{"another group not given, which takes as much as the unsuffixed", two, mappings{"": {"x", "root"}, "p": {"a"}, "q": {"a"}, "other": {"x"}}, allocation{gives("x", amounts{"VCPU": 1}), root, gives("a", amounts{"FPGA": 2})}, ""},
		{"another group not given, and too little for the unsuffixed", two, mappings{"": {"root"}, "p": {"a"}, "q": {"a"}, "other": {"root"}}, allocation{gives("root", amounts{"FPGA": 1}), gives("a", amounts{"FPGA": 2})}, "takes 1 VCPU"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Match(t.Context(), tc.groups, tc.allocation, tc.mappings)
			if tc.wantErr != "" {
				require.ErrorContains(t, err, tc.wantErr)
				assert.Nil(t, got)
				return
			}
			require.NoError(t, err)
			want := maps.Clone(tc.mappings)
			maps.DeleteFunc(want, func(suffix string, _ []string) bool {
				return !slices.ContainsFunc(tc.groups, func(g requestspec.Group) bool { return g.Suffix == suffix })
			})
			assert.Equal(t, want, got)
		})
	}
}

func TestMatchResultIsACopy(t *testing.T) {
	t.Parallel()
	mappings := map[string][]string{"p": {"a"}}
	got, err := requestspec.Match(t.Context(), []requestspec.Group{asks("p", nil)}, nil, mappings)
	require.NoError(t, err)
	got["p"][0] = "b"
	assert.Equal(t, map[string][]string{"p": {"a"}}, mappings)
}

// TestMappingsAreCheckedExactly builds an allocation from mappings, which must then be accepted; one unit more or less
// anywhere must not.
func TestMappingsAreCheckedExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		allocation := make([]requestspec.ProviderAllocation, rapid.IntRange(1, 4).Draw(t, "providers"))
		for p := range allocation {
			allocation[p] = gives(fmt.Sprint("rp", p), amounts{})
		}
		provider := rapid.SampledFrom(allocation)
		resources := rapid.MapOfN(rapid.SampledFrom([]string{"A", "B", "C"}), rapid.Int64Range(1, 3), 0, 3)
		mappings := map[string][]string{"": {}}
		groups := []requestspec.Group{asks("", resources.Draw(t, "plain"))}
		for _, class := range slices.Sorted(maps.Keys(groups[0].Resources)) {
			p := provider.Draw(t, "plain provider")
			p.Resources[class] += groups[0].Resources[class]
			mappings[""] = append(mappings[""], p.Provider)
		}
		for g := range rapid.IntRange(0, 4).Draw(t, "groups") {
			p, suffix := provider.Draw(t, "provider"), fmt.Sprint("g", g)
			groups = append(groups, asks(suffix, resources.Draw(t, "resources")))
			for class, n := range groups[g+1].Resources {
				p.Resources[class] += n
			}
			mappings[suffix] = []string{p.Provider}
		}
		got, err := requestspec.Match(t.Context(), groups, allocation, mappings)
		require.NoError(t, err)
		require.Equal(t, mappings, got)

		wrong, class := provider.Draw(t, "wrong"), rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "class")
		if rapid.Bool().Draw(t, "less") && wrong.Resources[class] > 0 {
			wrong.Resources[class]--
		} else {
			wrong.Resources[class]++
		}
		_, err = requestspec.Match(t.Context(), groups, allocation, mappings)
		require.ErrorIs(t, err, requestspec.ErrNoMapping)
	})
}
