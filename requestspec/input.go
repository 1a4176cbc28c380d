package requestspec

// Input is everything a request is made of. Only Flavor is needed.
type Input struct {
	// Flavor is the flavor of the instance.
	Flavor Flavor
	// Profile holds the groups of the device profile: of the one that the flavor names, or of one that comes
	// with the request itself. Nova, and so lenient mode, knows only the first.
	Profile []ProfileGroup
	// Ports are the requested ports in request order.
	Ports []Port
	// Image holds the image's properties.
	Image map[string]string
	// BootFromVolume says that the root disk is a volume, so that root_gb does not count.
	BootFromVolume bool
	// Destination narrows the hosts.
	Destination Destination
	// ForceHosts and ForceNodes are the hosts and nodes an administrator forces. The first entry counts, after
	// the destination.
	ForceHosts, ForceNodes []string
	// ComputeNodes are the nodes known, used to find the uuid of a destination or of a forced host or node.
	ComputeNodes []ComputeNode
	// Hints are the scheduler hints. Only their names matter: group, same_host and different_host lift the limit.
	Hints map[string]any
	// RootRequired and RootForbidden are traits of the root provider that the caller's own rules ask for.
	// Two rules always apply: COMPUTE_STATUS_DISABLED is forbidden, and COMPUTE_ACCELERATORS is required when
	// there is a flavor profile.
	RootRequired, RootForbidden []string
	// SameSubtree are lists of group suffixes; the providers of each list must lie in one subtree.
	SameSubtree [][]string
	// Limit is the highest number of candidates to return; 0 means [DefaultLimit].
	Limit int
	// LargestProvider maps a resource class to the largest amount that one provider has, for classes of which
	// the caller knows it. A suffixed group that asks for more can never fit.
	LargestProvider map[string]int64
}

// DefaultLimit is Nova's default of [scheduler]max_placement_results.
const DefaultLimit = 1000

// Destination is where an instance may go (nova/objects/request_spec.py:Destination).
type Destination struct {
	// Host is the name of a compute service's host, Node of a compute node.
	Host string `json:"host,omitempty"`
	Node string `json:"node,omitempty"`
	// Aggregates are AND-ed sets of aggregate uuids; inside a set any one is enough.
	Aggregates [][]string `json:"aggregates,omitempty"`
	// ForbiddenAggregates are aggregate uuids that are excluded.
	ForbiddenAggregates []string `json:"forbidden_aggregates,omitempty"`
}

// ComputeNode is a known compute node; its uuid is that of its root provider.
type ComputeNode struct {
	Host string `json:"host"`
	Node string `json:"node"`
	UUID string `json:"uuid"`
}
