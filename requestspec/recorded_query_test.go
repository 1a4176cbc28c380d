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

	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

func TestRecordedQueriesLenient(t *testing.T) {
	t.Parallel()
	cases := readCases[casefile.Query](t, "requestspec-cases.jsonl")
	require.Len(t, cases, 150)
	for _, tc := range cases {
		t.Run(tc.ID, func(t *testing.T) {
			t.Parallel()
			request, err := tc.Input.Build(casefile.Lenient)
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
func recorded(request *requestspec.Request) []casefile.ExpectedGroup {
	groups := make([]casefile.ExpectedGroup, 0, len(request.Groups))
	for _, g := range request.Groups {
		group := casefile.ExpectedGroup{
			Suffix: g.Suffix, Resources: map[string]json.Number{}, Required: g.Required, Forbidden: g.Forbidden,
			Aggregates: g.Aggregates, ForbiddenAggregates: g.ForbiddenAggregates, InTree: g.InTree,
		}
		for class := range g.Resources {
			group.Resources[class] = json.Number(request.Digits(g.Suffix, class))
		}
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b casefile.ExpectedGroup) int { return strings.Compare(a.Suffix, b.Suffix) })
	return groups
}
