package requestspec

// Input is everything a request is made of. Only Flavor is needed.
type Input struct {
	// Flavor is the flavor of the instance.
	Flavor Flavor `json:"flavor"`
	// Profile holds the groups of the device profile: of the one that the flavor names, or of one that comes
	// with the request itself. Nova, and so lenient mode, knows only the first.
	Profile []ProfileGroup `json:"profile,omitempty"`
	// Extra are further device profiles, each with an owner of its own. Nova has none: one profile in the flavor is
	// all that it takes, and none can be added later.
	Extra []ExtraProfile `json:"extra,omitempty"`
	// Ports are the requested ports in request order.
	Ports []Port `json:"ports,omitempty"`
	// Image holds the image's properties.
	Image map[string]string `json:"image,omitempty"`
	// BootFromVolume says that the root disk is a volume, so that root_gb does not count.
	BootFromVolume bool `json:"boot_from_volume,omitempty"`
	// Destination narrows the hosts.
	Destination Destination `json:"destination,omitzero"`
	// ForceHosts and ForceNodes are the hosts and nodes an administrator forces. The first entry counts, after
	// the destination.
	ForceHosts []string `json:"force_hosts,omitempty"`
	ForceNodes []string `json:"force_nodes,omitempty"`
	// ComputeNodes are the nodes known, used to find the uuid of a destination or of a forced host or node.
	ComputeNodes []ComputeNode `json:"compute_nodes,omitempty"`
	// Hints are the scheduler hints. Only their names matter: group, same_host and different_host lift the limit.
	Hints map[string]any `json:"hints,omitempty"`
	// RootRequired and RootForbidden are traits of the root provider that the caller's own rules ask for.
	// Two rules always apply: COMPUTE_STATUS_DISABLED is forbidden, and COMPUTE_ACCELERATORS is required when
	// there is a flavor profile.
	RootRequired  []string `json:"root_required,omitempty"`
	RootForbidden []string `json:"root_forbidden,omitempty"`
	// SameSubtree are lists of group suffixes; the providers of each list must lie in one subtree.
	SameSubtree [][]string `json:"same_subtree,omitempty"`
	// Limit is the highest number of candidates to return; 0 means [DefaultLimit].
	Limit int `json:"limit,omitempty"`
	// LargestProvider maps a resource class to the largest amount that one provider has, for classes of which
	// the caller knows it. A suffixed group that asks for more can never fit.
	LargestProvider map[string]int64 `json:"largest_provider,omitempty"`
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

// ExtraProfile is a device profile beside the flavor's: one that came with the request, or is attached later.
type ExtraProfile struct {
	Name string `json:"name"`
	// Owner ends the requester ids of the groups, see [RequesterID]; it is different for each profile of a request.
	Owner  string         `json:"owner"`
	Groups []ProfileGroup `json:"groups"`
}
