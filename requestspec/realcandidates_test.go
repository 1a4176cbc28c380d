package requestspec_test

import (
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// realCandidate is an allocation request of a recorded answer of Placement.
type realCandidate struct {
	Allocations map[string]struct{ Resources amounts }
	Mappings    map[string][]string
}

// groupsOfQuery reads the groups' suffixes, resources and traits from a query.
func groupsOfQuery(t *testing.T, query string) []requestspec.Group {
	t.Helper()
	values, err := url.ParseQuery(query)
	require.NoError(t, err)
	groups := map[string]*requestspec.Group{}
	group := func(suffix string) *requestspec.Group {
		if groups[suffix] == nil {
			groups[suffix] = &requestspec.Group{Suffix: suffix, Resources: amounts{}}
		}
		return groups[suffix]
	}
	for key, texts := range values {
		if suffix, ok := strings.CutPrefix(key, "resources"); ok {
			for part := range strings.SplitSeq(texts[0], ",") {
				class, amount, _ := strings.Cut(part, ":")
				group(suffix).Resources[class], err = strconv.ParseInt(amount, 10, 64)
				require.NoError(t, err)
			}
		} else if suffix, ok := strings.CutPrefix(key, "required"); ok {
			for trait := range strings.SplitSeq(strings.Join(texts, ","), ",") {
				if name, forbidden := strings.CutPrefix(trait, "!"); forbidden {
					group(suffix).Forbidden = append(group(suffix).Forbidden, name)
				} else {
					group(suffix).Required = append(group(suffix).Required, name)
				}
			}
		}
	}
	var list []requestspec.Group
	for _, suffix := range slices.Sorted(maps.Keys(groups)) {
		list = append(list, *groups[suffix])
	}
	return list
}

// TestRealCandidates checks the mappings of every recorded answer of Placement against its allocations, one unit more
// is refused, and the search finds the provider of each suffixed group where the allocation says enough.
func TestRealCandidates(t *testing.T) {
	t.Parallel()
	for name, content := range realInputs(t, "allocation_candidates") {
		var file struct {
			Query    string
			Status   int
			Response struct {
				Requests  []realCandidate                      `json:"allocation_requests"`
				Summaries map[string]struct{ Traits []string } `json:"provider_summaries"`
			}
		}
		if err := json.Unmarshal(content, &file); err != nil || file.Status != 200 {
			continue // a tree, or an answer without candidates
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			groups := groupsOfQuery(t, file.Query)
			for _, candidate := range file.Response.Requests {
				var allocation []requestspec.ProviderAllocation
				for _, provider := range slices.Sorted(maps.Keys(candidate.Allocations)) {
					allocation = append(allocation, gives(provider, candidate.Allocations[provider].Resources, file.Response.Summaries[provider].Traits...))
				}
				checkRealCandidate(t, groups, allocation, candidate.Mappings)
			}
		})
	}
}

func checkRealCandidate(t *testing.T, groups []requestspec.Group, allocation []requestspec.ProviderAllocation, mappings map[string][]string) {
	t.Helper()
	got, err := requestspec.Match(t.Context(), groups, allocation, mappings)
	require.NoError(t, err)
	assert.Equal(t, mappings, got)

	suffixed := slices.DeleteFunc(slices.Clone(groups), func(g requestspec.Group) bool { return g.Suffix == "" })
	_, err = requestspec.Match(t.Context(), suffixed, allocation, mappings)
	require.NoError(t, err)
	searchable := !slices.ContainsFunc(suffixed, func(g requestspec.Group) bool {
		return len(g.Forbidden) > 0 || len(g.Resources) == 0 || sharesClass(g, groups)
	})
	if _, err := requestspec.Match(t.Context(), suffixed, allocation, nil); searchable {
		require.NoError(t, err)
	} else {
		require.True(t, errors.Is(err, requestspec.ErrNotSupported) || errors.Is(err, requestspec.ErrNoMapping), "%v", err)
	}

	for class := range allocation[0].Resources {
		allocation[0].Resources[class]++
		_, err = requestspec.Match(t.Context(), groups, allocation, mappings)
		require.ErrorIs(t, err, requestspec.ErrNoMapping)
		allocation[0].Resources[class]--
	}
}

// sharesClass reports whether the unsuffixed group asks for a class of group.
func sharesClass(group requestspec.Group, groups []requestspec.Group) bool {
	return slices.ContainsFunc(groups, func(g requestspec.Group) bool {
		return g.Suffix == "" && slices.ContainsFunc(slices.Collect(maps.Keys(g.Resources)), func(class string) bool {
			_, found := group.Resources[class]
			return found
		})
	})
}
