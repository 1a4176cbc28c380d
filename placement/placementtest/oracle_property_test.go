package placementtest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCandidatesAgainstOracle holds the server against an oracle, on small forests with everything in them that the API knows:
// every answer keeps to the rules, none is missing, none comes twice, and the summaries are right.
func TestCandidatesAgainstOracle(t *testing.T) {
	t.Parallel()
	answered := 0
	rapid.Check(t, func(rt *rapid.T) {
		_, a := newAPI(t)
		o := drawOracle(rt)
		a.loadNodes(o)
		for range 25 {
			q := o.draw(rt)
			want := o.answers(t, q)
			answered += min(len(want), 1)
			got := a.at(fmt.Sprintf("1.%d", q.minor)).must(http.MethodGet, "/allocation_candidates?"+q.query(), nil)
			var shown []obj
			var texts []string
			for _, request := range items(t, got.json["allocation_requests"]) {
				shown = append(shown, object(t, request))
				texts = append(texts, answerText(t, object(t, request)))
			}
			slices.Sort(texts)
			if q.limit > 0 && q.limit < len(want) {
				require.Len(t, texts, q.limit, "%s", q.query())
				want = slices.DeleteFunc(want, func(text string) bool { return !slices.Contains(texts, text) })
			}
			require.Empty(rt, cmp.Diff(want, texts), "1.%d %s (-want +got)", q.minor, q.query())
			summaries := object(t, got.json["provider_summaries"])
			require.Empty(rt, cmp.Diff(o.summaries(t, q.minor, shown), sortTraits(t, summaries)), "1.%d %s", q.minor, q.query())
		}
	})
	require.Positive(t, answered, "no question had an answer")
}

// answerText is an allocation request of the server with its lists in order.
func answerText(t *testing.T, request obj) string {
	t.Helper()
	for suffix, uuids := range request {
		if suffix != "mappings" {
			continue
		}
		for suffix, list := range object(t, uuids) {
			var sorted []string
			for _, uuid := range items(t, list) {
				sorted = append(sorted, fmt.Sprint(uuid))
			}
			slices.Sort(sorted)
			object(t, uuids)[suffix] = sorted
		}
	}
	b, err := json.Marshal(request)
	require.NoError(t, err)
	return string(b)
}

// sortTraits puts the traits of summaries in order.
func sortTraits(t *testing.T, summaries obj) obj {
	t.Helper()
	for _, summary := range summaries {
		slices.SortFunc(items(t, object(t, summary)["traits"]), func(a, b any) int {
			return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
		})
	}
	return summaries
}

// What the forests are made of.
var (
	oracleClasses    = []string{"FPGA", "PGPU", "VCPU"}
	oracleTraits     = []string{"CUSTOM_A", "CUSTOM_B"}
	oracleAggregates = []string{aggregateA, "00000000-0000-4000-8000-00000000bbbb"}
)

// rarely is true once in n times.
func rarely(rt *rapid.T, what string, n int) bool { return rapid.IntRange(1, n).Draw(rt, what) == n }

// drawSome gives some of a list, in order.
func drawSome[T any](rt *rapid.T, what string, from []T, n int) []T {
	var out []T
	for _, v := range from {
		if rarely(rt, what, n) {
			out = append(out, v)
		}
	}
	return out
}

// drawOracle makes up to six providers, in trees of any shape.
func drawOracle(rt *rapid.T) oracle {
	var o oracle
	for i := range rapid.IntRange(2, 6).Draw(rt, "providers") {
		n := &node{
			uuid: fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i), has: map[string]stock{}, used: map[string]int{},
			traits: drawSome(rt, "trait", oracleTraits, 2), aggregates: drawSome(rt, "aggregate", oracleAggregates, 3),
		}
		if i > 0 && !rarely(rt, "new tree", 3) {
			n.parent = rapid.SampledFrom(o.nodes).Draw(rt, "parent")
		}
		if rarely(rt, "sharing", 4) {
			n.traits = append(n.traits, "MISC_SHARES_VIA_AGGREGATE")
			n.aggregates = oracleAggregates[:rapid.IntRange(1, 2).Draw(rt, "of")]
		}
		for _, class := range drawSome(rt, "class", oracleClasses, 2) {
			n.has[class], n.used[class] = drawStock(rt)
		}
		o.nodes = append(o.nodes, n)
	}
	return o
}

// drawStock makes an inventory, with odd units now and then, and how much of it is used.
func drawStock(rt *rapid.T) (s stock, used int) {
	s = stock{total: rapid.IntRange(1, 6).Draw(rt, "total"), minUnit: 1, maxUnit: 6, stepSize: 1, ratio: 1}
	if rarely(rt, "odd reserve", 4) {
		s.reserved = rapid.IntRange(1, s.total).Draw(rt, "reserved")
	}
	if rarely(rt, "odd least", 5) {
		s.minUnit = 2
	}
	if rarely(rt, "odd most", 4) {
		s.maxUnit = rapid.IntRange(1, 2).Draw(rt, "most")
	}
	if rarely(rt, "odd step", 5) {
		s.stepSize = 2
	}
	if rarely(rt, "odd ratio", 4) {
		s.ratio = rapid.SampledFrom([]float64{0.5, 1.5, 2}).Draw(rt, "ratio")
	}
	room := int(float64(s.total-s.reserved) * s.ratio)
	if rarely(rt, "in use", 3) && min(room, s.maxUnit) >= s.minUnit {
		used = rapid.IntRange(s.minUnit, min(room, s.maxUnit)).Draw(rt, "used")
	}
	return s, used - used%s.stepSize
}

// loadNodes makes the server hold a forest.
func (a api) loadNodes(o oracle) {
	a.t.Helper()
	for _, trait := range oracleTraits {
		a.must(http.MethodPut, "/traits/"+trait, nil)
	}
	for _, n := range o.nodes {
		p := treeProvider{UUID: n.uuid, Name: n.uuid, Traits: n.traits, Aggregates: n.aggregates, Inventories: map[string]obj{}}
		if n.parent != nil {
			p.Parent = &n.parent.uuid
		}
		for class, s := range n.has {
			p.Inventories[class] = obj{
				"total": s.total, "reserved": s.reserved, "min_unit": s.minUnit, "max_unit": s.maxUnit, "step_size": s.stepSize,
				"allocation_ratio": s.ratio,
			}
		}
		a.loadProvider(p)
		used := maps.Clone(n.used)
		maps.DeleteFunc(used, func(_ string, amount int) bool { return amount == 0 })
		if len(used) > 0 {
			a.must(http.MethodPut, "/allocations/"+n.uuid, obj{
				"allocations": obj{n.uuid: obj{"resources": used}}, "project_id": "p", "user_id": "u", "consumer_generation": nil,
				"consumer_type": "INSTANCE",
			})
		}
	}
}

// draw makes a question: mostly of the newest microversion, otherwise of 1.28, before providers were nested.
func (o oracle) draw(rt *rapid.T) question {
	q := question{minor: 39, isolate: rapid.Bool().Draw(rt, "isolate")}
	suffixes := []string{"", "1", "2"}
	if rarely(rt, "old", 5) {
		q.minor = 28
	} else if rapid.Bool().Draw(rt, "names") {
		suffixes = []string{"", "_A", "_B"}
	}
	suffixes = suffixes[rapid.IntRange(0, 1).Draw(rt, "plain"):]
	suffixes = suffixes[:rapid.IntRange(1, len(suffixes)).Draw(rt, "groups")]
	for _, suffix := range suffixes {
		q.wishes = append(q.wishes, o.drawWish(rt, suffix, q.minor))
	}
	if q.minor == 39 {
		o.drawWide(rt, &q)
	}
	if rarely(rt, "limited", 6) {
		q.limit = rapid.IntRange(1, 3).Draw(rt, "limit")
	}
	return q
}

// drawWish makes one group.
func (o oracle) drawWish(rt *rapid.T, suffix string, minor int) wish {
	w := wish{suffix: suffix, resources: map[string]int{}}
	for range rapid.IntRange(1, 2).Draw(rt, "classes") {
		w.resources[rapid.SampledFrom(oracleClasses).Draw(rt, "class")] = (rapid.IntRange(1, 6).Draw(rt, "amount") + 2) / 3
	}
	newest := minor == 39
	if rarely(rt, "required", 4) {
		w.required = drawLists(rt, "required trait", oracleTraits, newest)
	}
	if rarely(rt, "forbidden", 5) {
		w.forbidden = without(drawSome(rt, "forbidden trait", oracleTraits, 2), w.required)
	}
	if rarely(rt, "member", 4) {
		w.memberOf = drawLists(rt, "member of", oracleAggregates, true)
	}
	if newest && rarely(rt, "no member", 5) {
		w.notMember = oracleAggregates[rapid.IntRange(0, 1).Draw(rt, "not of"):][:1]
	}
	if newest && rarely(rt, "in tree", 8) {
		w.inTree = rapid.SampledFrom(o.nodes).Draw(rt, "tree of")
	}
	return w
}

// drawLists makes one or two lists; without the form in: they have one name each and are different.
func drawLists(rt *rapid.T, what string, from []string, several bool) [][]string {
	if !several {
		return [][]string{{rapid.SampledFrom(from).Draw(rt, what)}}
	}
	var out [][]string
	for range rapid.IntRange(1, 2).Draw(rt, what+", lists") {
		out = append(out, from[rapid.IntRange(0, 1).Draw(rt, what):][:1])
		if rapid.Bool().Draw(rt, what+", any") {
			out[len(out)-1] = from
		}
	}
	return out
}

// without drops names that lists have.
func without(names []string, lists [][]string) []string {
	all := slices.Concat(lists...)
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(all, name) })
}

// drawWide makes what is about the question as a whole, and takes the resources from a group that hangs together with another.
func (o oracle) drawWide(rt *rapid.T, q *question) {
	if rarely(rt, "root required", 6) {
		q.rootRequired = oracleTraits[:1]
	}
	if rarely(rt, "root forbidden", 6) {
		q.rootForbidden = oracleTraits[1:]
	}
	var named []string
	for _, w := range q.wishes {
		if w.suffix != "" {
			named = append(named, w.suffix)
		}
	}
	if len(named) == 0 || rapid.Bool().Draw(rt, "anywhere") {
		return
	}
	q.subtrees = append(q.subtrees, named)
	if len(q.wishes) > 1 && rapid.Bool().Draw(rt, "no resources") {
		last := &q.wishes[len(q.wishes)-1]
		clear(last.resources)
		if rapid.Bool().Draw(rt, "a tree that does not matter") {
			last.inTree = rapid.SampledFrom(o.nodes).Draw(rt, "tree of")
		}
		if len(last.query()) == 0 {
			last.required = [][]string{oracleTraits[:1]}
		}
	}
}

// query writes a question as a query string.
func (q question) query() string {
	parts := []string{"group_policy=none"}
	if q.isolate {
		parts[0] = "group_policy=isolate"
	}
	for _, w := range q.wishes {
		parts = append(parts, w.query()...)
	}
	root := slices.Clone(q.rootRequired)
	for _, trait := range q.rootForbidden {
		root = append(root, "!"+trait)
	}
	if len(root) > 0 {
		parts = append(parts, "root_required="+strings.Join(root, ","))
	}
	for _, together := range q.subtrees {
		parts = append(parts, "same_subtree="+strings.Join(together, ","))
	}
	if q.limit > 0 {
		parts = append(parts, fmt.Sprintf("limit=%d", q.limit))
	}
	return strings.Join(parts, "&")
}

// query writes a group's parameters.
func (w wish) query() []string {
	var parts, amounts []string
	for _, class := range sortedKeys(w.resources) {
		amounts = append(amounts, fmt.Sprintf("%s:%d", class, w.resources[class]))
	}
	if len(amounts) > 0 {
		parts = append(parts, "resources"+w.suffix+"="+strings.Join(amounts, ","))
	}
	var simple []string
	for _, trait := range w.forbidden {
		simple = append(simple, "!"+trait)
	}
	for _, traits := range w.required {
		if len(traits) > 1 {
			parts = append(parts, "required"+w.suffix+"=in:"+strings.Join(traits, ","))
		} else {
			simple = append(simple, traits[0])
		}
	}
	if len(simple) > 0 {
		parts = append(parts, "required"+w.suffix+"="+strings.Join(simple, ","))
	}
	for _, aggregates := range w.memberOf {
		parts = append(parts, "member_of"+w.suffix+"=in:"+strings.Join(aggregates, ","))
	}
	if len(w.notMember) > 0 {
		parts = append(parts, "member_of"+w.suffix+"=!in:"+strings.Join(w.notMember, ","))
	}
	if w.inTree != nil {
		parts = append(parts, "in_tree"+w.suffix+"="+w.inTree.uuid)
	}
	return parts
}

// sortedKeys gives the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
