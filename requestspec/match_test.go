package requestspec_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Match(t.Context(), tc.groups, tc.allocation, nil)
			require.ErrorIs(t, err, tc.wantErr)
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestMatchBySearchInOrder has cases whose answer depends on the order, and ones that are only nearly right.
func TestMatchBySearchInOrder(t *testing.T) {
	t.Parallel()
	fpga := func(suffix string, n int64, required ...string) requestspec.Group {
		return asks(suffix, amounts{"FPGA": n}, required...)
	}
	card := func(provider string, n int64, traits ...string) requestspec.ProviderAllocation {
		return gives(provider, amounts{"FPGA": n}, traits...)
	}
	type groups = []requestspec.Group
	type allocation = []requestspec.ProviderAllocation
	for _, tc := range []struct {
		name       string
		groups     groups
		allocation allocation
		want       []string // providers of the groups in order; nil: no mapping
	}{
		{"equal groups go up", groups{fpga("p", 1), fpga("q", 1), fpga("r", 1)}, allocation{card("a", 1), card("b", 2)}, []string{"a", "b", "b"}},
		{"equal groups, full first provider", groups{fpga("p", 1), fpga("q", 1), fpga("r", 1)}, allocation{card("a", 2), card("b", 1)}, []string{"a", "a", "b"}},
		{"order of the allocation, not of names", groups{fpga("p", 1), fpga("q", 1)}, allocation{card("z", 1), card("a", 1)}, []string{"z", "a"}},
		{"first group takes the first that lets the others be", groups{fpga("p", 2), fpga("q", 3), fpga("r", 1)}, allocation{card("a", 4), card("b", 2)}, []string{"b", "a", "a"}},
		{"exact fit before the first fit", groups{fpga("p", 1), fpga("q", 2)}, allocation{card("a", 2), card("b", 1)}, []string{"b", "a"}},
		{"two ways, the first group low", groups{fpga("p", 1), fpga("q", 2), fpga("r", 3)}, allocation{card("a", 3), card("b", 3)}, []string{"a", "a", "b"}},
		{"equal groups with another one between", groups{fpga("p", 1), fpga("q", 2), fpga("r", 1)}, allocation{card("a", 1), card("b", 3)}, []string{"a", "b", "b"}},
		{"equal amounts, a trait forces the earlier group up", groups{fpga("p", 1, "T"), fpga("q", 1)}, allocation{card("a", 1), card("b", 1, "T")}, []string{"b", "a"}},
		{"equal amounts, a trait forces the later group down", groups{fpga("p", 1), fpga("q", 1, "T")}, allocation{card("a", 1, "T"), card("b", 1)}, []string{"b", "a"}},
		{"provider without trait between equal ones", groups{fpga("p", 1, "T"), fpga("q", 1), fpga("r", 1, "T")}, allocation{card("a", 1, "T"), card("b", 1), card("c", 1, "T")}, []string{"a", "b", "c"}},
		{"two traits on one group", groups{fpga("p", 1, "T", "U"), fpga("q", 1, "T")}, allocation{card("a", 1, "T"), card("b", 1, "T", "U")}, []string{"b", "a"}},
		{"trait group without resources takes the first of its kind", groups{asks("numa", nil, "T"), fpga("p", 1)}, allocation{gives("root", amounts{"VCPU": 4}), gives("n0", nil, "T"), card("a", 1, "T")}, []string{"n0", "a"}},
		{"zero and one on one provider", groups{fpga("p", 0), fpga("q", 1)}, allocation{card("a", 1)}, []string{"a", "a"}},
		{"zero takes the first that has the class", groups{fpga("p", 0), fpga("q", 1)}, allocation{gives("root", amounts{"VCPU": 1}), card("a", 0), card("b", 1)}, []string{"a", "b"}},
		{"classes of one group stay together", groups{asks("p", amounts{"FPGA": 1, "MEM": 2}), asks("q", amounts{"FPGA": 1, "MEM": 1})}, allocation{gives("a", amounts{"FPGA": 1, "MEM": 1}), gives("b", amounts{"FPGA": 1, "MEM": 2})}, []string{"b", "a"}},
		{"each class alone fits, together none", groups{asks("p", amounts{"FPGA": 1, "MEM": 2}), asks("q", amounts{"FPGA": 2, "MEM": 1})}, allocation{gives("a", amounts{"FPGA": 1, "MEM": 1}), gives("b", amounts{"FPGA": 2, "MEM": 2})}, nil},
		{"leftover in a class that only the first group has", groups{asks("p", amounts{"FPGA": 1}), asks("q", nil, "T")}, allocation{card("a", 2, "T")}, nil},
		{"leftover on a provider that serves nothing", groups{fpga("p", 1)}, allocation{card("a", 1), card("b", 1)}, nil},
		{"leftover on one is missing on the other", groups{fpga("p", 2), fpga("q", 2)}, allocation{card("a", 3), card("b", 1)}, nil},
		{"more providers than groups", groups{fpga("p", 2), fpga("q", 2)}, allocation{card("a", 2), card("b", 1), card("c", 1)}, nil},
		{"classes that no group asks for do not count", groups{fpga("p", 1)}, allocation{gives("root", amounts{"VCPU": 3, "DISK_GB": 9}), gives("a", amounts{"FPGA": 1, "VCPU": 2})}, []string{"a"}},
		{"highest amounts", groups{fpga("p", math.MaxInt64), fpga("q", math.MaxInt64)}, allocation{card("a", math.MaxInt64), card("b", math.MaxInt64)}, []string{"a", "b"}},
		{"three on one, one on three", groups{fpga("p", 3), fpga("q", 1), fpga("r", 1), fpga("s", 1)}, allocation{card("a", 3), card("b", 3)}, []string{"a", "b", "b", "b"}},
		{"two traits against each other", groups{fpga("p", 1, "T"), fpga("q", 1, "T")}, allocation{card("a", 1, "T"), card("b", 1)}, nil},
		{"groups without a provider at all", groups{fpga("p", 0)}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := requestspec.Match(t.Context(), tc.groups, tc.allocation, nil)
			if tc.want == nil {
				require.ErrorIs(t, err, requestspec.ErrNoMapping)
				return
			}
			require.NoError(t, err)
			want := map[string][]string{}
			for i, group := range tc.groups {
				want[group.Suffix] = []string{tc.want[i]}
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestMatchNamesWhatDoesNotSumUp(t *testing.T) {
	t.Parallel()
	groups := []requestspec.Group{asks("p", amounts{"FPGA": 2, "MEM": math.MaxInt64}), asks("q", amounts{"FPGA": 1, "MEM": math.MaxInt64})}
	_, err := requestspec.Match(t.Context(), groups, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 4})}, nil)
	require.ErrorContains(t, err, "the providers are allocated 4 FPGA together, the groups take 3")
	_, err = requestspec.Match(t.Context(), groups, []requestspec.ProviderAllocation{gives("a", amounts{"FPGA": 3, "MEM": 7})}, nil)
	require.ErrorContains(t, err, "allocated 7 MEM together, the groups take 18446744073709551614")
}

func TestMatchRefusesAmbiguousInput(t *testing.T) {
	t.Parallel()
	one := []requestspec.Group{asks("p", amounts{"FPGA": 1})}
	card := gives("a", amounts{"FPGA": 1})
	for _, tc := range []struct {
		name       string
		groups     []requestspec.Group
		allocation []requestspec.ProviderAllocation
		want       error
		text       string
	}{
		{"suffix twice", append(one, asks("p", amounts{"FPGA": 1})), []requestspec.ProviderAllocation{card}, requestspec.ErrSuffixConflict, "group p: two groups have this suffix"},
		{"provider twice", one, []requestspec.ProviderAllocation{card, card}, requestspec.ErrNoMapping, "the allocation lists provider a twice"},
		{"group takes less than nothing", []requestspec.Group{asks("p", amounts{"FPGA": -1})}, []requestspec.ProviderAllocation{card}, requestspec.ErrAmount, "group p: the group takes -1 FPGA"},
		{"provider is allocated less than nothing", one, []requestspec.ProviderAllocation{card, gives("b", amounts{"FPGA": -1})}, requestspec.ErrAmount, "provider b is allocated -1 FPGA"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, mappings := range []map[string][]string{nil, {"p": {"a"}}} {
				got, err := requestspec.Match(t.Context(), tc.groups, tc.allocation, mappings)
				require.ErrorIs(t, err, tc.want)
				require.ErrorContains(t, err, tc.text)
				assert.Nil(t, got)
			}
		})
	}
}

// hopeless is a search without end: very different amounts of many groups that nearly make four equal sums.
func hopeless() ([]requestspec.Group, []requestspec.ProviderAllocation) {
	var groups []requestspec.Group
	var total int64
	for i := range 40 {
		n := int64(1_000_003 + 7919*i*i + i*i*i*31)
		groups = append(groups, asks(requestspec.RequesterID(i, ""), amounts{"FPGA": n}))
		total += n
	}
	allocation := []requestspec.ProviderAllocation{gives("rest", amounts{"FPGA": total - 3*(total/4)})}
	for i := range 3 {
		allocation = append(allocation, gives(fmt.Sprint("rp", i), amounts{"FPGA": total / 4}))
	}
	return groups, allocation
}

// Two unsuffixed groups cannot be matched, which is said before that they have one suffix.
func TestMatchSaysNotSupportedFirst(t *testing.T) {
	t.Parallel()
	groups := []requestspec.Group{asks("", amounts{"VCPU": 1}), asks("", amounts{"FPGA": 1})}
	allocation := []requestspec.ProviderAllocation{gives("a", amounts{"VCPU": 1, "FPGA": 1})}
	_, err := requestspec.Match(t.Context(), groups, allocation, nil)
	assert.Equal(t, "not_supported", requestspec.Code(err))
	_, err = requestspec.Match(t.Context(), groups, nil, map[string][]string{"": {"a"}})
	assert.Equal(t, "suffix_conflict", requestspec.Code(err))
}

func TestMatchGivesUp(t *testing.T) {
	t.Parallel()
	groups, allocation := hopeless()
	_, err := requestspec.Match(t.Context(), groups, allocation, nil)
	require.ErrorIs(t, err, requestspec.ErrSearchLimit)
	require.ErrorContains(t, err, "ask Placement with microversion 1.34")
	assert.Equal(t, "search_limit", requestspec.Code(err))
}

func TestMatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	groups, allocation := manyGroups(3)
	_, err := requestspec.Match(ctx, groups, allocation, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, ok := errors.AsType[*requestspec.Error](err)
	assert.True(t, ok)

	_, err = requestspec.Match(&endingContext{Context: t.Context(), checks: 3}, groups, allocation, nil)
	require.NoError(t, err, "a short search looks at its context rarely")
	groups, allocation = hopeless()
	_, err = requestspec.Match(&endingContext{Context: t.Context(), checks: 3}, groups, allocation, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "in the middle of a search")
}

// endingContext ends after some checks.
type endingContext struct {
	context.Context
	checks int
}

func (c *endingContext) Err() error {
	if c.checks--; c.checks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestSearchOfManyGroupsEnds checks cases that an enumeration would never finish: 16 groups over 16 providers.
func TestSearchOfManyGroupsEnds(t *testing.T) {
	t.Parallel()
	groups, allocation := manyGroups(16)
	got, err := requestspec.Match(t.Context(), groups, allocation, nil)
	require.NoError(t, err)
	assert.Len(t, got, 16)

	// One trait that no two providers can share makes it impossible, which shows only at the end.
	groups[14].Required, groups[15].Required = []string{"LAST"}, []string{"LAST"}
	allocation[0].Traits = append(allocation[0].Traits, "LAST")
	_, err = requestspec.Match(t.Context(), groups, allocation, nil)
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
