package requestspec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// mappingCase is one line of mapping-cases.jsonl.
type mappingCase struct {
	ID    string   `json:"id"`
	Kinds []string `json:"kinds"`
	Input struct {
		Allocation []struct {
			Provider  string           `json:"rp"`
			Resources map[string]int64 `json:"resources"`
			Traits    []string         `json:"traits"`
		} `json:"allocation"`
		Groups []struct {
			ID         string           `json:"id"`
			Resources  map[string]int64 `json:"resources"`
			Required   []string         `json:"required"`
			Forbidden  []string         `json:"forbidden"`
			Aggregates [][]string       `json:"aggregates"`
			Suffixed   *bool            `json:"suffixed"`
		} `json:"groups"`
	} `json:"input"`
	Expected struct {
		Mapping map[string][]string `json:"mapping"`
		Error   string              `json:"error"`
	} `json:"expected"`
}

func (c mappingCase) arguments() ([]requestspec.Group, []requestspec.ProviderAllocation) {
	var groups []requestspec.Group
	for _, g := range c.Input.Groups {
		suffix := g.ID
		if g.Suffixed != nil && !*g.Suffixed {
			suffix = ""
		}
		groups = append(groups, requestspec.Group{
			Suffix: suffix, Resources: g.Resources, Required: g.Required,
			Forbidden: g.Forbidden, Aggregates: g.Aggregates,
		})
	}
	var allocation []requestspec.ProviderAllocation
	for _, a := range c.Input.Allocation {
		allocation = append(allocation, requestspec.ProviderAllocation{Provider: a.Provider, Resources: a.Resources, Traits: a.Traits})
	}
	return groups, allocation
}

func TestRecordedMappingsBySearch(t *testing.T) {
	t.Parallel()
	cases := readLines[mappingCase](t, "mapping-cases.jsonl")
	require.Len(t, cases, 60)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			groups, allocation := tc.arguments()
			mapping, err := requestspec.Match(groups, allocation, nil)
			if tc.Expected.Error != "" {
				require.Error(t, err)
				assert.Equal(t, tc.Expected.Error, requestspec.Code(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.Expected.Mapping, mapping)
		})
	}
}

func TestRecordedMappingsByLookup(t *testing.T) {
	t.Parallel()
	cases := readLines[struct {
		ID    string `json:"id"`
		Input struct {
			GroupIDs []string            `json:"group_ids"`
			Mappings map[string][]string `json:"mappings"`
		} `json:"input"`
		Expected struct {
			Mapping map[string][]string `json:"mapping"`
			Error   string              `json:"error"`
		} `json:"expected"`
	}](t, "mapping-by-mappings-cases.jsonl")
	require.Len(t, cases, 20)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			var groups []requestspec.Group
			for _, id := range tc.Input.GroupIDs {
				groups = append(groups, requestspec.Group{Suffix: id})
			}
			mapping, err := requestspec.Match(groups, nil, tc.Input.Mappings)
			if tc.Expected.Error == "mapping_missing" {
				require.ErrorIs(t, err, requestspec.ErrMappingMissing)
				assert.Equal(t, tc.Expected.Error, requestspec.Code(err))
				return
			}
			require.NoError(t, err)
			if tc.Expected.Mapping != nil {
				assert.Equal(t, tc.Expected.Mapping, mapping)
			}
		})
	}
}
