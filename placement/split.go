package placement

import (
	"slices"

	"github.com/novacyborg/novacyborg/requestspec"
)

// maxAggregates bounds the uuids of one member_of: with 200 of them a query stays below the 8 KiB that web servers take.
const maxAggregates = 200

// split cuts a request whose query would be too long for a web server (LP#2068893) into requests that together mean the
// same: "in any of these 400 aggregates" is "in any of the first 200" or "in any of the others".
func split(req *requestspec.Request) []*requestspec.Request {
	for g, group := range req.Groups {
		for s, set := range group.Aggregates {
			if len(set) <= maxAggregates {
				continue
			}
			var parts []*requestspec.Request
			for chunk := range slices.Chunk(set, maxAggregates) {
				parts = append(parts, split(withSet(req, g, s, chunk))...)
			}
			return parts
		}
	}
	return []*requestspec.Request{req}
}

// withSet returns the request with another aggregate set in one of its groups.
func withSet(req *requestspec.Request, group, set int, chunk []string) *requestspec.Request {
	part := *req
	part.Groups = slices.Clone(req.Groups)
	part.Groups[group].Aggregates = slices.Clone(req.Groups[group].Aggregates)
	part.Groups[group].Aggregates[set] = chunk
	return &part
}
