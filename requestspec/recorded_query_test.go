package requestspec_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/novacyborg/novacyborg/requestspec"
)

// queryCase is one line of requestspec-cases.jsonl.
type queryCase struct {
	ID       string        `json:"id"`
	Kinds    []string      `json:"kinds"`
	Input    queryInput    `json:"input"`
	Expected queryExpected `json:"expected"`
}

type queryInput struct {
	Flavor   requestspec.Flavor    `json:"flavor"`
	Profiles []requestspec.Profile `json:"device_profiles"`
	Ports    []requestspec.Port    `json:"ports"`
	Image    struct {
		Properties map[string]string `json:"properties"`
	} `json:"image"`
	BootFromVolume bool                      `json:"boot_from_volume"`
	Destination    requestspec.Destination   `json:"destination"`
	ForceHosts     []string                  `json:"force_hosts"`
	ForceNodes     []string                  `json:"force_nodes"`
	ComputeNodes   []requestspec.ComputeNode `json:"compute_nodes"`
	Hints          map[string]any            `json:"scheduler_hints"`
	RootRequired   []string                  `json:"root_required"`
	RootForbidden  []string                  `json:"root_forbidden"`
	SameSubtree    [][]string                `json:"same_subtree"`
	Limit          int                       `json:"max_placement_results"`
}

type queryExpected struct {
	Query        string       `json:"query"`
	Error        string       `json:"error"`
	Groups       []queryGroup `json:"groups"`
	RequestedIDs []string     `json:"requested_ids"`
}

type queryGroup struct {
	Suffix              string                 `json:"suffix"`
	Resources           map[string]json.Number `json:"resources"`
	Required            []string               `json:"required"`
	Forbidden           []string               `json:"forbidden"`
	Aggregates          [][]string             `json:"aggregates"`
	ForbiddenAggregates []string               `json:"forbidden_aggregates"`
	InTree              string                 `json:"in_tree"`
}

// build does what the recorded Nova did: look the profiles up, then build.
func (in queryInput) build(opts ...requestspec.Option) (*requestspec.Request, error) {
	resolved, err := requestspec.Resolve(requestspec.Input{
		Flavor: in.Flavor, Ports: in.Ports, Image: in.Image.Properties, BootFromVolume: in.BootFromVolume,
		Destination: in.Destination, ForceHosts: in.ForceHosts, ForceNodes: in.ForceNodes, ComputeNodes: in.ComputeNodes,
		Hints: in.Hints, RootRequired: in.RootRequired, RootForbidden: in.RootForbidden, SameSubtree: in.SameSubtree,
		Limit: in.Limit,
	}, in.Profiles, opts...)
	if err != nil {
		return nil, err
	}
	return requestspec.Build(resolved, opts...)
}

func TestRecordedQueriesLenient(t *testing.T) {
	t.Parallel()
	cases := readLines[queryCase](t, "requestspec-cases.jsonl")
	require.Len(t, cases, 150)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			request, err := tc.Input.build(requestspec.Lenient())
			if tc.Expected.Error != "" {
				require.Error(t, err, "want %s", tc.Expected.Error)
				assert.Equal(t, tc.Expected.Error, requestspec.Code(err), "%v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.Expected.Query, request.Query())
			assert.Empty(t, cmp.Diff(tc.Expected.RequestedIDs, request.RequesterIDs(), cmpopts.EquateEmpty()))
			assert.Empty(t, cmp.Diff(tc.Expected.Groups, recorded(request), cmpopts.EquateEmpty()))
		})
	}
}

// recorded brings a request's groups into the form of the recorded file.
func recorded(request *requestspec.Request) []queryGroup {
	groups := make([]queryGroup, 0, len(request.Groups))
	for _, g := range request.Groups {
		group := queryGroup{
			Suffix: g.Suffix, Resources: map[string]json.Number{}, Required: g.Required, Forbidden: g.Forbidden,
			Aggregates: g.Aggregates, ForbiddenAggregates: g.ForbiddenAggregates, InTree: g.InTree,
		}
		for class := range g.Resources {
			group.Resources[class] = json.Number(request.Digits(g.Suffix, class))
		}
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b queryGroup) int { return strings.Compare(a.Suffix, b.Suffix) })
	return groups
}
