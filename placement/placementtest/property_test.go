package placementtest_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCandidateCanBeClaimed is the property that matters: what the server offers meets the request, and can be claimed as it is.
func TestCandidateCanBeClaimed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		_, a := newAPI(t)
		forest := drawForest(rt)
		a.load(forest)
		var owned []any
		for _, p := range forest.Providers {
			if slices.Contains(p.Traits, "OWNER_CYBORG") {
				owned = append(owned, p.UUID)
			}
		}
		groups := rapid.IntRange(1, 3).Draw(rt, "groups")
		policy := rapid.SampledFrom([]string{"none", "isolate"}).Draw(rt, "policy")
		parts := []string{"group_policy=" + policy}
		wanted, traited := map[string]int{}, map[string]bool{}
		for g := range groups {
			class, n := rapid.SampledFrom(forestClasses).Draw(rt, "class"), rapid.IntRange(1, 2).Draw(rt, "amount")
			wanted[class] += n
			parts = append(parts, fmt.Sprintf("resources%d=%s:%d", g+1, class, n))
			if rapid.Bool().Draw(rt, "traited") {
				parts = append(parts, fmt.Sprintf("required%d=OWNER_CYBORG", g+1))
				traited[strconv.Itoa(g+1)] = true
			}
		}
		query := strings.Join(parts, "&")
		limit := rapid.IntRange(1, 20).Draw(rt, "limit")
		all := items(t, a.must(http.MethodGet, "/allocation_candidates?"+query, nil).json["allocation_requests"])
		few := items(t, a.must(http.MethodGet, fmt.Sprintf("/allocation_candidates?%s&limit=%d", query, limit), nil).json["allocation_requests"])
		require.Len(t, few, min(limit, len(all)))
		for _, request := range few {
			for suffix := range traited {
				require.Contains(t, owned, items(t, object(t, object(t, request)["mappings"])[suffix])[0], "group %s wants an owner", suffix)
			}
			checkCandidate(t, a, object(t, request), wanted, policy == "isolate")
		}
	})
}

var forestClasses = []string{"FPGA", "PGPU"}

// drawForest makes a few trees of a root with children.
func drawForest(rt *rapid.T) treeFile {
	var f treeFile
	for h := range rapid.IntRange(1, 3).Draw(rt, "hosts") {
		root := fmt.Sprintf("00000000-0000-4000-8000-0000000%d0000", h)
		f.Providers = append(f.Providers, treeProvider{UUID: root, Name: root})
		for d := range rapid.IntRange(0, 3).Draw(rt, "devices") {
			uuid := fmt.Sprintf("00000000-0000-4000-8000-0000000%d000%d", h, d+1)
			p := treeProvider{UUID: uuid, Name: uuid, Parent: &root, Inventories: map[string]obj{}}
			for _, class := range forestClasses {
				if total := rapid.IntRange(0, 4).Draw(rt, "total"); total > 0 {
					p.Inventories[class] = obj{"total": total, "max_unit": rapid.IntRange(1, 4).Draw(rt, "max")}
				}
			}
			if rapid.Bool().Draw(rt, "owned") {
				p.Traits = []string{"OWNER_CYBORG"}
			}
			f.Providers = append(f.Providers, p)
		}
	}
	return f
}

// checkCandidate sums a candidate up, looks at who serves the groups, and claims it.
func checkCandidate(t *testing.T, a api, request obj, wanted map[string]int, isolate bool) {
	t.Helper()
	got := map[string]int{}
	for _, allocation := range object(t, request["allocations"]) {
		for class, n := range object(t, object(t, allocation)["resources"]) {
			amount, ok := n.(float64)
			require.True(t, ok)
			got[class] += int(amount)
		}
	}
	require.Equal(t, wanted, got)
	var serving []string
	for _, uuids := range object(t, request["mappings"]) {
		list := items(t, uuids)
		require.Len(t, list, 1)
		serving = append(serving, fmt.Sprint(list[0]))
	}
	slices.Sort(serving)
	if isolate {
		require.Len(t, slices.Compact(slices.Clone(serving)), len(serving))
	}
	maps.Copy(request, obj{"project_id": "p", "user_id": "u", "consumer_generation": nil, "consumer_type": "INSTANCE"})
	a.must(http.MethodPut, "/allocations/"+consumerX, request)
	a.must(http.MethodDelete, "/allocations/"+consumerX, nil)
}
