package placementtest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// stock is what a node has of one class.
type stock struct {
	total, reserved, minUnit, maxUnit, stepSize int
	ratio                                       float64
}

// node is a provider as the oracle knows it.
type node struct {
	uuid       string
	parent     *node
	has        map[string]stock
	used       map[string]int
	traits     []string
	aggregates []string
}

// root is the top of the node's tree.
func (n *node) root() *node {
	if n.parent == nil {
		return n
	}
	return n.parent.root()
}

// isAbove tells whether the node is another one or above it.
func (n *node) isAbove(other *node) bool {
	return other != nil && (n == other || n.isAbove(other.parent))
}

// fits is the rule for one amount from one provider.
func (n *node) fits(class string, amount int) bool {
	s, ok := n.has[class]
	return ok && n.hasRoom(class, amount) && amount >= s.minUnit && amount <= s.maxUnit && amount%s.stepSize == 0
}

// hasRoom tells whether so much is free.
func (n *node) hasRoom(class string, amount int) bool {
	s := n.has[class]
	return float64(n.used[class]+amount) <= float64(s.total-s.reserved)*s.ratio
}

// wish is one group of a question.
type wish struct {
	suffix    string
	resources map[string]int
	// required and memberOf ask for one of each list.
	required, memberOf   [][]string
	forbidden, notMember []string
	inTree               *node
}

// question is a question about candidates.
type question struct {
	minor                       int
	wishes                      []wish
	isolate                     bool
	rootRequired, rootForbidden []string
	subtrees                    [][]string
	limit                       int
}

// oracle answers questions by trying every provider for everything, and looking at the rules afterwards. It shares nothing with the
// server: neither code nor the way to search.
type oracle struct{ nodes []*node }

// pool is who can take part under an anchor: the tree, and the sharing providers that have an aggregate in common with any of it.
func (o oracle) pool(anchor *node) []*node {
	var pool []*node
	for _, n := range o.nodes {
		if n.root() == anchor || slices.Contains(n.traits, "MISC_SHARES_VIA_AGGREGATE") && o.sharesWith(n, anchor) {
			pool = append(pool, n)
		}
	}
	return pool
}

func (o oracle) sharesWith(n, anchor *node) bool {
	return slices.ContainsFunc(o.nodes, func(m *node) bool { return m.root() == anchor && anyIn(m.aggregates, n.aggregates) })
}

// answers gives all answers to a question but its limit, each as a text, in order; below 1.34 two may look alike.
func (o oracle) answers(t *testing.T, q question) []string {
	t.Helper()
	full := map[string]string{}
	for _, anchor := range o.nodes {
		if anchor.parent != nil || !allIn(q.rootRequired, anchor.traits) || anyIn(q.rootForbidden, anchor.traits) {
			continue
		}
		pool := o.pool(anchor)
		for serving := range assignments(q, pool) {
			if q.holds(anchor, serving) {
				full[q.text(t, serving, true)] = q.text(t, serving, q.minor >= 34)
			}
		}
	}
	var out []string
	for _, shown := range full {
		out = append(out, shown)
	}
	slices.Sort(out)
	return out
}

// assignments gives every way to have providers of a pool serve the wishes: the plain one class by class, any other one whole.
func assignments(q question, pool []*node) func(yield func([][]*node) bool) {
	return func(yield func([][]*node) bool) {
		serving := make([][]*node, len(q.wishes))
		var fill func(at int) bool
		fill = func(at int) bool {
			if at == len(q.wishes) {
				return yield(serving)
			}
			if len(serving[at]) == q.wishes[at].places() {
				return fill(at + 1)
			}
			for _, n := range pool {
				serving[at] = append(serving[at], n)
				if !fill(at) {
					return false
				}
				serving[at] = serving[at][:len(serving[at])-1]
			}
			return true
		}
		fill(0)
	}
}

// places is how many providers a wish picks.
func (w wish) places() int {
	if w.suffix == "" {
		return len(w.resources)
	}
	return 1
}

// holds goes through all rules of an answer.
func (q question) holds(anchor *node, serving [][]*node) bool {
	for i, w := range q.wishes {
		if w.suffix == "" && !w.heldTogether(anchor, serving[i]) || w.suffix != "" && !w.heldAlone(serving[i][0]) {
			return false
		}
	}
	return q.policyHolds(serving) && q.subtreesHold(serving) && q.sumsFit(serving) && (q.minor >= 29 || onePerTree(serving))
}

// heldAlone is the rule for a group with a suffix.
func (w wish) heldAlone(n *node) bool {
	for class, amount := range w.resources {
		if !n.fits(class, amount) {
			return false
		}
	}
	if len(w.resources) == 0 && len(w.required) == 0 && len(w.memberOf) == 0 {
		return false
	}
	if len(w.resources) > 0 && w.inTree != nil && n.root() != w.inTree.root() {
		return false
	}
	return oneOfEach(w.required, n.traits) && !anyIn(w.forbidden, n.traits) &&
		oneOfEach(w.memberOf, n.aggregates) && !anyIn(w.notMember, n.aggregates)
}

// heldTogether is the rule for the plain group, whose classes come from one provider each.
func (w wish) heldTogether(anchor *node, serving []*node) bool {
	var traits []string
	for i, class := range sortedKeys(w.resources) {
		n := serving[i]
		traits = append(traits, n.traits...)
		lent := n.root() == anchor && oneOfEach(w.memberOf, anchor.aggregates)
		if !n.fits(class, w.resources[class]) || !lent && !oneOfEach(w.memberOf, n.aggregates) {
			return false
		}
		if anyIn(w.notMember, n.aggregates) || w.inTree != nil && n.root() != w.inTree.root() {
			return false
		}
	}
	if w.inTree != nil && anchor != w.inTree.root() {
		return false
	}
	return oneOfEach(w.required, traits) && !anyIn(w.forbidden, traits) && !anyIn(w.notMember, anchor.aggregates)
}

// policyHolds is the rule of group_policy.
func (q question) policyHolds(serving [][]*node) bool {
	seen := map[*node]bool{}
	for i, w := range q.wishes {
		if w.suffix != "" && q.isolate {
			if seen[serving[i][0]] {
				return false
			}
			seen[serving[i][0]] = true
		}
	}
	return true
}

// subtreesHold is the rule of same_subtree.
func (q question) subtreesHold(serving [][]*node) bool {
	for _, suffixes := range q.subtrees {
		var together []*node
		for i, w := range q.wishes {
			if slices.Contains(suffixes, w.suffix) {
				together = append(together, serving[i]...)
			}
		}
		if !slices.ContainsFunc(together, func(top *node) bool {
			return !slices.ContainsFunc(together, func(n *node) bool { return !top.isAbove(n) })
		}) {
			return false
		}
	}
	return true
}

// sumsFit is the rule for what several groups take from one provider.
func (q question) sumsFit(serving [][]*node) bool {
	for n, classes := range q.taken(serving) {
		for class, sum := range classes {
			if !n.hasRoom(class, sum) || sum > n.has[class].maxUnit {
				return false
			}
		}
	}
	return true
}

// taken sums up what is taken from whom.
func (q question) taken(serving [][]*node) map[*node]map[string]int {
	taken := map[*node]map[string]int{}
	for i, w := range q.wishes {
		for j, class := range sortedKeys(w.resources) {
			n := serving[i][0]
			if w.suffix == "" {
				n = serving[i][j]
			}
			if taken[n] == nil {
				taken[n] = map[string]int{}
			}
			taken[n][class] += w.resources[class]
		}
	}
	return taken
}

// onePerTree is the rule before providers were nested.
func onePerTree(serving [][]*node) bool {
	byRoot := map[*node]*node{}
	for _, n := range slices.Concat(serving...) {
		if other, ok := byRoot[n.root()]; ok && other != n {
			return false
		}
		byRoot[n.root()] = n
	}
	return true
}

// text is an answer as the API writes it, with lists in order.
func (q question) text(t *testing.T, serving [][]*node, mapped bool) string {
	t.Helper()
	allocations := obj{}
	for n, classes := range q.taken(serving) {
		allocations[n.uuid] = obj{"resources": classes}
	}
	out := obj{"allocations": allocations}
	if mapped {
		mappings := map[string][]string{}
		for i, w := range q.wishes {
			for _, n := range serving[i] {
				mappings[w.suffix] = append(mappings[w.suffix], n.uuid)
			}
			slices.Sort(mappings[w.suffix])
			mappings[w.suffix] = slices.Compact(mappings[w.suffix])
		}
		out["mappings"] = mappings
	}
	b, err := json.Marshal(out)
	require.NoError(t, err)
	return string(b)
}

// summaries are what the answer to a question says about providers, given the answers that are shown.
func (o oracle) summaries(t *testing.T, minor int, shown []obj) obj {
	t.Helper()
	out := obj{}
	for _, n := range o.nodes {
		used := slices.ContainsFunc(shown, func(answer obj) bool {
			return slices.ContainsFunc(o.nodes, func(giver *node) bool {
				_, gives := object(t, answer["allocations"])[giver.uuid]
				return gives && (giver == n || minor >= 29 && giver.root() == n.root())
			})
		})
		if used {
			out[n.uuid] = n.summary(minor)
		}
	}
	return out
}

// summary is what an answer says about a provider, from 1.27 on.
func (n *node) summary(minor int) obj {
	resources := obj{}
	for class, s := range n.has {
		resources[class] = obj{
			"capacity": float64(int(float64(s.total-s.reserved) * s.ratio)), "used": float64(n.used[class]),
		}
	}
	traits := []any{}
	for _, trait := range slices.Sorted(slices.Values(n.traits)) {
		traits = append(traits, trait)
	}
	out := obj{"resources": resources, "traits": traits}
	if minor >= 29 {
		out["root_provider_uuid"], out["parent_provider_uuid"] = n.root().uuid, nil
		if n.parent != nil {
			out["parent_provider_uuid"] = n.parent.uuid
		}
	}
	return out
}

// anyIn tells whether any of the names is in a list.
func anyIn(names, list []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
}

// allIn tells whether all of the names are in a list.
func allIn(names, list []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(list, name) })
}

// oneOfEach tells whether of each list of names one is in a list.
func oneOfEach(lists [][]string, list []string) bool {
	return !slices.ContainsFunc(lists, func(names []string) bool { return !anyIn(names, list) })
}
