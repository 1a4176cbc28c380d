package placementtest_test

import (
	"net/http"
	"strings"
)

// treeFile is a set of provider trees as testdata writes it.
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
}

// load makes a set of trees by API calls, as a deployment would.
func (a api) load(f treeFile) {
	a.t.Helper()
	for _, p := range f.Providers {
		a.loadProvider(p)
	}
}

func (a api) loadProvider(p treeProvider) {
	a.t.Helper()
	a.must(http.MethodPost, "/resource_providers", obj{"uuid": p.UUID, "name": p.Name, "parent_provider_uuid": p.Parent})
	if p.Inventories == nil {
		p.Inventories = map[string]obj{}
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
