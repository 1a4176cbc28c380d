package placementtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSubtreeIsAFilter compares the answers with same_subtree, whose search cuts dead ends, with those of the answers without it
// that hang together.
func TestSubtreeIsAFilter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		_, a := newAPI(t)
		f, above := drawDeepTree(rt)
		a.load(f)
		together := rapid.SampledFrom([][]string{{"_A", "_B"}, {"_A", "_C"}, {"_C", "_B"}, {"_A", "_B", "_C"}}).Draw(rt, "together")
		parts := []string{"/allocation_candidates?group_policy=none"}
		for _, suffix := range []string{"_A", "_B", "_C"} {
			parts = append(parts, "resources"+suffix+"="+rapid.SampledFrom(forestClasses).Draw(rt, "class")+":1")
		}
		query := strings.Join(parts, "&")
		var want []string
		for _, mapping := range mappings(t, a, query) {
			if hangTogether(t, above, mapping, together) {
				want = append(want, text(t, mapping))
			}
		}
		var got []string
		for _, mapping := range mappings(t, a, query+"&same_subtree="+strings.Join(together, ",")) {
			got = append(got, text(t, mapping))
		}
		require.ElementsMatch(t, want, got)
	})
}

// drawDeepTree makes one tree of any shape and tells, per provider, who is above it, itself included.
func drawDeepTree(rt *rapid.T) (treeFile, map[string][]string) {
	var f treeFile
	above := map[string][]string{}
	for i := range rapid.IntRange(1, 6).Draw(rt, "providers") {
		uuid := fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i)
		p := treeProvider{UUID: uuid, Name: uuid, Inventories: map[string]obj{}}
		above[uuid] = []string{uuid}
		if i > 0 {
			parent := f.Providers[rapid.IntRange(0, i-1).Draw(rt, "parent")].UUID
			p.Parent = &parent
			above[uuid] = append(above[uuid], above[parent]...)
		}
		if class := rapid.SampledFrom(append([]string{""}, forestClasses...)).Draw(rt, "has"); class != "" {
			p.Inventories[class] = obj{"total": 2}
		}
		f.Providers = append(f.Providers, p)
	}
	return f, above
}

// mappings asks for candidates and gives who serves which group in each.
func mappings(t *testing.T, a api, query string) []obj {
	t.Helper()
	var out []obj
	for _, request := range items(t, a.must(http.MethodGet, query, nil).json["allocation_requests"]) {
		out = append(out, object(t, object(t, request)["mappings"]))
	}
	return out
}

// hangTogether tells whether one of some groups has a provider that is above, or is, those of all of them.
func hangTogether(t *testing.T, above map[string][]string, mapping obj, suffixes []string) bool {
	t.Helper()
	tops := map[string]int{}
	for _, suffix := range suffixes {
		for _, uuid := range above[fmt.Sprint(items(t, mapping[suffix])[0])] {
			tops[uuid]++
		}
	}
	for _, suffix := range suffixes {
		if tops[fmt.Sprint(items(t, mapping[suffix])[0])] == len(suffixes) {
			return true
		}
	}
	return false
}

// text is a mapping in a form that compares.
func text(t *testing.T, mapping obj) string {
	t.Helper()
	b, err := json.Marshal(mapping)
	require.NoError(t, err)
	return string(b)
}
