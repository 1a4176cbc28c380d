package placement

import (
	"context"
	"maps"
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// Provider returns the uuid of the one provider that serves the group of a requester id. It fails with ErrMapping when
// the candidate names none or several. Nova takes the first of the list: nova/scheduler/utils.py:fill_provider_mapping.
// To bind ARQs use cyborgclient.Match with Candidate.Mapping, which does this for each of them.
func (c Candidate) Provider(requesterID string) (string, error) {
	providers := c.Mapping[requesterID]
	if len(providers) != 1 {
		return "", refuse(ErrMapping, "find the provider of group "+requesterID, "the candidate names %d providers", len(providers))
	}
	return providers[0], nil
}

// mapping returns which providers serve which group: as Placement says it, if that adds up to what the candidate takes,
// or from microversions that do not say it as requestspec.Match finds it.
func (c *Candidates) mapping(ctx context.Context, candidate Candidate, given *map[string][]string, q question) (map[string][]string, error) {
	if given != nil {
		return requestspec.Match(ctx, q.request.Groups, c.providerAllocations(candidate, nil), *given)
	}
	groups := q.request.Suffixed()
	lacks := make(map[string]string)
	for i, group := range groups {
		for _, trait := range group.Forbidden {
			lacks[trait] = "!" + trait
			groups[i].Required = append(slices.Clip(groups[i].Required), lacks[trait])
		}
		groups[i].Forbidden = nil
	}
	return requestspec.Match(ctx, groups, c.providerAllocations(candidate, lacks), nil)
}

// providerAllocations puts a candidate in the matcher's words, sorted by provider: Placement's own order is lost in
// JSON. The matcher knows no forbidden traits, so that what a provider must lack becomes a trait of those that lack it.
func (c *Candidates) providerAllocations(candidate Candidate, lacks map[string]string) []requestspec.ProviderAllocation {
	taken := make([]requestspec.ProviderAllocation, 0, len(candidate.Allocations))
	for _, provider := range slices.Sorted(maps.Keys(candidate.Allocations)) {
		traits := slices.Clip(c.Summaries[provider].Traits)
		for trait, lack := range lacks {
			if !slices.Contains(c.Summaries[provider].Traits, trait) {
				traits = append(traits, lack)
			}
		}
		taken = append(taken, requestspec.ProviderAllocation{
			Provider: provider, Resources: candidate.Allocations[provider], Traits: traits,
		})
	}
	return taken
}
