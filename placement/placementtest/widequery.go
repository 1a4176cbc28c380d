package placementtest

import (
	"slices"
	"strconv"
	"strings"
)

// candidatesQuery is the whole question of GET /allocation_candidates.
type candidatesQuery struct {
	groups []*group
	// places is where each group stands, by suffix.
	places map[string]int
	minor  int
	// limit is the largest number of answers; 0 for all.
	limit   int
	isolate bool
	// root is what the root of the tree must have, and must not.
	root traitRule
	// contested are the classes that more than one group asks for.
	contested set[string]
	// subtrees are the sets of suffixes whose providers must hang together.
	subtrees [][]string
}

// parseCandidates reads and checks a query. Mirrors RequestWideParams.from_request and RequestGroup.dict_from_request of
// placement/lib.py, and the check on group_policy in placement/handlers/allocation_candidate.py.
func parseCandidates(q query, minor int) (*candidatesQuery, *fault) {
	if f := q.check(candidatesSchema(minor)); f != nil {
		return nil, f
	}
	c := &candidatesQuery{minor: minor}
	if f := c.readWide(q); f != nil {
		return nil, f
	}
	var f *fault
	if c.groups, f = parseGroups(q, minor); f != nil {
		return nil, f
	}
	c.places = make(map[string]int, len(c.groups))
	for i, g := range c.groups {
		c.places[g.suffix] = i
	}
	if f := c.checkGroups(); f != nil {
		return nil, f
	}
	c.findContested()
	policies := q.all("group_policy")
	if c.suffixed() > 1 && len(policies) == 0 {
		return nil, badRequest("The \"group_policy\" parameter is required when specifying more than one \"resources{N}\" parameter.")
	}
	c.isolate = len(policies) > 0 && policies[0] == "isolate"
	return c, nil
}

func (c *candidatesQuery) findContested() {
	c.contested = make(set[string])
	asked := make(set[string])
	for _, g := range c.groups {
		for _, a := range g.resources {
			if asked.has(a.class) {
				c.contested[a.class] = struct{}{}
			}
			asked[a.class] = struct{}{}
		}
	}
}

// readWide reads what is about the request as a whole.
func (c *candidatesQuery) readWide(q query) *fault {
	if limits := q.all("limit"); len(limits) > 0 {
		n, _ := parseAmount(limits[0])
		c.limit = int(min(max(n, 0), maxInt))
	}
	if f := c.readRoot(q.all("root_required")); f != nil {
		return f
	}
	for _, value := range q.all("same_subtree") {
		var suffixes []string
		for part := range strings.SplitSeq(value, ",") {
			suffix := strings.TrimSpace(part)
			if suffix == "" {
				return badRequest("Empty string (unsuffixed group) can not be specified in `same_subtree` ").with(codeBadValue)
			}
			suffixes = append(suffixes, suffix)
		}
		c.subtrees = append(c.subtrees, suffixes)
	}
	return nil
}

// readRoot reads root_required.
func (c *candidatesQuery) readRoot(values []string) *fault {
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 {
		return badRequest("Query parameter 'root_required' may be specified only once.").with(codeDuplicateKey)
	}
	var f *fault
	if c.root, f = parseTraits(values[0], true, false); f != nil {
		return f
	}
	if c.root.conflicts() {
		return badRequest("Conflicting required and forbidden traits found in root_required: %s", values[0]).with(codeBadValue)
	}
	return nil
}

// checkGroups looks at the groups together.
func (c *candidatesQuery) checkGroups() *fault {
	check := c.checkOrphans
	if c.minor >= 36 {
		check = c.checkResourceless
	}
	if f := check(); f != nil {
		return f
	}
	if c.minor < 22 {
		return nil
	}
	var bad []string
	for _, g := range c.groups {
		if g.traits.conflicts() {
			bad = append(bad, "required"+g.suffix)
		}
	}
	if len(bad) > 0 {
		return badRequest("Conflicting required and forbidden traits found in the following traits keys: %s", strings.Join(bad, ", "))
	}
	return nil
}

// checkResourceless allows groups without resources only where same_subtree ties them to others.
func (c *candidatesQuery) checkResourceless() *fault {
	without := 0
	tied := setOf(slices.Concat(c.subtrees...)...)
	var loose []string
	for _, g := range c.groups {
		if len(g.resources) > 0 {
			continue
		}
		without++
		if !tied.has(g.suffix) {
			loose = append(loose, strconv.Quote(g.suffix))
		}
	}
	if without == len(c.groups) {
		return badRequest("There must be at least one resources or resources[$S] parameter.").with(codeMissingValue)
	}
	if len(loose) > 0 {
		return badRequest("Resourceless suffixed group request should be specified in `same_subtree` query param: bad group(s) - %s.",
			strings.Join(loose, ", ")).with(codeBadValue)
	}
	for _, suffixes := range c.subtrees {
		for _, suffix := range suffixes {
			if c.index(suffix) < 0 {
				return badRequest("Real suffixes should be specified in `same_subtree`: %s not found.", suffix).with(codeBadValue)
			}
		}
	}
	return nil
}

// checkOrphans asks for resources in every group, as the API does below 1.36.
func (c *candidatesQuery) checkOrphans() *fault {
	if len(c.groups) == 0 {
		return badRequest("At least one request group (`resources` or `resources{$S}`) is required.")
	}
	if traits := c.orphans("required", func(g *group) bool { return len(g.traits.required) > 0 }); traits != "" {
		return badRequest("All traits parameters must be associated with resources.  Found the following orphaned traits keys: %s",
			traits)
	}
	if aggregates := c.orphans("member_of", func(g *group) bool {
		return len(g.aggregates.required)+len(g.aggregates.forbidden) > 0
	}); aggregates != "" {
		return badRequest("All member_of parameters must be associated with resources. Found the following orphaned member_of "+
			"keys: %s", aggregates)
	}
	if slices.ContainsFunc(c.groups, func(g *group) bool { return len(g.resources) == 0 }) {
		return badRequest("All request groups must specify resources.")
	}
	return nil
}

// orphans lists, in order, the parameters of one word that belong to groups without resources.
func (c *candidatesQuery) orphans(word string, used func(*group) bool) string {
	var keys []string
	for _, g := range c.groups {
		if len(g.resources) == 0 && used(g) {
			keys = append(keys, word+g.suffix)
		}
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}

// suffixed counts the groups with a suffix.
func (c *candidatesQuery) suffixed() int {
	n := 0
	for _, g := range c.groups {
		if g.suffix != "" {
			n++
		}
	}
	return n
}

// index is the place of a group, -1 when there is none of that suffix.
func (c *candidatesQuery) index(suffix string) int {
	if i, ok := c.places[suffix]; ok {
		return i
	}
	return -1
}
