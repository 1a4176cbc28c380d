package placement

import (
	"context"
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
func mapping(ctx context.Context, taken []requestspec.ProviderAllocation, given map[string][]string, q question) (map[string][]string, error) {
	if given != nil {
		return requestspec.Match(ctx, q.request.Groups, taken, given)
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
	return requestspec.Match(ctx, groups, withLacks(taken, lacks), nil)
}

// withLacks makes what a provider must lack a trait of those that lack it: the matcher knows no forbidden traits.
func withLacks(taken []requestspec.ProviderAllocation, lacks map[string]string) []requestspec.ProviderAllocation {
	marked := slices.Clone(taken)
	for i, t := range taken {
		traits := slices.Clip(t.Traits)
		for trait, lack := range lacks {
			if !slices.Contains(t.Traits, trait) {
				traits = append(traits, lack)
			}
		}
		marked[i].Traits = traits
	}
	return marked
}
