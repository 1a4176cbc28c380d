package placement

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocationcandidates"
)

// sharingTrait marks a provider that serves other trees through an aggregate.
const sharingTrait = "MISC_SHARES_VIA_AGGREGATE"

// add takes over the answer to one question.
func (c *Candidates) add(found *allocationcandidates.AllocationCandidates, q question) error {
	for uuid, summary := range found.ProviderSummaries {
		c.Summaries[uuid] = summaryOf(summary)
	}
	for _, request := range found.AllocationRequests {
		candidate, err := c.candidateOf(request, q)
		if err != nil {
			return err
		}
		if !q.filterRoot || c.rootFits(candidate.RootProvider, q) {
			c.List = append(c.List, candidate)
		}
	}
	return nil
}

// dedupe drops candidates that are the same as an earlier one.
func (c *Candidates) dedupe() {
	seen := make(map[string]bool, len(c.List))
	c.List = slices.DeleteFunc(c.List, func(candidate Candidate) bool {
		key, _ := json.Marshal(candidate) // maps of strings and numbers cannot fail, and keys are sorted
		defer func() { seen[string(key)] = true }()
		return seen[string(key)]
	})
}

func (c *Candidates) candidateOf(request allocationcandidates.AllocationRequest, q question) (Candidate, error) {
	candidate := Candidate{Allocations: make(map[string]map[string]int64, len(request.Allocations))}
	for provider, allocation := range request.Allocations {
		candidate.Allocations[provider] = amounts(allocation.Resources)
	}
	candidate.RootProvider = c.root(candidate.Allocations)
	mapping, err := c.mapping(candidate, request.Mappings, q)
	candidate.Mapping = mapping
	return candidate, err
}

// root returns the root of the tree that the providers of an allocation are in. Sharing providers are of other trees;
// they count only if there is nothing else.
func (c *Candidates) root(allocations map[string]map[string]int64) string {
	providers := slices.Sorted(maps.Keys(allocations))
	for _, provider := range providers {
		if !slices.Contains(c.Summaries[provider].Traits, sharingTrait) {
			return c.Summaries[provider].Root
		}
	}
	if len(providers) == 0 {
		return ""
	}
	return c.Summaries[providers[0]].Root
}

// rootFits does what root_required does on servers that know it.
func (c *Candidates) rootFits(root string, q question) bool {
	traits := c.Summaries[root].Traits
	has := func(trait string) bool { return slices.Contains(traits, trait) }
	return !slices.ContainsFunc(q.request.RootForbidden, has) &&
		!slices.ContainsFunc(q.request.RootRequired, func(trait string) bool { return !has(trait) })
}

func summaryOf(summary allocationcandidates.ProviderSummary) ProviderSummary {
	resources := make(map[string]Usage, len(summary.Resources))
	for class, use := range summary.Resources {
		resources[class] = Usage{Capacity: int64(use.Capacity), Used: int64(use.Used)}
	}
	return ProviderSummary{
		Resources: resources,
		Traits:    value(summary.Traits),
		Parent:    value(summary.ParentProviderUUID),
		Root:      value(summary.RootProviderUUID),
	}
}
