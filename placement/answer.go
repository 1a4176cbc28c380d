package placement

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocationcandidates"
)

// sharingTrait marks a provider that serves other trees through an aggregate.
const sharingTrait = "MISC_SHARES_VIA_AGGREGATE"

// add takes over the answer to one question. Candidates that differ only in their mappings look the same in an answer
// without mappings: they are matched once.
func (c *Candidates) add(ctx context.Context, found *allocationcandidates.AllocationCandidates, q question) error {
	for uuid, summary := range found.ProviderSummaries {
		c.Summaries[uuid] = summaryOf(summary)
	}
	matched := make(seen)
	for _, request := range found.AllocationRequests {
		candidate := c.candidateOf(request)
		if q.filterRoot && !c.rootFits(candidate.RootProvider, q) || request.Mappings == nil && matched.before(candidate.Allocations) {
			continue
		}
		var err error
		candidate.Mapping, err = c.mapping(ctx, candidate, request.Mappings, q)
		switch {
		case ctx.Err() != nil:
			return wrap(getCandidates.name, context.Cause(ctx))
		case err != nil:
			c.LeftOut = append(c.LeftOut, &Error{
				Op: "the candidate on " + candidate.RootProvider, kind: ErrMapping, cause: err,
			})
		default:
			c.List = append(c.List, candidate)
		}
	}
	return nil
}

// usable fails if candidates were found and every one of them had to be left out.
func (c *Candidates) usable() error {
	if len(c.List) > 0 || len(c.LeftOut) == 0 {
		return nil
	}
	first := c.LeftOut[0]
	return &Error{Op: getCandidates.name, Detail: fmt.Sprintf("none of %d can be used: %v", len(c.LeftOut), first), cause: first}
}

// dedupe drops candidates that are the same as an earlier one.
func (c *Candidates) dedupe() {
	kept := make(seen)
	c.List = slices.DeleteFunc(c.List, func(candidate Candidate) bool { return kept.before(candidate) })
}

// seen remembers what came up.
type seen map[string]bool

// before tells whether an equal value came up before.
func (s seen) before(value any) bool {
	key, _ := json.Marshal(value) // maps of strings and numbers cannot fail, and keys are sorted
	known := s[string(key)]
	s[string(key)] = true
	return known
}

func (c *Candidates) candidateOf(request allocationcandidates.AllocationRequest) Candidate {
	candidate := Candidate{Allocations: make(map[string]map[string]int64, len(request.Allocations))}
	for provider, allocation := range request.Allocations {
		candidate.Allocations[provider] = amounts(allocation.Resources)
	}
	candidate.RootProvider = c.root(candidate.Allocations)
	return candidate
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
