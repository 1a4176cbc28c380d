package requestspec

// Group is one request group: resources and conditions that one provider (a suffixed group) or the whole
// provider tree (the unsuffixed group, Suffix "") must satisfy. It mirrors nova/objects/request_spec.py:RequestGroup.
type Group struct {
	// Suffix is the Placement suffix, which is also the requester id of port and profile groups.
	Suffix string
	// Resources maps a resource class to its amount. An amount above the int64 range is cut here, and whole in
	// [Request.Query].
	Resources map[string]int64
	// Required and Forbidden are trait names, sorted.
	Required, Forbidden []string
	// Aggregates are AND-ed sets of aggregate uuids; a provider must be in at least one aggregate of each set.
	Aggregates [][]string
	// ForbiddenAggregates are aggregate uuids that a provider must be in none of, sorted.
	ForbiddenAggregates []string
	// InTree is the uuid of a provider whose tree must hold the providers of this group.
	InTree string
}
