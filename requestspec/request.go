package requestspec

import "slices"

// Request is a complete request for allocation candidates (nova/scheduler/utils.py:ResourceRequest).
type Request struct {
	// Groups holds the unsuffixed group first, if there is one, then the flavor's groups sorted by suffix,
	// then the port and profile groups in request order.
	Groups []Group
	// GroupPolicy is none, isolate or "".
	GroupPolicy string
	// RootRequired and RootForbidden are traits of the root provider, sorted.
	RootRequired, RootForbidden []string
	// SameSubtree are lists of group suffixes, each list sorted.
	SameSubtree [][]string
	// Limit is the highest number of candidates to return; 0 means no limit.
	Limit int
	// Findings are what Nova only warns about and, in lenient mode, what strict mode refuses.
	// In strict mode only advice is left here.
	Findings []Finding

	requesterIDs []string
	// exact holds the digits of amounts above the int64 range, by suffix and class.
	exact map[string]map[string]string
	// nova makes Query emit an empty resources parameter, as Nova does and Placement refuses.
	nova bool
}

// Group returns the group of a suffix; "" is the unsuffixed group.
func (r *Request) Group(suffix string) (Group, bool) {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Suffix == suffix })
	if i < 0 {
		return Group{}, false
	}
	return r.Groups[i], true
}

// Suffixed returns the groups that one provider each must satisfy: all but the unsuffixed one.
func (r *Request) Suffixed() []Group {
	return slices.DeleteFunc(slices.Clone(r.Groups), func(g Group) bool { return g.Suffix == "" })
}

// RequesterIDs returns the ids of the port and profile groups, in request order. A group that was dropped because
// all its amounts are zero keeps its id here, as in Nova.
func (r *Request) RequesterIDs() []string { return slices.Clone(r.requesterIDs) }
