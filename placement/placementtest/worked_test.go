package placementtest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const aggregateA = "00000000-0000-4000-8000-00000000aaaa"

// workedQueries are questions over testdata/worked.json. In query, {name} stands for a provider's uuid. Want lists the requests:
// what the providers give, by name, and, after a bar, who serves which group where that is not plain from the names.
var workedQueries = []struct {
	name, version, query string
	status               int
	want                 []string
	summaries            string
}{
	{
		name: "plain group may use the sharing provider", query: "resources=VCPU:1,DISK_GB:10",
		want: []string{"cn1+ss", "cn2+ss", "cn2"}, summaries: "both ss",
	},
	{
		name: "the same, summaries before nesting", version: "1.28", query: "resources=VCPU:1,DISK_GB:10",
		want: []string{"cn1+ss", "cn2+ss", "cn2"}, summaries: "cn1 cn2 ss",
	},
	{name: "no two providers of a tree before nesting", version: "1.28", query: "resources=VCPU:1,PGPU:1"},
	{
		name: "a child alone before nesting", version: "1.28", query: "resources=PGPU:1",
		want: []string{"gpu0", "gpu1", "gpu2"}, summaries: "gpu0 gpu1 gpu2",
	},
	{
		name: "two accelerators and a plain group",
		query: "resources=VCPU:2,MEMORY_MB:1024&resources_F=FPGA:1&resources_G=PGPU:1&required_G=OWNER_CYBORG" +
			"&group_policy=none",
		want:      []string{"cn1+fpga0+gpu0", "cn1+fpga0+gpu1", "cn2+fpga2+gpu2", "cn2+fpga3+gpu2"},
		summaries: "both",
	},
	{
		name: "two groups of one class", query: "resources1=PGPU:1&resources2=PGPU:1&group_policy=none",
		want: []string{"gpu0+gpu1", "gpu0+gpu1", "gpu2"}, summaries: "both",
	},
	{
		name: "isolate", query: "resources1=PGPU:1&resources2=PGPU:1&group_policy=isolate",
		want: []string{"gpu0+gpu1", "gpu0+gpu1"}, summaries: "tree1",
	},
	{name: "one group of two", query: "resources1=PGPU:2", want: []string{"gpu2"}, summaries: "tree2"},
	{name: "an amount is never split", query: "resources=PGPU:2", want: []string{"gpu2"}, summaries: "tree2"},
	{name: "a trait on a provider that gives nothing", query: "resources=VCPU:1&required=CUSTOM_FPGA_INTEL"},
	{
		name: "traits of all givers together", query: "resources=VCPU:1,FPGA:1&required=CUSTOM_FPGA_INTEL",
		want: []string{"cn1+fpga0"}, summaries: "tree1",
	},
	{
		name: "same subtree by a group without resources",
		query: "required_N=HW_NUMA_ROOT&resources_F=FPGA:1&resources_G=PGPU:1&same_subtree=_N,_F,_G" +
			"&group_policy=none",
		want: []string{"fpga2+gpu2"}, summaries: "tree2",
	},
	{name: "siblings are no subtree", query: "resources_F=FPGA:1&resources_G=PGPU:1&same_subtree=_F,_G&group_policy=none"},
	{
		name: "root_required and sharing", query: "resources=DISK_GB:10&root_required=COMPUTE_NODE",
		want: []string{"ss", "cn2"}, summaries: "tree2 ss",
	},
	{name: "in_tree shuts out sharing", query: "resources=DISK_GB:10&in_tree={cn1}"},
	{
		name: "in_tree by an inner node", query: "resources=FPGA:1&in_tree={numa0}", want: []string{"fpga2", "fpga3"},
		summaries: "tree2",
	},
	{
		name: "the root lends its aggregate", query: "resources=FPGA:1&member_of=" + aggregateA,
		want: []string{"fpga0", "fpga2", "fpga3"}, summaries: "both",
	},
	{name: "but not to a group with a suffix", query: "resources1=FPGA:1&member_of1=" + aggregateA},
	{
		name: "all that is not reserved", query: "resources=MEMORY_MB:3584&in_tree={cn1}", want: []string{"cn1"},
		summaries: "tree1",
	},
	{name: "one more than that", query: "resources=MEMORY_MB:3585&in_tree={cn1}"},
	{name: "early end hides an unknown class", query: "resources=VCPU:999&resources_A=CUSTOM_NO:1"},
	{name: "an unknown class first", query: "resources_A=CUSTOM_NO:1&resources=VCPU:999", status: http.StatusBadRequest},
}

// treeSets spell out the summaries column.
var treeSets = map[string]string{
	"tree1": "cn1 fpga0 gpu0 gpu1",
	"tree2": "cn2 fpga2 fpga3 gpu2 numa0 numa1",
	"both":  "cn1 cn2 fpga0 fpga2 fpga3 gpu0 gpu1 gpu2 numa0 numa1",
}

// workedTree reads testdata/worked.json.
func workedTree(t testing.TB) treeFile {
	t.Helper()
	b, err := os.ReadFile("testdata/worked.json")
	require.NoError(t, err)
	var tree treeFile
	require.NoError(t, json.Unmarshal(b, &tree))
	return tree
}

func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	tree := workedTree(t)
	_, a := newAPI(t)
	a.load(tree)
	byUUID, toUUID := nameTables(tree)
	for _, test := range workedQueries {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := a.in(t).at(orLatest(test.version)).do(http.MethodGet, "/allocation_candidates?"+toUUID.Replace(test.query), nil)
			require.Equal(t, max(test.status, http.StatusOK), got.status, "%s", got.raw)
			if test.status != 0 {
				require.Equal(t, "placement.undefined_code", got.code(t))
				return
			}
			slices.Sort(test.want)
			require.Empty(t, cmp.Diff(test.want, givers(t, got, byUUID)))
			require.Equal(t, expand(test.summaries), summarized(t, got, byUUID))
		})
	}
}

// nameTables gives names by uuid, and a replacer of {name} by uuid.
func nameTables(tree treeFile) (map[string]string, *strings.Replacer) {
	byUUID := make(map[string]string)
	var pairs []string
	for _, p := range tree.Providers {
		byUUID[p.UUID] = p.Name
		pairs = append(pairs, "{"+p.Name+"}", p.UUID)
	}
	return byUUID, strings.NewReplacer(pairs...)
}

// givers writes each allocation request as its sorted providers.
func givers(t testing.TB, got answer, names map[string]string) []string {
	t.Helper()
	var out []string
	for _, r := range items(t, got.json["allocation_requests"]) {
		var each []string
		for uuid := range object(t, object(t, r)["allocations"]) {
			each = append(each, names[uuid])
		}
		slices.Sort(each)
		out = append(out, strings.Join(each, "+"))
	}
	slices.Sort(out)
	return out
}

func summarized(t testing.TB, got answer, names map[string]string) []string {
	t.Helper()
	out := []string{}
	for uuid := range object(t, got.json["provider_summaries"]) {
		out = append(out, names[uuid])
	}
	slices.Sort(out)
	return out
}

// expand turns the summaries column into sorted names.
func expand(column string) []string {
	all := map[string]struct{}{}
	for word := range strings.FieldsSeq(column) {
		text := word
		if set, ok := treeSets[word]; ok {
			text = set
		}
		for name := range strings.FieldsSeq(text) {
			all[name] = struct{}{}
		}
	}
	return slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(all))))
}

func items(t testing.TB, v any) []any {
	t.Helper()
	list, ok := v.([]any)
	require.True(t, ok, "%v", v)
	return list
}

func object(t testing.TB, v any) obj {
	t.Helper()
	o, ok := v.(obj)
	require.True(t, ok, "%v", v)
	return o
}

// TestMappings checks who serves which group, a group without resources included.
func TestMappings(t *testing.T) {
	t.Parallel()
	tree := workedTree(t)
	_, a := newAPI(t)
	a.load(tree)
	byUUID, _ := nameTables(tree)
	got := a.must(http.MethodGet, "/allocation_candidates?required_N=HW_NUMA_ROOT&resources_F=FPGA:1&resources_G=PGPU:1"+
		"&same_subtree=_N,_F,_G&group_policy=none&resources=VCPU:1,MEMORY_MB:512", nil)
	requests := items(t, got.json["allocation_requests"])
	require.Len(t, requests, 1)
	named := map[string]string{}
	for suffix, uuids := range object(t, object(t, requests[0])["mappings"]) {
		for _, uuid := range items(t, uuids) {
			named[suffix] += byUUID[fmt.Sprint(uuid)]
		}
	}
	require.Equal(t, map[string]string{"": "cn2", "_N": "numa0", "_F": "fpga2", "_G": "gpu2"}, named)
}
