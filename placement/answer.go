package placement

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/novacyborg/novacyborg/requestspec"
)

// sharingTrait marks a provider that serves other trees through an aggregate.
const sharingTrait = "MISC_SHARES_VIA_AGGREGATE"

// candidatesAnswer is what Placement sends for a question, in types that nothing has to be copied out of.
type candidatesAnswer struct {
	Requests  []allocationRequest        `json:"allocation_requests"`
	Summaries map[string]ProviderSummary `json:"provider_summaries"`
}

// allocationRequest is a candidate there.
type allocationRequest struct {
	Allocations map[string]resources `json:"allocations"`
	// Mappings is nil below microversion 1.34.
	Mappings map[string][]string `json:"mappings"`
}

type resources struct {
	Resources map[string]int64 `json:"resources"`
}

// add takes over the answer to one question. Candidates that differ only in their mappings look the same in an answer
// without mappings: they are matched once.
func (c *Candidates) add(ctx context.Context, found *candidatesAnswer, q question) error {
	matched := make(seen)
	c.List = slices.Grow(c.List, len(found.Requests))
	for _, request := range found.Requests {
		candidate := Candidate{Allocations: make(map[string]map[string]int64, len(request.Allocations))}
		for provider, from := range request.Allocations {
			candidate.Allocations[provider] = from.Resources
		}
		taken := c.taken(candidate)
		candidate.RootProvider = root(taken, c.Summaries)
		if q.filterRoot && !c.rootFits(candidate.RootProvider, q) || request.Mappings == nil && matched.before(candidate.Allocations) {
			continue
		}
		var err error
		candidate.Mapping, err = mapping(ctx, taken, request.Mappings, q)
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

// taken puts a candidate in the matcher's words, sorted by provider: Placement's own order is lost in JSON.
func (c *Candidates) taken(candidate Candidate) []requestspec.ProviderAllocation {
	taken := make([]requestspec.ProviderAllocation, 0, len(candidate.Allocations))
	for provider, resources := range candidate.Allocations {
		taken = append(taken, requestspec.ProviderAllocation{
			Provider: provider, Resources: resources, Traits: c.Summaries[provider].Traits,
		})
	}
	slices.SortFunc(taken, func(a, b requestspec.ProviderAllocation) int { return strings.Compare(a.Provider, b.Provider) })
	return taken
}

// root returns the root of the tree that the providers of an allocation are in. Sharing providers are of other trees;
// they count only if there is nothing else.
func root(taken []requestspec.ProviderAllocation, summaries map[string]ProviderSummary) string {
	if len(taken) == 0 {
		return ""
	}
	own := max(slices.IndexFunc(taken, func(t requestspec.ProviderAllocation) bool { return !slices.Contains(t.Traits, sharingTrait) }), 0)
	return summaries[taken[own].Provider].Root
}

// rootFits does what root_required does on servers that know it.
func (c *Candidates) rootFits(root string, q question) bool {
	traits := c.Summaries[root].Traits
	has := func(trait string) bool { return slices.Contains(traits, trait) }
	return !slices.ContainsFunc(q.request.RootForbidden, has) &&
		!slices.ContainsFunc(q.request.RootRequired, func(trait string) bool { return !has(trait) })
}
