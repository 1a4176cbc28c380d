package functional_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/placement"
)

// candidateTrees are provider trees as files write them; a parent stands before its children.
type candidateTrees []candidateProvider

// candidateProvider is one provider. Parent and aggregates are names or uuids.
type candidateProvider struct {
	UUID        string                         `json:"uuid"` // made from the name when empty
	Name        string                         `json:"name"`
	Parent      string                         `json:"parent"`
	Inventories map[string]placement.Inventory `json:"inventories"`
	Traits      []string                       `json:"traits"`
	Aggregates  []string                       `json:"aggregates"`
	// Usages are allocations that exist before the questions, of one consumer with the provider's uuid.
	Usages map[string]int64 `json:"usages"`
}

// identify gives the uuid for a name; a uuid stands for itself.
func identify(name string) string {
	if name == "" || uuid.Validate(name) == nil {
		return name
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String()
}

func (p candidateProvider) id() string { return cmp.Or(p.UUID, identify(p.Name)) }

// load makes a service hold the trees, by the client that deployments use.
func (c candidateTrees) load(t *testing.T, s side) {
	t.Helper()
	client, err := placement.New(t.Context(), placement.WithEndpoint(s.base), placement.WithToken(s.token))
	require.NoError(t, err)
	_, err = client.Report(t.Context(), placement.Tree{Providers: c.below("")}, nil)
	require.NoError(t, err)
	for _, p := range c {
		if len(p.Aggregates) > 0 {
			ids := make([]string, len(p.Aggregates))
			for i, name := range p.Aggregates {
				ids[i] = identify(name)
			}
			// Below 1.19 no generation is needed.
			got := s.ask(t, http.MethodPut, "/resource_providers/"+p.id()+"/aggregates", "1.18", ids)
			require.Equal(t, http.StatusOK, got.Status, "%v", got.Body)
		}
		if len(p.Usages) > 0 {
			_, err := client.Claim(t.Context(), placement.Consumer{UUID: p.id(), ProjectID: "before", UserID: "before"},
				placement.Candidate{Allocations: map[string]map[string]int64{p.id(): p.Usages}})
			require.NoError(t, err)
		}
	}
}

// below nests the providers under a parent.
func (c candidateTrees) below(parent string) []placement.TreeProvider {
	var out []placement.TreeProvider
	for _, p := range c {
		if identify(p.Parent) == parent {
			out = append(out, placement.TreeProvider{
				UUID: p.id(), Name: p.Name, Inventories: p.Inventories, Traits: p.Traits, Children: c.below(p.id()),
			})
		}
	}
	return out
}

// clear removes the trees and what is allocated from them.
func (c candidateTrees) clear(t *testing.T, s side) {
	t.Helper()
	for _, p := range slices.Backward(c) {
		if len(p.Usages) > 0 {
			got := s.ask(t, http.MethodDelete, "/allocations/"+p.id(), "1.39", nil)
			require.Equal(t, http.StatusNoContent, got.Status, "%v", got.Body)
		}
		got := s.ask(t, http.MethodDelete, "/resource_providers/"+p.id(), "1.39", nil)
		require.Equal(t, http.StatusNoContent, got.Status, "%v", got.Body)
	}
}

var inBraces = regexp.MustCompile(`\{[^{}]+\}`)

// withUUIDs replaces the names in a query.
func (candidateTrees) withUUIDs(query string) string {
	return inBraces.ReplaceAllStringFunc(query, func(name string) string { return identify(strings.Trim(name, "{}")) })
}

// withNames replaces the uuids of providers in a body, so that people can read it, and puts it in order.
func (c candidateTrees) withNames(t *testing.T, body any) any {
	t.Helper()
	var pairs []string
	for _, p := range c {
		pairs = append(pairs, p.id(), p.Name)
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	var out any
	require.NoError(t, json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(string(raw))), &out))
	return comparableForm(out)
}
