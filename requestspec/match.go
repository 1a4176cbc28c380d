package requestspec

import (
	"context"
	"fmt"
	"slices"
)

const opMatch = "match groups to providers"

// ProviderAllocation is what a candidate or an allocation takes from one provider, and the provider's traits.
type ProviderAllocation struct {
	Provider  string
	Resources map[string]int64
	Traits    []string
}

// Match finds out which providers serve each group: the result maps a group's suffix to providers. It is for answers of
// Placement that were read by other means; a candidate of package placement has the result as its Mapping already.
//
// With mappings (of an allocation request, Placement 1.34 and later) it looks the groups up, as
// nova/scheduler/utils.py:fill_provider_mapping does; a group without an entry is [ErrMappingMissing], entries for
// other suffixes are left out. If an allocation is given too, the mappings are checked against it: a suffixed group has
// one provider, each class of the unsuffixed group comes whole from one of its providers, and every provider is
// allocated exactly what its groups take, else [ErrNoMapping] with the provider, the class and both amounts. A provider
// that the mappings also name for groups which are not given may be allocated more.
//
// With mappings == nil it searches. The allocation must then be exactly what the groups take, in each class that any
// group asks for. Of several assignments it returns the first in product order: providers in the order of allocation,
// the last group varying fastest. That is the one Nova's enumeration finds
// (nova/objects/request_spec.py:RequestSpec.map_requested_resources_to_providers), but the search leaves out what
// cannot succeed, and classes of all groups are checked for leftovers, not only of the last.
// There is none: [ErrNoMapping]. Unsuffixed groups, forbidden traits and aggregates are [ErrNotSupported], because the
// allocation does not say enough; use [Request.Suffixed].
//
// Amounts that add up in very many ways can make any search long. This one does a fixed amount of work (about a
// second) and takes some tens of megabytes at most, then it is [ErrSearchLimit]: ask Placement with microversion 1.34 for
// the mappings. The same input always takes the same steps. When ctx ends, a search ends with the error of ctx; nothing else looks at
// it.
//
// Two groups of one suffix are [ErrSuffixConflict], and negative amounts [ErrAmount]; what cannot be searched at all is
// said first. The error is always an [*Error].
func Match(ctx context.Context, groups []Group, allocation []ProviderAllocation, mappings map[string][]string) (map[string][]string, error) {
	if mappings == nil {
		if err := checkSearchable(groups); err != nil {
			return nil, err
		}
	}
	if err := checkMatchInput(groups, allocation); err != nil {
		return nil, err
	}
	if mappings == nil {
		return search(ctx, groups, allocation)
	}
	result, err := lookup(groups, mappings)
	if err == nil && allocation != nil {
		err = verify(groups, allocation, mappings)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// checkMatchInput refuses what would make the sums ambiguous.
func checkMatchInput(groups []Group, allocation []ProviderAllocation) error {
	suffixes := map[string]bool{}
	for _, group := range groups {
		if suffixes[group.Suffix] {
			return matchError(group.Suffix, ErrSuffixConflict, "two groups have this suffix")
		}
		suffixes[group.Suffix] = true
		if class, found := negative(group.Resources); found {
			return matchError(group.Suffix, ErrAmount, fmt.Sprintf("the group takes %d %s, which is below zero", group.Resources[class], class))
		}
	}
	providers := map[string]bool{}
	for _, a := range allocation {
		if providers[a.Provider] {
			return matchError("", ErrNoMapping, fmt.Sprintf("the allocation lists provider %s twice", a.Provider))
		}
		providers[a.Provider] = true
		if class, found := negative(a.Resources); found {
			return matchError("", ErrAmount, fmt.Sprintf("provider %s is allocated %d %s, which is below zero", a.Provider, a.Resources[class], class))
		}
	}
	return nil
}

// negative is the first class, by name, with an amount below zero.
func negative(resources map[string]int64) (first string, found bool) {
	for class, n := range resources {
		if n < 0 && (!found || class < first) {
			first, found = class, true
		}
	}
	return first, found
}

func lookup(groups []Group, mappings map[string][]string) (map[string][]string, error) {
	result := make(map[string][]string, len(groups))
	for _, group := range groups {
		providers, found := mappings[group.Suffix]
		if !found {
			return nil, matchError(group.Suffix, ErrMappingMissing, "the mappings have no entry for the group")
		}
		result[group.Suffix] = slices.Clone(providers)
	}
	return result, nil
}

func matchError(suffix string, reason error, message string) error {
	where := "groups"
	if suffix != "" {
		where = "group " + suffix
	}
	return &Error{Op: opMatch, Findings: []Finding{{Where: where, Reason: reason, Message: message}}}
}
