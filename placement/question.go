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
	q := question{request: req, sent: req, minor: max(floor(req), min(wish(req), newest))}
	if newest < suffixes && hasStringSuffix(req) {
		q.sent = numbered(q.sent)
	}
	if newest < rootRequired && len(req.RootRequired)+len(req.RootForbidden) > 0 {
		q.filterRoot = true
		bare := *q.sent
		bare.RootRequired, bare.RootForbidden, bare.Limit = nil, nil, 0
		q.sent = &bare
	}
	return q
}

// floor returns the lowest microversion without which the request cannot be met.
func floor(req *requestspec.Request) int {
	minor := baseline
	for _, group := range req.Groups {
		if group.InTree != "" {
			minor = max(minor, inTree)
		}
		if len(group.ForbiddenAggregates) > 0 {
			minor = max(minor, forbiddenAgg)
		}
		if len(group.Resources) == 0 {
			minor = max(minor, sameSubtree)
		}
	}
	if len(req.SameSubtree) > 0 {
		minor = sameSubtree
	}
	return minor
}

// feature names what makes the floor.
func feature(req *requestspec.Request) string {
	return map[int]string{
		baseline:     "a tree of providers",
		inTree:       "in_tree",
		forbiddenAgg: "a forbidden aggregate",
		sameSubtree:  "same_subtree or a group without resources",
	}[floor(req)]
}

// wish returns the microversion that needs nothing made up for.
func wish(req *requestspec.Request) int {
	if len(req.RootRequired)+len(req.RootForbidden) > 0 {
		return max(floor(req), rootRequired)
	}
	return max(floor(req), mappings)
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
