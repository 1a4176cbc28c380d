package requestspec

import "fmt"

const opMatch = "match groups to providers"

// ProviderAllocation is what a candidate or an allocation takes from one provider, and the provider's traits.
type ProviderAllocation struct {
	Provider  string
	Resources map[string]int64
	Traits    []string
}

// Match finds out which providers serve each group: the result maps a group's suffix to providers.
//
// With mappings (of an allocation request, Placement 1.34 and later) it looks the groups up, as
// nova/scheduler/utils.py:fill_provider_mapping does; a group without an entry is [ErrMappingMissing], entries for
// other suffixes are left out.
//
// With mappings == nil it searches. The allocation must then be exactly what the groups take, in each class that any
// group asks for. Of several assignments it returns the first in product order: providers in the order of allocation,
// the last group varying fastest. That is the one Nova's enumeration finds
// (nova/objects/request_spec.py:RequestSpec.map_requested_resources_to_providers), but the search leaves out what
// cannot succeed, and classes of all groups are checked for leftovers, not only of the last.
// There is none: [ErrNoMapping]. Unsuffixed groups, forbidden traits and aggregates are [ErrNotSupported], because the
// allocation does not say enough; use [Request.Suffixed].
//
// The result is verified against the allocation, if one is given: no provider serves more than it is allocated.
// The error is always an [*Error].
func Match(groups []Group, allocation []ProviderAllocation, mappings map[string][]string) (map[string][]string, error) {
	var result map[string][]string
	var err error
	if mappings != nil {
		result, err = lookup(groups, mappings)
	} else {
		result, err = search(groups, allocation)
	}
	if err == nil && allocation != nil {
		err = verify(groups, allocation, result)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

func lookup(groups []Group, mappings map[string][]string) (map[string][]string, error) {
	result := make(map[string][]string, len(groups))
	for _, group := range groups {
		providers, found := mappings[group.Suffix]
		if !found {
			return nil, matchError(group.Suffix, ErrMappingMissing, "the mappings have no entry for the group")
		}
		result[group.Suffix] = providers
	}
	return result, nil
}

// verify checks that every suffixed group has one provider, and that no provider serves more than it is allocated. What
// is left may belong to the unsuffixed group.
func verify(groups []Group, allocation []ProviderAllocation, result map[string][]string) error {
	left := make(map[string]map[string]int64, len(allocation))
	for _, a := range allocation {
		left[a.Provider] = a.Resources
	}
	served := map[[2]string]int64{}
	for _, group := range groups {
		if group.Suffix == "" {
			continue
		}
		if n := len(result[group.Suffix]); n != 1 {
			return matchError(group.Suffix, ErrNoMapping, fmt.Sprintf("the group has %d providers, it must have one", n))
		}
		provider := result[group.Suffix][0]
		for class, n := range group.Resources {
			place := [2]string{provider, class}
			// Never negative, because it starts at or above zero and each step is checked.
			if n > left[provider][class]-served[place] {
				return matchError(group.Suffix, ErrNoMapping,
					fmt.Sprintf("provider %s is allocated %d %s, the groups take more", provider, left[provider][class], class))
			}
			served[place] += n
		}
	}
	return nil
}

func matchError(suffix string, reason error, message string) error {
	where := "groups"
	if suffix != "" {
		where = "group " + suffix
	}
	return &Error{Op: opMatch, Findings: []Finding{{Where: where, Reason: reason, Message: message}}}
}
