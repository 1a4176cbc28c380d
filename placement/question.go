package placement

import (
	"slices"
	"strconv"

	"github.com/novacyborg/novacyborg/requestspec"
)

// question is a request in the words that one server understands.
type question struct {
	// request is what the caller asked.
	request *requestspec.Request
	// sent is what the server is asked.
	sent *requestspec.Request
	// minor is the microversion 1.minor to ask at.
	minor int
	// filterRoot tells that the root traits were not sent and must be looked up in the answer.
	filterRoot bool
}

// ask puts a request in the words of a server that offers microversions up to 1.newest.
func ask(req *requestspec.Request, newest int) question {
	q := question{request: req, sent: req, minor: min(wish(req), newest)}
	if newest < suffixes && hasStringSuffix(req) {
		q.sent = numbered(q.sent)
	}
	if newest < rootRequired && len(req.RootRequired)+len(req.RootForbidden) > 0 {
		q.filterRoot = true
		bare := *q.sent
		bare.RootRequired, bare.RootForbidden = nil, nil
		q.sent = &bare
		q.widen(4)
	}
	return q
}

// mostFiltered bounds the candidates that are asked for to look up root traits in them: more would take the server
// minutes and hundreds of megabytes.
const mostFiltered = 100_000

// widen raises the limit of what is sent. A request without a limit has none.
func (q *question) widen(factor int) {
	wider := *q.sent
	wider.Limit = max(wider.Limit, min(wider.Limit*factor, mostFiltered))
	q.sent = &wider
}

// floor returns the lowest microversion with which the request can be met.
func floor(req *requestspec.Request) need {
	lowest := need{baseline, "a tree of providers"}
	raise := func(needed bool, minor int, feature string) {
		if needed && minor > lowest.minor {
			lowest = need{minor, feature}
		}
	}
	flavor, _ := req.Group("")
	for _, group := range req.Groups {
		inAggregates := len(group.Aggregates)+len(group.ForbiddenAggregates) > 0
		raise(group.InTree != "", inTree, "in_tree")
		raise(len(group.ForbiddenAggregates) > 0, forbiddenAgg, "a forbidden aggregate")
		raise(group.Suffix != "" && inAggregates, mappings, "the mapping of a group with aggregates")
		raise(group.Suffix != "" && shareClass(group, flavor), mappings, "the mapping of a class that the flavor asks for, too")
		raise(isResourceless(group), sameSubtree, "a group without resources")
	}
	raise(len(req.SameSubtree) > 0, sameSubtree, "same_subtree")
	return lowest
}

// shareClass tells whether two groups ask for the same resource class.
func shareClass(a, b requestspec.Group) bool {
	for class := range a.Resources {
		if b.Resources[class] > 0 {
			return true
		}
	}
	return false
}

// wish returns the microversion that needs nothing made up for.
func wish(req *requestspec.Request) int {
	if len(req.RootRequired)+len(req.RootForbidden) > 0 {
		return max(floor(req).minor, rootRequired)
	}
	return max(floor(req).minor, mappings)
}

func hasStringSuffix(req *requestspec.Request) bool {
	return slices.ContainsFunc(req.Groups, func(g requestspec.Group) bool { return g.Suffix != "" && !isNumber(g.Suffix) })
}

// isNumber tells whether a suffix is of the form that servers know before microversion 1.33.
func isNumber(suffix string) bool {
	number, err := strconv.ParseUint(suffix, 10, 64)
	return err == nil && number > 0 && suffix == strconv.FormatUint(number, 10)
}

// numbered returns the request with each string suffix replaced by the next free number, as Nova did before it used
// requester ids as suffixes (nova/scheduler/utils.py:ResourceRequest.get_request_group of Train).
func numbered(req *requestspec.Request) *requestspec.Request {
	taken := make(map[string]bool)
	for _, group := range req.Groups {
		taken[group.Suffix] = true
	}
	renamed := *req
	renamed.Groups = slices.Clone(req.Groups)
	next := 0
	for i, group := range renamed.Groups {
		if group.Suffix == "" || isNumber(group.Suffix) {
			continue
		}
		for next++; taken[strconv.Itoa(next)]; next++ {
		}
		renamed.Groups[i].Suffix = strconv.Itoa(next)
	}
	return &renamed
}
