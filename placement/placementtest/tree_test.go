package placementtest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// treeFile is a set of provider trees as testdata and the shared inputs write it.
type treeFile struct {
	Providers []treeProvider `json:"providers"`
}

// treeProvider is one provider; a parent stands before its children.
type treeProvider struct {
	UUID        string         `json:"uuid"`
	Name        string         `json:"name"`
	Parent      *string        `json:"parent"`
	Inventories map[string]obj `json:"inventories"`
	Traits      []string       `json:"traits"`
	Aggregates  []string       `json:"aggregates"`
	Usages      map[string]int `json:"usages"`
}

// load makes a set of trees by API calls, as a deployment would.
func (a api) load(f treeFile) {
	a.t.Helper()
	for _, p := range f.Providers {
		a.loadProvider(p)
	}
	for _, p := range f.Providers {
		if len(p.Usages) > 0 {
			a.must(http.MethodPut, "/allocations/"+uuid.NewString(), obj{
				"allocations": obj{p.UUID: obj{"resources": p.Usages}},
				"project_id":  "before", "user_id": "before", "consumer_generation": nil, "consumer_type": "INSTANCE",
			})
		}
	}
}

func (a api) loadProvider(p treeProvider) {
	a.t.Helper()
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": p.UUID, "name": p.Name, "parent_provider_uuid": p.Parent})
	if p.Inventories == nil {
		p.Inventories = map[string]obj{}
	}
	for class := range p.Inventories {
		if strings.HasPrefix(class, "CUSTOM_") {
			a.must(http.MethodPut, "/resource_classes/"+class, nil)
		}
	}
	for _, trait := range p.Traits {
		if strings.HasPrefix(trait, "CUSTOM_") {
			a.must(http.MethodPut, "/traits/"+trait, nil)
		}
	}
	path := "/resource_providers/" + p.UUID
	a.must(http.MethodPut, path+"/inventories", obj{"resource_provider_generation": 0, "inventories": p.Inventories})
	a.must(http.MethodPut, path+"/traits", obj{"resource_provider_generation": 1, "traits": orEmpty(p.Traits)})
	generation := 1
	if len(p.Traits) > 0 {
		generation = 2
	}
	a.must(http.MethodPut, path+"/aggregates", obj{"resource_provider_generation": generation, "aggregates": orEmpty(p.Aggregates)})
}

func orEmpty(s []string) []string { return append([]string{}, s...) }

// normalized puts an answer about candidates into a form in which equal sets are equal values: requests sorted, lists sorted.
func normalized(t testing.TB, body map[string]any) map[string]any {
	t.Helper()
	requests, ok := body["allocation_requests"].([]any)
	require.True(t, ok)
	for _, r := range requests {
		mappings, _ := object(t, r)["mappings"].(obj)
		for _, providers := range mappings {
			sortTexts(providers)
		}
	}
	slices.SortFunc(requests, func(x, y any) int { return strings.Compare(canonical(t, x), canonical(t, y)) })
	summaries, ok := body["provider_summaries"].(obj)
	require.True(t, ok)
	for _, s := range summaries {
		sortTexts(object(t, s)["traits"])
	}
	return body
}

func sortTexts(v any) {
	texts, _ := v.([]any)
	slices.SortFunc(texts, func(x, y any) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
}
